// What a requester watches: the course of a campaign, its items by how sure and how dear they are,
// who is asked what and why, whether probabilities are kept.
//
// All of it is one pass over the items at most, made once an event (Room::board) and not sent again
// while nothing happens (ETag).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "allot/aggregate/calibration.hpp"
#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "io/json_object.hpp"
#include "serve/problem.hpp"
#include "serve/report.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Board;
using campaign::Options;
using campaign::State;
using http::Method;
using http::Response;

/// Rows of what is asked now.
constexpr std::uint64_t kMostAsked = 100;

std::string point_json(const Point& point) {
  return JsonObject()
      .whole("labels", point.labels)
      .whole("event", point.event)
      .time("time", point.time)
      .money("spent", point.spent)
      .number("expected_accuracy", point.expected_accuracy)
      .json("bound", number_or_null(point.bound))
      .json("accuracy", number_or_null(point.accuracy))
      .end();
}

void curve(const CallPtr& call) {
  call->look([call](Room& room) {
    return tagged(*call, room, [&] {
      return room->status().map([&](const campaign::Status& status) {
        const Point now = Point::of(status);
        JsonList points;
        for (const Point& one : room.course().points()) {
          if (one.labels < now.labels) points.json(point_json(one));
        }
        points.json(point_json(now));
        return json_response(JsonObject().json("points", points.end()).end());
      });
    });
  });
}

/// From the share of one class on, finer where answers are nearly sure.
std::vector<double> certainty_edges(std::size_t classes) {
  const double least = 1.0 / static_cast<double>(classes);
  std::vector<double> edges{least};
  for (const double edge : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99}) {
    if (edge > least + 1e-9) edges.push_back(edge);
  }
  edges.push_back(1);
  return edges;
}

/// One by one up to ten, then half as many again each time.
std::vector<std::uint64_t> label_edges(std::uint64_t most) {
  std::vector<std::uint64_t> edges{0};
  while (edges.back() <= most) {
    edges.push_back(edges.back() < 10 ? edges.back() + 1 : edges.back() + edges.back() / 2);
  }
  return edges;
}

/// In which of the parts between edges a value lies; below the first in the first, beyond the last
/// in the last.
template <typename Value>
std::size_t part_of(const std::vector<Value>& edges, Value value) {
  const auto above = std::ranges::upper_bound(edges, value);
  const auto at = static_cast<std::size_t>(above - edges.begin());
  return std::clamp<std::size_t>(at, 1, edges.size() - 1) - 1;
}

template <typename Value>
std::string list_json(const std::vector<Value>& values) {
  JsonList list;
  for (const Value value : values) list.json(fmt::format("{}", value));
  return list.end();
}

void map(const CallPtr& call) {
  call->look([call](Room& room) {
    return tagged(*call, room, [&] {
      return room.board().and_then([&](const Room::Boards& board) {
        return room.seen([&](const State& state) {
          std::uint64_t most = 0;
          for (const Board::Item& one : board->items)
            most = std::max<std::uint64_t>(most, one.labels);
          const auto certainty = certainty_edges(state.options().classes.size());
          const auto labels = label_edges(most);
          using Counts = std::vector<std::vector<std::uint64_t>>;
          Counts open(certainty.size() - 1, std::vector<std::uint64_t>(labels.size() - 1));
          Counts settled = open;
          for (std::uint32_t i = 0; i < board->items.size(); ++i) {
            const Board::Item& one = board->items[i];
            if (state.truth(ItemId{i})) continue;
            Counts& counts = state.settled(ItemId{i}).empty() ? open : settled;
            ++counts[part_of(certainty, one.probability)]
                    [part_of<std::uint64_t>(labels, one.labels)];
          }
          const auto rows = [](const Counts& counts) {
            JsonList list;
            for (const auto& row : counts) list.json(list_json(row));
            return list.end();
          };
          return json_response(JsonObject()
                                   .json("certainty", list_json(certainty))
                                   .json("labels", list_json(labels))
                                   .json("open", rows(open))
                                   .json("settled", rows(settled))
                                   .end());
        });
      });
    });
  });
}

struct AskedNow {
  campaign::Lease lease;
  std::string item, worker, why;
};

/// The last items that were handed out and are not back.
std::vector<AskedNow> asked_now(const State& state, std::size_t most) {
  std::vector<campaign::Lease> leases = state.leases();
  std::ranges::stable_sort(leases, std::ranges::greater(), &campaign::Lease::taken);
  // Of several who have an item, all but the first have it since there was nothing better.
  std::map<std::uint32_t, campaign::Time> first;
  for (const campaign::Lease& one : leases) first[position(one.item)] = one.taken;
  std::vector<AskedNow> asked;
  for (const campaign::Lease& one : leases) {
    if (asked.size() == most) break;
    const bool later = one.taken > first[position(one.item)];
    const campaign::Why why = state.truth(one.item) ? campaign::Why::gold
                              : later               ? campaign::Why::waiting
                                                    : campaign::Why::chosen;
    asked.push_back(
        {one, state.id(one.item), state.name(one.worker), std::string(campaign::name(why))});
  }
  return asked;
}

