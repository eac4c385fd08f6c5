// What a campaign knows about its workers: reliability, agreement, speed, confusion.
#include <algorithm>

#include "allot/campaign/view.hpp"
#include "allot/model/best_class.hpp"
#include "campaign/work.hpp"

namespace allot::campaign {
namespace {

/// Timed labels that a worker needs for a verdict on speed, workers who must have them, and the
/// share of the usual time below which a worker is too fast.
constexpr std::size_t kFewestTimed = 10, kFewestTimedWorkers = 3;
constexpr double kTooFast = 1.0 / 3;

/// 1 if the label is the most frequent one of the other workers; with several most frequent ones,
/// the chance of drawing it among them.
double agreement_with_others(std::vector<std::uint32_t> votes, std::uint32_t label) {
  --votes[label];
  const std::uint32_t most = std::ranges::max(votes);
  if (votes[label] < most) return 0;
  return 1.0 / static_cast<double>(std::ranges::count(votes, most));
}

/// A share of labels.
struct LabelShare {
  double matching = 0;
  std::uint32_t all = 0;

  void add(double one) {
    matching += one;
    ++all;
  }
  std::optional<double> value() const {
    return all == 0 ? std::nullopt : std::optional(matching / all);
  }
};

/// Agreement of one worker with others, and with the answers.
struct WorkerAgreement {
  LabelShare others, answers;
};

std::vector<WorkerAgreement> agreements(Core& core) {
  const State& state = core.state();
  std::vector<WorkerAgreement> agreed(state.worker_count());
  for (std::uint32_t i = 0; i < state.item_count(); ++i) {
    const ItemId item{i};
    if (state.items().gold(item)) continue;
    const auto shares = state.pairs().shares(item);
    if (shares.empty()) continue;
    std::vector<std::uint32_t> votes(state.options().classes.size());
    for (const Share& share : shares) {
      if (share.status == PairStatus::labelled) ++votes[position(share.label)];
    }
    const bool answered = has_answer(state.items(), item);
    const ClassId answer = model::best_class(core.stated(item));
    for (const Share& share : shares) {
      if (share.status < PairStatus::labelled) continue;
      WorkerAgreement& worker = agreed[position(share.worker)];
      if (answered) worker.answers.add(share.label == answer ? 1 : 0);
      if (share.status != PairStatus::labelled || state.items().labels(item) < 2) continue;
      worker.others.add(agreement_with_others(votes, position(share.label)));
    }
  }
  return agreed;
}

/// The middle of the values; with an even number of them, the mean of the two in the middle.
double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Fills in how long workers look at items, and what that pays.
void time_workers(const State& state, std::vector<WorkerRow>& rows) {
  std::vector<double> medians;
  for (std::uint32_t j = 0; j < state.worker_count(); ++j) {
    const WorkerFacts& facts = state[WorkerId{j}];
    if (facts.view_times.empty()) continue;
    rows[j].seconds = median({facts.view_times.begin(), facts.view_times.end()}) / 1000;
    std::uint64_t sum = 0;
    for (const std::uint32_t time : facts.view_times) sum += time;
    const double hours = static_cast<double>(sum) / 3'600'000;
    // In cents: a finer amount would only look exact.
    const double cents = facts.timed_pay.value() / hours * 100;
    constexpr double kMostCents = 1e11;
    if (cents < kMostCents) {
      rows[j].pay_per_hour = Money::billionths(static_cast<std::int64_t>(cents + 0.5) * 10'000'000);
    }
    if (facts.view_times.size() >= kFewestTimed) medians.push_back(*rows[j].seconds);
  }
  if (medians.size() < kFewestTimedWorkers) return;
  const double usual = median(std::move(medians));
  for (std::uint32_t j = 0; j < state.worker_count(); ++j) {
    rows[j].too_fast =
        state[WorkerId{j}].view_times.size() >= kFewestTimed && *rows[j].seconds < kTooFast * usual;
  }
}

}  // namespace

Result<std::vector<WorkerRow>> CampaignView::workers() const {
  return run_look(*source_, [&](Core& core, const State& state) -> Result<std::vector<WorkerRow>> {
    const std::vector<WorkerAgreement> agreed = agreements(core);
    std::vector<WorkerRow> rows;
    for (std::uint32_t j = 0; j < state.worker_count(); ++j) {
      const WorkerId worker{j};
      const WorkerFacts& facts = state[worker];
      const bool counts = facts.standing != Standing::excluded && state.sessions().counts(worker);
      const std::uint32_t counted = counts ? facts.labels : 0;
      const auto [mean, low, high] = interval(core.crowd().reliability(worker, counted));
      rows.push_back({state.name(worker), facts, facts.price.value_or(state.options().price), mean,
                      low, high, agreed[j].others.value(), agreed[j].answers.value()});
      if (facts.follows) rows.back().follows = state.name(*facts.follows);
    }
    time_workers(state, rows);
    return rows;
  });
}

Result<GroupLabels> CampaignView::group_labels() const {
  return run_look(*source_, [&](Core& core, const State& state) -> Result<GroupLabels> {
    GroupLabels result{.groups = state.groups()};
    if (result.groups.names.empty()) return result;
    const auto classes = static_cast<std::uint32_t>(state.options().classes.size());
    result.labels = {state.item_count(), state.worker_count(), classes, {}};
    result.probabilities = core.final_stated();
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      const ItemId item{i};
      result.known.push_back(state.items().known(item).has_value());
      if (const auto gold = state.items().gold(item)) {
        const std::span<double> here(&result.probabilities[std::size_t{i} * classes], classes);
        std::ranges::fill(here, 0);
        here[position(*gold)] = 1;
      }
      for (const Share& share : state.pairs().shares(item)) {
        if (share.status != PairStatus::labelled || !state.sessions().counts(share.worker))
          continue;
        result.labels.labels.push_back({item, share.worker, share.label});
        if (state.pairs().any_confidence()) result.labels.confidences.push_back(share.confidence);
      }
    }
    return result;
  });
}

Result<Confusion> CampaignView::confusion(std::string_view worker) const {
  Confusion counts;
  TRY(run_look(*source_, [&](Core& core, const State& state) -> Result<void> {
    const WorkerId who = TRY(worker_named(state, worker));
    const std::size_t classes = state.options().classes.size();
    counts.assign(classes, std::vector<std::uint32_t>(classes));
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      const ItemId item{i};
      const auto label = state.pairs().label(item, who);
      if (!label || !has_answer(state.items(), item)) continue;
      const ClassId answer =
          state.items().known(item).value_or(model::best_class(core.crowd().probabilities(item)));
      ++counts[position(answer)][position(*label)];
    }
    return {};
  }));
  return counts;
}

}  // namespace allot::campaign
