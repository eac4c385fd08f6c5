// Charts of a campaign: accuracy over labels, items by certainty and number of labels, open leases
// and their reasons, labels per minute, calibration.
//
// Each chart takes one pass over the items at most. The pass is made once per event
// (OpenCampaign::board), and a client that has the current chart gets 304 (ETag).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "allot/aggregate/calibration.hpp"
#include "allot/aggregate/reliability_diagram.hpp"
#include "base/try.hpp"
#include "serve/replies.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Board;
using campaign::State;
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
      .number("bound", point.bound)
      .number("accuracy", point.accuracy)
      .json("calibrated", range_json(point.calibrated))
      .whole("known_answers", point.known_answers);
}

Result<void> curve(const CallPtr& call) {
  return call->report([](OpenCampaign& open) -> Result<Response> {
    const AccuracyPoint now = AccuracyPoint::of(TRY(open->view().status()));
    JsonList points;
    for (const AccuracyPoint& point : open.accuracy_history().points()) {
      if (point.labels < now.labels) points.json(point_json(point));
    }
    points.json(point_json(now));
    return json_response(JsonObject().json("points", points));
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

using Counts = std::vector<std::vector<std::uint64_t>>;

Response map_response(const Board& board, const State& state) {
  std::uint64_t most = 0;
  for (const Board::Item& item : board.items) most = std::max<std::uint64_t>(most, item.labels);
  const auto certainty = certainty_edges(state.options().classes.size());
  const auto labels = label_edges(most);
  Counts open(certainty.size() - 1, std::vector<std::uint64_t>(labels.size() - 1));
  Counts settled = open;
  for (std::uint32_t i = 0; i < board.items.size(); ++i) {
    const Board::Item& item = board.items[i];
    if (state.items().gold(ItemId{i})) continue;
    Counts& counts = state.items().finish_reason(ItemId{i}).empty() ? open : settled;
    ++counts[part_of(certainty, item.probability)][part_of<std::uint64_t>(labels, item.labels)];
  }
  const auto list = [](const auto& values) { return fmt::format("[{}]", fmt::join(values, ", ")); };
  return json_response(JsonObject()
                           .json("certainty", list(certainty))
                           .json("labels", list(labels))
                           .list("open", open, list)
                           .list("settled", settled, list));
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
  for (const campaign::Lease& lease : leases) first[position(lease.item)] = lease.taken;
  std::vector<OpenLease> asked;
  for (const campaign::Lease& lease : leases | std::views::take(most)) {
    const bool later = lease.taken > first[position(lease.item)];
    const auto why = state.items().gold(lease.item) ? campaign::LeaseReason::gold
                     : later                        ? campaign::LeaseReason::waiting
                                                    : campaign::LeaseReason::chosen;
    asked.push_back(
        {lease, state.id(lease.item), state.name(lease.worker), std::string(campaign::name(why))});
  }
  return asked;
}

std::uint64_t labels_of(const campaign::Explanation& why) {
  return static_cast<std::uint64_t>(
      std::ranges::count(why.shares, campaign::PairStatus::labelled, &campaign::Share::status));
}

Result<void> list_asked(const CallPtr& call) {
  const std::uint64_t limit = TRY(call->whole("limit", 20, 1, kMostLeases));
  return call->report([limit](OpenCampaign& open) -> Result<Response> {
    const auto options = TRY(open.read([](const State& state) { return state.options(); }));
    JsonList list;
    for (const OpenLease& asked :
         TRY(open.read([&](const State& state) { return newest_leases(state, limit); }))) {
      const auto why = TRY(open->view().explain(asked.item, asked.worker));
      const auto fields = TRY(open.view().content(asked.lease.item));
      list.json(JsonObject()
                    .text("item", asked.item)
                    .text("worker", asked.worker)
                    .time("since", asked.lease.taken)
                    .time("expires", asked.lease.expires)
                    .money("price", asked.lease.price)
                    .json("fields", fields.empty() ? "{}" : fields)
                    .whole("labels", labels_of(why))
                    .json("why", JsonObject()
                                     .text("reason", asked.why)
                                     .number("value", why.value)
                                     .json("outlook", outlook_json(options, why.outlook)))
                    .json("probabilities", by_class(options, why.probabilities)));
    }
    return json_response(JsonObject().json("asked", list));
  });
}

Result<void> rate(const CallPtr& call) {
  return call->look([call](OpenCampaign& open) -> Result<Response> {
    const campaign::Time now = call->now();
    TRY(open.label_rate().read_on(*open, now));
    const std::int64_t last = LabelRate::minute_of(now);
    return json_response(JsonObject().list(
        "minutes", std::views::iota(last - 59, last + 1), [&](std::int64_t minute) {
          return JsonObject()
              .time("time", campaign::Time(std::chrono::minutes(minute)))
              .whole("labels", open.label_rate().labels(minute));
        }));
  });
}

Response calibration_response(const Board& board, const State& state) {
  std::vector<ClassId> answers;
  std::vector<double> probabilities;
  std::vector<std::optional<ClassId>> truths;
  double squares = 0;
  for (std::uint32_t i = 0; i < board.items.size(); ++i) {
    const auto truth = state.items().truth(ItemId{i});
    if (!truth || state.items().gold(ItemId{i})) continue;
    const Board::Item& item = board.items[i];
    if (!item.answer) continue;
    answers.push_back(*item.answer);
    probabilities.push_back(item.probability);
    truths.push_back(truth);
    const double miss = item.probability - (item.answer == truth ? 1 : 0);
    squares += miss * miss;
  }
  aggregate::Calibration found;
  found.add(answers, probabilities, truths);
  const auto bin_json = [](const aggregate::CalibrationBin& bin) {
    return JsonObject()
        .number("low", bin.from)
        .number("high", bin.to)
        .whole("items", bin.answers)
        .number("expected", bin.expected())
        .number("right", bin.observed());
  };
  return json_response(JsonObject()
                           .whole("items", answers.size())
                           .number("accuracy", found.total().observed())
                           .number("brier", squares / static_cast<double>(answers.size()))
                           .number("expected_calibration_error", found.expected_error())
                           .list("bins", found.bins(), bin_json));
}

Response known_response(const campaign::KnownCalibration& known) {
  std::vector<model::KnownAnswer> answers;
  for (const auto& [stated, labels, right] : known.items)
    answers.push_back({.probabilities = stated, .labels = labels, .right = right});
  const auto bin_json = [](const aggregate::ReliabilityBin& bin) {
    return JsonObject()
        .number("low", bin.stated.from)
        .number("high", bin.stated.to)
        .whole("items", bin.stated.answers)
        .number("expected", bin.stated.expected())
        .number("right", bin.stated.observed())
        .number("right_low", bin.right.low)
        .number("right_high", bin.right.high)
        .number("calibrated", bin.calibrated);
  };
  return json_response(
      JsonObject()
          .whole("known_answers", answers.size())
          .flag("only_drawn", known.only_drawn)
          .list("bins", aggregate::reliability_diagram(answers, known.map), bin_json));
}

Result<void> known_calibration(const CallPtr& call) {
  return call->report([](OpenCampaign& open) -> Result<Response> {
    return open->view().known_calibration().map(known_response);
  });
}

template <Response (*make)(const Board&, const State&)>
Result<void> report_board(const CallPtr& call) {
  return call->report([](OpenCampaign& open) -> Result<Response> {
    const auto board = TRY(open.board());
    return open.read([&](const State& state) { return make(*board, state); });
  });
}

}  // namespace

void add_board_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup owner(routes, kCampaignPath, Access::owner);
  owner.add(get, "/curve", "curve", curve,
            "Expected accuracy over the number of labels, in at most 500 points",
            object({{"points", list(ref("Point"))}}), {.tagged = true});
  owner.add(
      get, "/map", "map", report_board<map_response>,
      "Count items, except gold, by the probability of their most probable class and their labels",
      object({{"certainty", list(share(), "Edges of the rows")},
              {"labels", list(whole(), "Edges of the columns")},
              {"open", list(list(whole()))},
              {"settled", list(list(whole()))}}),
      {.tagged = true});
  const std::string why =
      object({{"reason", word({"chosen", "gold", "waiting"})},
              {"value", or_null(number("The policy's index for this item and worker"))},
              {"outlook", outlook_schema()}});
  owner.add(get, "/asked", "list_asked", list_asked,
            "List open leases, the newest first, and why each item was chosen",
            object({{"asked", list(object({{"item", text()},
                                           {"worker", text()},
                                           {"since", time()},
                                           {"expires", time()},
                                           {"price", money()},
                                           {"fields", anything()},
                                           {"labels", whole("Labels of the item so far")},
                                           {"why", why},
                                           {"probabilities", table(share())}}))}}),
            {.query = {{"limit", whole_from(1, kMostLeases), "Default: 20"}}, .tagged = true});
  owner.add(get, "/rate", "rate", rate, "Labels per minute over the last hour",
            object({{"minutes", list(object({{"time", time()}, {"labels", whole()}}))}}));
  owner.add(get, "/known-answers", "known_answers", known_calibration,
            "Reliability diagram: known answers by stated probability, and how many are right",
            object({{"known_answers", whole("Verdicts and gold items that calibration rests on")},
                    {"only_drawn", flag("Whether only answers that audits drew count")},
                    {"bins", list(object({{"low", share()},
                                          {"high", share()},
                                          {"items", whole()},
                                          {"expected", share("Mean stated probability")},
                                          {"right", share("Share of right answers")},
                                          {"right_low", share("Its 90 % interval: lower end")},
                                          {"right_high", share("Upper end")},
                                          {"calibrated", share("Mean calibrated "
                                                               "probability")}}))}}),
            {.tagged = true});
  owner.add(
      get, "/calibration", "calibration", report_board<calibration_response>,
      "Calibration: compare stated probabilities with the share of right answers, among answers to "
      "items with a truth",
      object({{"items", whole()},
              {"accuracy", or_null(share())},
              {"brier", or_null(share("Mean squared difference between the probability of an "
                                      "answer and 1 if it is right, else 0"))},
              {"expected_calibration_error", or_null(share())},
              {"bins", list(object({{"low", share()},
                                    {"high", share()},
                                    {"items", whole()},
                                    {"expected", or_null(share())},
                                    {"right", or_null(share())}}))}}),
      {.tagged = true});
}

}  // namespace allot::serve