void list_asked(const CallPtr& call) {
  const auto limit = call->whole("limit", 20, 1, kMostAsked);
  if (!limit) return call->refuse(limit.error());
  call->look([call, limit = *limit](Room& room) {
    return tagged(*call, room, [&]() -> Result<Response> {
      const auto options = room.seen([](const State& state) { return state.options(); });
      const auto asked = room.seen([&](const State& state) { return asked_now(state, limit); });
      if (!options || !asked) return tl::unexpected((options ? asked.error() : options.error()));
      JsonList list;
      for (const AskedNow& one : *asked) {
        const auto why = TRY(room->explain(one.item, one.worker));
        const auto fields = TRY(room.content(one.lease.item));
        list.json(JsonObject()
                      .text("item", one.item)
                      .text("worker", one.worker)
                      .time("since", one.lease.taken)
                      .time("expires", one.lease.expires)
                      .money("price", one.lease.price)
                      .json("fields", fields.empty() ? "{}" : fields)
                      .json("why", JsonObject()
                                       .text("reason", one.why)
                                       .json("value", number_or_null(why.value))
                                       .json("outlook", outlook_json(*options, why.outlook))
                                       .end())
                      .json("probabilities", by_class(*options, why.probabilities))
                      .end());
      }
      return json_response(JsonObject().json("asked", list.end()).end());
    });
  });
}

void rate(const CallPtr& call) {
  call->look([call](Room& room) {
    const campaign::Time now = call->now();
    return room.label_rate().read_on(*room, now).map([&] {
      JsonList minutes;
      const std::int64_t last = LabelRate::minute_of(now);
      for (std::int64_t minute = last - 59; minute <= last; ++minute) {
        minutes.json(JsonObject()
                         .time("time", campaign::Time(std::chrono::minutes(minute)))
                         .whole("labels", room.label_rate().labels(minute))
                         .end());
      }
      return json_response(JsonObject().json("minutes", minutes.end()).end());
    });
  });
}

void calibration(const CallPtr& call) {
  call->look([call](Room& room) {
    return tagged(*call, room, [&] {
      return room.board().and_then([&](const Room::Boards& board) {
        return room.seen([&](const State& state) {
          std::vector<ClassId> answers;
          std::vector<double> probabilities;
          std::vector<std::optional<ClassId>> truths;
          double squares = 0;
          for (std::uint32_t i = 0; i < board->items.size(); ++i) {
            const auto truth = state.reference(ItemId{i});
            if (!truth || state.truth(ItemId{i})) continue;
            const Board::Item& one = board->items[i];
            answers.push_back(one.answer);
            probabilities.push_back(one.probability);
            truths.push_back(truth);
            const double miss = one.probability - (one.answer == *truth ? 1 : 0);
            squares += miss * miss;
          }
          aggregate::Calibration found;
          found.add(answers, probabilities, truths);
          const aggregate::CalibrationBin all = found.total();
          JsonList bins;
          for (const aggregate::CalibrationBin& bin : found.bins()) {
            bins.json(JsonObject()
                          .number("low", bin.from)
                          .number("high", bin.to)
                          .whole("items", bin.answers)
                          .number("expected", bin.promised())
                          .number("right", bin.share_right())
                          .end());
          }
          return json_response(
              JsonObject()
                  .whole("items", answers.size())
                  .number("accuracy", all.share_right())
                  .number("brier", squares / static_cast<double>(answers.size()))
                  .json("expected_calibration_error", number_or_null(found.expected_error()))
                  .json("bins", bins.end())
                  .end());
        });
      });
    });
  });
}

}  // namespace

void add_board_routes(std::vector<Route>& routes) {
  using namespace schema;
  const std::string one = "/api/v1/campaigns/{campaign}";
  const std::string probabilities = table(share());
  routes.insert(
      routes.end(),
      {{.method = Method::get,
        .pattern = one + "/curve",
        .access = Access::owner,
        .name = "curve",
        .summary = "What was expected after so many labels, up to now, in 500 points at most",
        .handle = curve,
        .response = object({{"points", list(ref("Point"))}}),
        .tagged = true},
       {.method = Method::get,
        .pattern = one + "/map",
        .access = Access::owner,
        .name = "map",
        .summary = "Items but gold by the probability of their answer and the labels they have",
        .handle = map,
        .response = object({{"certainty", list(share(), "Edges, one more than rows")},
                            {"labels", list(whole(), "Edges, one more than columns")},
                            {"open", list(list(whole()))},
                            {"settled", list(list(whole()))}}),
        .tagged = true},
       {.method = Method::get,
        .pattern = one + "/asked",
        .access = Access::owner,
        .name = "list_asked",
        .summary = "Items that workers have at hand, the newest first, and why they were asked",
        .handle = list_asked,
        .response = object(
            {{"asked",
              list(object({{"item", text()},
                           {"worker", text()},
                           {"since", time()},
                           {"expires", time()},
                           {"price", money()},
                           {"fields", anything()},
                           {"why", object({{"reason", word({"chosen", "gold", "waiting"})},
                                           {"value", or_null(number(
                                                         "The policy's index of item and worker"))},
                                           {"outlook", table(object({{"chance", share()},
                                                                     {"then", probabilities}}))}})},
                           {"probabilities", probabilities}}))}}),
        .query = {{"limit", whole_from(1, kMostAsked), "20 if not given"}},
        .tagged = true},
       {.method = Method::get,
        .pattern = one + "/rate",
        .access = Access::owner,
        .name = "rate",
        .summary = "Labels of each of the last 60 minutes",
        .handle = rate,
        .response = object({{"minutes", list(object({{"time", time()}, {"labels", whole()}}))}})},
       {.method = Method::get,
        .pattern = one + "/calibration",
        .access = Access::owner,
        .name = "calibration",
        .summary = "Whether answers with a truth are right as often as they are expected to be",
        .handle = calibration,
        .response = object(
            {{"items", whole()},
             {"accuracy", or_null(share())},
             {"brier", or_null(share("Mean square of what is missing between the probability of an "
                                     "answer and whether it is right"))},
             {"expected_calibration_error", or_null(share())},
             {"bins", list(object({{"low", share()},
                                   {"high", share()},
                                   {"items", whole()},
                                   {"expected", or_null(share())},
                                   {"right", or_null(share())}}))}}),
        .tagged = true}});
}

}  // namespace allot::serve
