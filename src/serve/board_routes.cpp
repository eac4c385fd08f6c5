// Charts of a campaign: accuracy over labels, items by certainty and number of labels, open leases
// and their reasons, labels per minute, calibration.
//
// Each chart takes one pass over the items at most. The pass is made once per event
// (OpenCampaign::board), and a client that has the current chart gets 304 (ETag).
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
#include "serve/routes.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Board;
using campaign::Options;
using campaign::State;
using http::Method;
using http::Response;

/// Most rows in a list of open leases.
constexpr std::uint64_t kMostLeases = 100;

std::string point_json(const AccuracyPoint& point) {
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
  call->look([call](OpenCampaign& room) {
    return tagged(*call, room, [&] {
      return room->view().status().map([&](const campaign::Status& status) {
        const AccuracyPoint now = AccuracyPoint::of(status);
        JsonList points;
        for (const AccuracyPoint& one : room.accuracy_history().points()) {
          if (one.labels < now.labels) points.json(point_json(one));
        }
        points.json(point_json(now));
        return json_response(JsonObject().json("points", points.end()).end());
      });
    });
  });
}

/// Edges from 1 / classes to 1, finer near 1.
std::vector<double> certainty_edges(std::size_t classes) {
  const double least = 1.0 / static_cast<double>(classes);
  std::vector<double> edges{least};
  for (const double edge : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99}) {
    if (edge > least + 1e-9) edges.push_back(edge);
  }
  edges.push_back(1);
  return edges;
}

/// Edges one apart up to ten, then growing by half each time.
std::vector<std::uint64_t> label_edges(std::uint64_t most) {
  std::vector<std::uint64_t> edges{0};
  while (edges.back() <= most) {
    edges.push_back(edges.back() < 10 ? edges.back() + 1 : edges.back() + edges.back() / 2);
  }
  return edges;
}

/// Index of the interval that holds the value; values outside count in the first or last one.
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
  call->look([call](OpenCampaign& room) {
    return tagged(*call, room, [&] {
      return room.board().and_then([&](const OpenCampaign::Boards& board) {
        return room.read([&](const State& state) {
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
            if (state.items().gold(ItemId{i})) continue;
            Counts& counts = state.items().finish_reason(ItemId{i}).empty() ? open : settled;
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

struct OpenLease {
  campaign::Lease lease;
  std::string item, worker, why;
};

/// Open leases, the newest first.
std::vector<OpenLease> newest_leases(const State& state, std::size_t most) {
  std::vector<campaign::Lease> leases = state.leases().all();
  std::ranges::stable_sort(leases, std::ranges::greater(), &campaign::Lease::taken);
  // If several workers have an item, the later ones got it because nothing better was left.
  std::map<std::uint32_t, campaign::Time> first;
  for (const campaign::Lease& one : leases) first[position(one.item)] = one.taken;
  std::vector<OpenLease> asked;
  for (const campaign::Lease& one : leases) {
    if (asked.size() == most) break;
    const bool later = one.taken > first[position(one.item)];
    const campaign::LeaseReason why = state.items().gold(one.item) ? campaign::LeaseReason::gold
                                      : later                      ? campaign::LeaseReason::waiting
                                                                   : campaign::LeaseReason::chosen;
    asked.push_back(
        {one, state.id(one.item), state.name(one.worker), std::string(campaign::name(why))});
  }
  return asked;
}

void list_asked(const CallPtr& call) {
  const auto limit = call->whole("limit", 20, 1, kMostLeases);
  if (!limit) return call->refuse(limit.error());
  call->look([call, limit = *limit](OpenCampaign& room) {
    return tagged(*call, room, [&]() -> Result<Response> {
      const auto options = room.read([](const State& state) { return state.options(); });
      const auto asked = room.read([&](const State& state) { return newest_leases(state, limit); });
      if (!options || !asked) return tl::unexpected((options ? asked.error() : options.error()));
      JsonList list;
      for (const OpenLease& one : *asked) {
        const auto why = TRY(room->view().explain(one.item, one.worker));
        const auto fields = TRY(room.view().content(one.lease.item));
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
  call->look([call](OpenCampaign& room) {
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
  call->look([call](OpenCampaign& room) {
    return tagged(*call, room, [&] {
      return room.board().and_then([&](const OpenCampaign::Boards& board) {
        return room.read([&](const State& state) {
          std::vector<ClassId> answers;
          std::vector<double> probabilities;
          std::vector<std::optional<ClassId>> truths;
          double squares = 0;
          for (std::uint32_t i = 0; i < board->items.size(); ++i) {
            const auto truth = state.items().truth(ItemId{i});
            if (!truth || state.items().gold(ItemId{i})) continue;
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
                          .number("expected", bin.expected())
                          .number("right", bin.observed())
                          .end());
          }
          return json_response(
              JsonObject()
                  .whole("items", answers.size())
                  .number("accuracy", all.observed())
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
        .summary = "Expected accuracy over the number of labels, in at most 500 points",
        .handle = curve,
        .response = object({{"points", list(ref("Point"))}}),
        .tagged = true},
       {.method = Method::get,
        .pattern = one + "/map",
        .access = Access::owner,
        .name = "map",
        .summary = "Count items, except gold, by the probability of their answer and their labels",
        .handle = map,
        .response = object({{"certainty", list(share(), "Edges of the rows")},
                            {"labels", list(whole(), "Edges of the columns")},
                            {"open", list(list(whole()))},
                            {"settled", list(list(whole()))}}),
        .tagged = true},
       {.method = Method::get,
        .pattern = one + "/asked",
        .access = Access::owner,
        .name = "list_asked",
        .summary = "List open leases, the newest first, and why each item was chosen",
        .handle = list_asked,
        .response = object(
            {{"asked",
              list(object(
                  {{"item", text()},
                   {"worker", text()},
                   {"since", time()},
                   {"expires", time()},
                   {"price", money()},
                   {"fields", anything()},
                   {"why", object({{"reason", word({"chosen", "gold", "waiting"})},
                                   {"value",
                                    or_null(number("The policy's index for this item and worker"))},
                                   {"outlook", table(object({{"chance", share()},
                                                             {"then", probabilities}}))}})},
                   {"probabilities", probabilities}}))}}),
        .query = {{"limit", whole_from(1, kMostLeases), "Default: 20"}},
        .tagged = true},
       {.method = Method::get,
        .pattern = one + "/rate",
        .access = Access::owner,
        .name = "rate",
        .summary = "Labels per minute over the last hour",
        .handle = rate,
        .response = object({{"minutes", list(object({{"time", time()}, {"labels", whole()}}))}})},
       {.method = Method::get,
        .pattern = one + "/calibration",
        .access = Access::owner,
        .name = "calibration",
        .summary = "Calibration: compare stated probabilities with the share of right answers",
        .handle = calibration,
        .response = object(
            {{"items", whole()},
             {"accuracy", or_null(share())},
             {"brier", or_null(share("Mean squared difference between the probability of an answer "
                                     "and 1 if it is right, else 0"))},
             {"expected_calibration_error", or_null(share())},
             {"bins", list(object({{"low", share()},
                                   {"high", share()},
                                   {"items", whole()},
                                   {"expected", or_null(share())},
                                   {"right", or_null(share())}}))}}),
        .tagged = true}});
}

}  // namespace allot::serve
