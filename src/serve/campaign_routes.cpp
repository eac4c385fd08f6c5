// Campaigns: create, list, read, change, pause, resume, close; prices and settled items.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/campaign/option_text.hpp"
#include "serve/call.hpp"
#include "serve/created_response.hpp"
#include "serve/json.hpp"
#include "serve/paging.hpp"
#include "serve/problem.hpp"
#include "serve/routes.hpp"
#include "serve/schema.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

using campaign::Options;
using campaign::OptionTexts;
using campaign::State;
using http::Method;
using http::Response;

/// The name of an option as a member of a request: "labels-an-item" is "labels_an_item".
std::string member(std::string_view option) {
  std::string name(option);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string list_of(const std::vector<std::string>& texts) {
  JsonList list;
  for (const std::string& one : texts) list.text(one);
  return list.end();
}

std::string options_json(const Options& options) {
  std::vector<std::string> stop;
  if (options.stop.accuracy) stop.push_back(fmt::format("accuracy:{}", *options.stop.accuracy));
  if (options.stop.settled) stop.push_back(fmt::format("settled:{}", *options.stop.settled));
  if (options.stop.worth) stop.push_back(fmt::format("worth:{}", money_text(*options.stop.worth)));
  const auto limit = [](std::uint32_t most) { return most > 0 ? fmt::format("{}", most) : "null"; };
  const bool refits = options.refit != model::Refit::off;
  return JsonObject()
      .json("classes", list_of(options.classes))
      .money("price", options.price)
      .text("policy", options.policy)
      .text("ties", options.ties == policy::TieBreak::first ? "first" : "random")
      .whole("seed", options.seed)
      .text("lease", fmt::format("{}s", options.lease.count()))
      .json("labels_an_item", limit(options.labels_per_item))
      .json("labels_a_worker", limit(options.labels_per_worker))
      .number("gold_rate", options.gold_rate)
      .text("prior", options.item_prior)
      .text("worker_prior", options.learn_workers ? "learn" : options.worker_prior)
      .json("stop", list_of(stop))
      .json("coins", !options.coins                        ? "null"
                     : *options.coins == model::Coins::one ? "1"
                                                           : "2")
      .json("refit", refits ? fmt::format("{}", options.refit_every) : "\"off\"")
      .json("refit_by", !refits                                     ? "null"
                        : options.refit == model::Refit::integrated ? "\"bp\""
                                                                    : "\"em\"")
      .json("features", list_of(options.features))
      .end();
}

std::string campaign_json(const CampaignEntry& entry, const State& state) {
  return campaign_head(entry)
      .json("page", page_json(entry.shown()))
      .text("phase", campaign::name(state.phase()))
      .text_or_null("reason", state.reason())
      .money("budget", state.account().budget)
      .money("spent", state.account().spent)
      .money("reserved", state.account().reserved)
      .money("left", state.account().left())
      .whole("items", state.item_count())
      .whole("gold", state.items().gold_items().size())
      .whole("workers", state.worker_count())
      .whole("leases", state.leases().count())
      .whole("labels", state.label_counts().all)
      .whole("events", state.sequence())
      .json("options", options_json(state.options()))
      .end();
}

/// The campaign as it is now.
Result<Response> read_response(const CallPtr& call, const campaign::CampaignView& view,
                               int status = 200) {
  const auto entry = call->hub().vault().campaign(call->campaign());
  return view.read([&](const State& state) {
    return json_response(campaign_json(entry.value_or(CampaignEntry{}), state), status);
  });
}

Result<Options> read_options(Body& body) {
  OptionTexts texts;
  const auto take = [&](std::string_view name, auto& into) {
    if (auto text = body.scalar_if(name)) into = *std::move(text);
  };
  texts.classes = body.texts("classes", 250);
  texts.features = body.texts("features", kMostFeatures);
  texts.stop = body.texts("stop", 10);
  take("price", texts.price);
  take("policy", texts.policy);
  take("ties", texts.ties);
  take("seed", texts.seed);
  take("lease", texts.lease);
  take("labels_an_item", texts.labels_per_item);
  take("labels_a_worker", texts.labels_per_worker);
  take("gold_rate", texts.gold_rate);
  take("prior", texts.prior);
  take("worker_prior", texts.worker_prior);
  take("coins", texts.coins);
  take("refit", texts.refit);
  take("refit_by", texts.refit_by);
  const auto budget = body.money_if("budget");
  if (!budget) body.refuse("budget is missing; expected an amount such as 5000 or 12.50");
  if (texts.classes.empty()) {
    body.refuse("classes is missing; expected a list such as [\"no\", \"yes\"]");
  }
  if (const auto wrong = body.done()) return tl::unexpected(*wrong);
  return campaign::parse_options(texts, member).map([&](Options options) {
    options.budget = *budget;
    return options;
  });
}

void create(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  CampaignEntry draft{.name = body.text("name"), .owner = call->token.id};
  if (auto page = body.object("page")) draft.page = std::make_shared<const Page>(read_page(*page));
  const auto options = read_options(body);
  if (!options) return call->refuse(options.error());
  const std::string digest = digest_of(call->request.body);
  if (replied_as_before(*call, digest)) return;
  call->work([call, draft, options = *options, digest] {
    return call->hub().create(draft, options, {}, {call->key(), digest}).map(created_response);
  });
}

void list_campaigns(const CallPtr& call) {
  std::vector<CampaignEntry> entries = call->hub().vault().campaigns();
  std::erase_if(entries, [&](const CampaignEntry& one) {
    return call->token.role != Role::admin && !call->token.owner_of(one);
  });
  reply_by_id(*call, "campaigns", entries, entry_json);
}

void read_campaign(const CallPtr& call) {
  call->look([call](OpenCampaign& room) { return read_response(call, room.view()); });
}

/// Changes the entry in server.db, after the campaign's own commit.
void change_entry(const CallPtr& call, const std::function<void(CampaignEntry&)>& how) {
  const auto describe = [call] {
    call->look([call](OpenCampaign& room) { return read_response(call, room.view()); });
  };
  if (!how) return describe();
  const bool taken = call->hub().work([call, how, describe] {
    const auto changed = call->hub().vault().change(call->campaign(), how);
    changed ? describe() : call->refuse(changed.error());
  });
  if (!taken) call->reply(busy(kStopping));
}

void change(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const auto title = body.text_if("name");
  const auto owner = body.text_if("owner");
  const auto budget = body.money_if("budget");
  if (title && title->empty()) body.refuse("name is empty; expected a text");
  std::optional<Page> page;
  if (auto given = body.object("page")) {
    const auto entry = call->hub().vault().campaign(call->campaign());
    page = read_page(*given, entry ? entry->shown() : Page());
  }
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  if (owner && call->token.role != Role::admin) {
    return call->reply(
        problem(403, "wrong_role", "only an admin can change the owner of a campaign"));
  }
  const auto heir = owner ? call->hub().vault().with_id(*owner) : std::nullopt;
  if (owner && (!heir || heir->revoked || heir->role == Role::worker)) {
    return call->refuse(
        {ErrorCode::not_found,
         fmt::format("there is no token {}; expected the id of a requester's or admin's token",
                     in_quotes(*owner))});
  }
  std::function<void(CampaignEntry&)> how;
  if (title || owner || page) {
    how = [title, owner, page](CampaignEntry& entry) {
      entry.name = title.value_or(entry.name);
      entry.owner = owner.value_or(entry.owner);
      if (page) entry.page = std::make_shared<const Page>(*page);
    };
  }
  if (!budget) return change_entry(call, how);
  call->hub().command(
      call->campaign(),
      [call, budget](OpenBatch& room) {
        const auto set = room->set_budget(*budget, call->now());
        return set ? Response() : problem(set.error());
      },
      [call, how](Response response) {
        if (response.status != 200) return call->reply(std::move(response));
        change_entry(call, how);
      });
}

void pause(const CallPtr& call) {
  call->command([call](OpenBatch& room) {
    return room->pause(call->now()).and_then([&] { return read_response(call, room.view()); });
  });
}

void resume(const CallPtr& call) {
  call->command([call](OpenBatch& room) {
    return room->resume(call->now()).and_then([&] { return read_response(call, room.view()); });
  });
}

void close(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string reason = body.text_if("reason").value_or("done");
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->command([call, reason](OpenBatch& room) {
    return room->close(reason, call->now()).and_then([&] {
      return read_response(call, room.view());
    });
  });
}

void set_price(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string worker = body.text("worker");
  const auto price = body.money_if("price");
  if (!price) body.refuse("price is missing; expected an amount such as 0.05");
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->command([call, worker, price](OpenBatch& room) {
    return room->set_price(worker, *price, call->now()).map([&] {
      return json_response(JsonObject().text("worker", worker).money("price", *price).end());
    });
  });
}

void settle(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string item = body.text("item");
  const std::string reason = body.text_if("reason").value_or("settled by hand");
  if (const auto wrong = body.done()) return call->refuse(*wrong);
  call->command([call, item, reason](OpenBatch& room) {
    return room->settle(item, reason, call->now()).map([&] {
      return json_response(JsonObject().text("item", item).text("settled", reason).end());
    });
  });
}

}  // namespace

