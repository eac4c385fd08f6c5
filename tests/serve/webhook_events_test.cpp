// What webhooks tell, beside a plain account of the same events.
#include "serve/webhook_events.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/test_api.hpp"

namespace allot::test::webhook_events_test {
namespace {

using campaign::LedgerEntry;
using campaign::State;
using serve::Message;
using serve::MessageWriter;
using serve::Topic;

constexpr serve::TopicSet kAll = 0xff;

/// work(room) on the campaign's own thread.
void in_room(TestApi& api, const std::string& path,
             const std::function<void(serve::OpenCampaign&)>& work) {
  std::promise<void> done;
  api.hub().look(
      path.substr(path.rfind('/') + 1),
      [&](serve::OpenCampaign& room) {
        work(room);
        return http::Response();
      },
      [&](const http::Response&) { done.set_value(); });
  done.get_future().get();
}

/// Many commands of all kinds, as a seed says.
void play(TestApi& api, const std::string& path, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  for (int n = 0; n < 120; ++n) {
    const std::string worker = "w" + std::to_string(below(4)),
                      item = "i" + std::to_string(below(9)), label = below(2) ? "yes" : "no";
    const std::string who = "{\"worker\": \"" + worker + "\"";
    const std::string what = who + ", \"item\": \"" + item + "\"";
    switch (below(12)) {
      case 0:
        api.ask({http::Method::put, path + "/prices", api.requester,
                 who + ", \"price\": " + std::to_string(1 + below(4)) + "}"});
        break;
      case 1:
        api.post(path + "/settle", api.requester, "{\"item\": \"" + item + "\"}");
        break;
      case 2:
        api.ask({http::Method::patch, path, api.requester,
                 "{\"budget\": " + std::to_string(5 + below(25)) + "}"});
        break;
      case 3:
        api.now += 400'000'000;
        api.post(path + "/release", api.requester, what + "}");
        break;
      case 4:
        api.post(path + "/labels", api.requester,
                 what + ", \"label\": \"" + label + "\", \"revise\": true}");
        break;
      case 5:
        api.ask({http::Method::patch, path, api.requester,
                 below(2) ? R"({"lease": "6m"})"
                          : R"({"lease": "5m", "page": {"question": "Is it?"}})"});
        break;
      case 6:
        // Exclusion opens items again, of which the plain account knows nothing.
        api.ask({http::Method::put, path + "/standing", api.requester,
                 who + ", \"standing\": \"" + (below(2) ? "blocked" : "active") +
                     "\", \"reason\": \"slow\"}"});
        break;
      case 7:
        api.post(path + "/archive", api.requester, "{}");
        api.post(path + "/unarchive", api.requester, "{}");
        break;
      default: {
        const ApiResponse asked =
            api.post(path + "/assignments", api.requester, who + ", \"count\": 2}");
        const auto& given = asked.json().at("assignments").as_array();
        const std::string at_hand =
            given.empty() ? item : std::string(given[0].at("item").as_string());
        api.post(path + "/labels", api.requester,
                 who + ", \"item\": \"" + at_hand + "\", \"label\": \"" + label + "\"}");
      }
    }
  }
  api.post(path + "/close", api.requester, R"({"reason": "enough"})");
}

/// The same by looking at the whole state after every event.
std::vector<std::pair<std::uint64_t, std::string>> plain(const std::vector<LedgerEntry>& events) {
  std::vector<std::pair<std::uint64_t, std::string>> told;
  State state;
  std::vector<bool> settled;
  std::map<std::string, Money> item_prices;
  bool exhausted = false;
  for (const LedgerEntry& one : events) {
    EXPECT_TRUE(state.apply(one.event, one.time));
    const auto add = [&](const char* type) { told.emplace_back(one.sequence, type); };
    const std::string name(campaign::name(one.event));
    if (name == "answered" || name == "revised") add("label.created");
    settled.resize(state.item_count());
    for (std::uint32_t n = 0; n < state.item_count(); ++n) {
      if (!settled[n] && !state.items().finish_reason(ItemId{n}).empty()) {
        add("item.settled");
        settled[n] = true;
      }
    }
    if (name == "expired") add("lease.expired");
    if (name == "closed") add("campaign.closed");
    if (name == "options-changed" || name == "page-changed" || name == "budget-changed") {
      add("campaign.changed");
    }
    if (name == "standing-changed") add("worker.changed");
    if (name == "archive-changed") add("campaign.archived");
    Money lowest = state.lowest_price();
    for (std::uint32_t n = 0; n < state.worker_count(); ++n) {
      if (const auto price = state[WorkerId{n}].price) lowest = std::min(lowest, *price);
    }
    const bool now = state.account().budget - state.account().spent < lowest;
    if (now && !exhausted) add("budget.exhausted");
    exhausted = now;
  }
  return told;
}

TEST(WebhookEvents, AreWhatAPlainAccountFinds) {
  std::map<std::string, int> seen;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    TestApi api;
    const std::string path =
        api.campaign(9, R"(, "lease": "5m", "price": 2)" +
                            std::string(seed % 4 ? R"(, "labels_per_item": 2)" : ""));
    api.ask({http::Method::patch, path, api.requester, R"({"budget": 15})"});
    api.post(path + "/items", api.requester,
             R"({"items": [{"id": "g", "gold": "yes"}, {"id": "p", "price": 1}]})");
    play(api, path, seed);
    in_room(api, path, [&](serve::OpenCampaign& room) {
      const auto events = room->view().events(0, 100'000).value();
      const auto expected = plain(events);
      const bool told = room.read([&](const State& state) {
                              MessageWriter writer("c", kAll);
                              std::vector<Message> messages;
                              for (const LedgerEntry& one : events)
                                writer.take(one, state, messages);
                              std::vector<std::pair<std::uint64_t, std::string>> all;
                              for (const Message& one : messages) {
                                all.emplace_back(one.sequence, one.type);
                                ++seen[one.type];
                              }
                              EXPECT_EQ(all, expected) << "seed " << seed;
                              return true;
                            })
                            .value();
      EXPECT_TRUE(told);
    });
  }
  for (const std::string_view type : serve::kTopics) {
    EXPECT_GT(seen[std::string(type)], 1) << type << " never came up";
  }
}

TEST(WebhookEvents, OnlyWhatIsWantedIsToldAndInTheSameWords) {
  TestApi api;
  const std::string path = api.campaign(9, R"(, "lease": "5m", "labels_per_item": 2)");
  play(api, path, 5);
  in_room(api, path, [&](serve::OpenCampaign& room) {
    const auto events = room->view().events(0, 100'000).value();
    static_cast<void>(room.read([&](const State& state) {
      std::map<std::string, std::vector<std::string>> by_type;
      MessageWriter all("c", kAll);
      std::vector<Message> messages;
      for (const LedgerEntry& one : events) all.take(one, state, messages);
      for (const Message& one : messages) by_type[one.type].push_back(one.body);
      for (std::size_t n = 0; n < serve::kTopics.size(); ++n) {
        const auto wanted = static_cast<Topic>(n);
        MessageWriter few("c", serve::bit(wanted));
        const bool from_start = few.needs_history();
        EXPECT_EQ(from_start, wanted == Topic::item_settled || wanted == Topic::budget_exhausted);
        std::vector<Message> told;
        for (const LedgerEntry& one : events) few.take(one, state, told);
        std::vector<std::string> bodies;
        for (const Message& one : told) bodies.push_back(one.body);
        EXPECT_EQ(bodies, by_type[std::string(serve::kTopics[n])]);
      }
      return true;
    }));
  });
}

TEST(WebhookEvents, SayNoMoreThanTheOwnerSees) {
  TestApi api;
  const std::string path = api.campaign(9, R"(, "lease": "5m", "labels_per_item": 2)");
  play(api, path, 3);
  std::map<std::int64_t, json::value> shown;
  const ApiResponse listed = api.get(path + "/events?limit=1000", api.requester);
  for (const auto& one : listed.json().at("events").as_array()) {
    shown[one.at("sequence").as_int64()] = one;
  }
  in_room(api, path, [&](serve::OpenCampaign& room) {
    const auto events = room->view().events(0, 100'000).value();
    static_cast<void>(room.read([&](const State& state) {
      MessageWriter writer("c", kAll);
      std::vector<Message> messages;
      for (const LedgerEntry& one : events) writer.take(one, state, messages);
      EXPECT_GT(messages.size(), 20U);
      for (const Message& one : messages) {
        const json::value body = json::parse(one.body);
        EXPECT_EQ(body.at("type").as_string(), one.type);
        const json::value& event = shown.at(static_cast<std::int64_t>(one.sequence));
        EXPECT_EQ(body.at("timestamp"), event.at("time"));
        for (const auto& [name, value] : body.at("data").as_object()) {
          if (name == "item" || name == "worker" || name == "label" || name == "sequence") {
            EXPECT_EQ(value, event.at(name)) << one.body;
          } else if (name == "how" && event.at("event").as_string() == "answered") {
            EXPECT_EQ(value, event.at("detail")) << one.body;
          } else {
            EXPECT_TRUE(name == "campaign" || name == "how" || name == "price" ||
                        name == "reason" || name == "budget" || name == "spent" || name == "what" ||
                        name == "standing" || name == "archived")
                << one.body;
          }
        }
      }
      return true;
    }));
  });
}

}  // namespace
}  // namespace allot::test::webhook_events_test