void add_campaign_routes(std::vector<Route>& routes) {
  using namespace schema;
  const std::string base = "/api/v1/campaigns";
  const std::string one = base + "/{campaign}";
  const std::vector<Parameter> page = page_parameters();
  routes.insert(
      routes.end(),
      {{.method = Method::post,
        .pattern = base,
        .access = Access::requester,
        .name = "create_campaign",
        .summary = "Create a campaign; the members are the options of 'allot campaign create'",
        .handle = create,
        .request = object({{"name", text()},
                           {"classes", list(text())},
                           {"budget", scalar("An amount")},
                           maybe("price", scalar()),
                           maybe("policy", text()),
                           maybe("ties", word({"random", "first"})),
                           maybe("seed", scalar()),
                           maybe("lease", text("90s, 10m, 2h, 1d")),
                           maybe("labels_an_item", scalar()),
                           maybe("labels_a_worker", scalar()),
                           maybe("gold_rate", scalar()),
                           maybe("prior", text()),
                           maybe("worker_prior", text()),
                           maybe("stop", list(text())),
                           maybe("coins", scalar()),
                           maybe("refit", scalar()),
                           maybe("refit_by", word({"bp", "em"})),
                           maybe("features", list(text())),
                           maybe("page", ref("PageChange"))}),
        .response = ref("CampaignEntry"),
        .success = 201,
        .keyed = true},
       {.method = Method::get,
        .pattern = base,
        .access = Access::requester,
        .name = "list_campaigns",
        .summary = "List campaigns: a requester's own; all for an admin",
        .handle = list_campaigns,
        .response = object({{"campaigns", list(ref("CampaignEntry"))}, {"next", or_null(text())}}),
        .query = page},
       {.method = Method::get,
        .pattern = one,
        .access = Access::owner,
        .name = "read_campaign",
        .summary = "Read a campaign, its options and counts",
        .handle = read_campaign,
        .response = ref("Campaign")},
       {.method = Method::patch,
        .pattern = one,
        .access = Access::owner,
        .name = "change_campaign",
        .summary = "Change the budget, name, owner or workers' page",
        .handle = change,
        .request = object({maybe("name", text()), maybe("budget", scalar()),
                           maybe("owner", text("Id of a token; only an admin can change it")),
                           maybe("page", ref("PageChange"))}),
        .response = ref("Campaign")},
       {.method = Method::post,
        .pattern = one + "/pause",
        .access = Access::owner,
        .name = "pause_campaign",
        .summary = "Pause: no more items are leased, labels are still accepted",
        .handle = pause,
        .response = ref("Campaign")},
       {.method = Method::post,
        .pattern = one + "/resume",
        .access = Access::owner,
        .name = "resume_campaign",
        .summary = "Resume a paused campaign",
        .handle = resume,
        .response = ref("Campaign")},
       {.method = Method::post,
        .pattern = one + "/close",
        .access = Access::owner,
        .name = "close_campaign",
        .summary = "Close a campaign for good",
        .handle = close,
        .request = object({maybe("reason", text())}),
        .response = ref("Campaign")},
       {.method = Method::put,
        .pattern = one + "/prices",
        .access = Access::owner,
        .name = "set_price",
        .summary = "Set the price of a worker's labels from now on",
        .handle = set_price,
        .request = object({{"worker", text()}, {"price", scalar()}}),
        .response = object({{"worker", text()}, {"price", money()}})},
       {.method = Method::post,
        .pattern = one + "/settle",
        .access = Access::owner,
        .name = "settle_item",
        .summary = "Settle an item: buy no more labels for it",
        .handle = settle,
        .request = object({{"item", text()}, maybe("reason", text())}),
        .response = object({{"item", text()}, {"settled", text()}})}});
}

}  // namespace allot::serve
