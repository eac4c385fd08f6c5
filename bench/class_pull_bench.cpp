// The waiting time of an arriving worker where items have 2, 5 or 20 classes: one decision and its
// update. All workers differ, some are poor, and every labelled item has a belief of its own, as
// after a refit.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>
#include <vector>

#include "allot/model/binary_crowd.hpp"
#include "allot/model/label_set.hpp"
#include "allot/model/multiclass_crowd.hpp"
#include "allot/policy/pair_policy.hpp"
#include "allot/policy/registry.hpp"

namespace allot {
namespace {

using policy::Offers;
using policy::Pair;

constexpr std::uint32_t kWorkers = 50;

/// What a crowd with only its present beliefs does not do.
template <typename Crowd>
class PresentCrowd : public Crowd {
 public:
  using Crowd::Crowd;
  void record_known(WorkerId, ClassId, ClassId) override {}
  void revise(ItemId, WorkerId, ClassId, float) override {}
  void revise_known(WorkerId, ClassId, ClassId, ClassId) override {}
  bool review(std::span<const model::KnownChange>) override { return false; }
  void grow(std::uint32_t, std::uint32_t, std::shared_ptr<const model::Design>,
            std::span<const model::Prior>) override {}
  void save(ByteWriter&) const override {}
  void load(ByteReader&) override {}
  std::vector<double> final_probabilities() const override { return {}; }
};

/// Probabilities of the classes of items, and tables of workers: one row per class.
struct Beliefs {
  std::uint32_t classes;
  std::vector<double> items, tables;
};

/// Multiplies the likelihoods of a label in.
void absorb(std::span<double> p, std::span<const double> table, std::uint32_t label) {
  double all = 0;
  for (std::size_t k = 0; k < p.size(); ++k) all += p[k] *= table[k * p.size() + label];
  for (double& share : p) share /= all;
}

std::uint32_t draw_label(std::span<const double> row, Rng& rng) {
  double u = uniform(rng);
  std::uint32_t label = 0;
  while (label + 1 < row.size() && u >= row[label]) u -= row[label++];
  return label;
}

/// Every fourth worker is poor; rows differ.
std::vector<double> some_tables(std::uint32_t classes, Rng& rng) {
  std::vector<double> tables;
  for (std::uint32_t j = 0; j < kWorkers; ++j) {
    const double even = 1.0 / classes;
    const double right = j % 4 == 0 ? even + 0.2 * (1 - even) * uniform(rng)
                                    : std::max(even, 0.55) + 0.4 * uniform(rng);
    for (std::uint32_t k = 0; k < classes; ++k) {
      std::vector<double> row(classes);
      double wrong = 0;
      for (double& share : row) wrong += share = 0.2 + uniform(rng);
      wrong -= row[k];
      const double here = std::min(0.97, right * (0.9 + 0.2 * uniform(rng)));
      for (double& share : row) share *= (1 - here) / wrong;
      row[k] = here;
      tables.insert(tables.end(), row.begin(), row.end());
    }
  }
  return tables;
}

/// `touched` of the items have `labels` labels each, of random workers.
Beliefs some_beliefs(std::uint32_t classes, std::uint32_t items, std::uint32_t touched,
                     std::uint32_t labels, Rng& rng) {
  Beliefs beliefs{classes, {}, some_tables(classes, rng)};
  beliefs.items.assign(std::size_t{items} * classes, 1.0 / classes);
  const std::size_t cells = std::size_t{classes} * classes;
  for (std::uint32_t n = 0; n < touched; ++n) {
    const std::uint32_t item = static_cast<std::uint32_t>(std::uint64_t{n} * items / touched);
    const auto truth = static_cast<std::uint32_t>(below(rng, classes));
    const std::span<double> p(&beliefs.items[std::size_t{item} * classes], classes);
    for (std::uint32_t label = 0; label < labels; ++label) {
      const std::span<const double> table(&beliefs.tables[below(rng, kWorkers) * cells], cells);
      absorb(p, table, draw_label(table.subspan(truth * classes, classes), rng));
    }
    // Refits leave no two items alike.
    double all = 0;
    for (double& share : p) all += share *= 1 + 1e-3 * uniform(rng);
    for (double& share : p) share /= all;
  }
  return beliefs;
}

class SeveralClasses final : public PresentCrowd<model::MulticlassCrowd> {
 public:
  explicit SeveralClasses(Beliefs beliefs) : PresentCrowd(beliefs.classes, false) {
    items_ = std::move(beliefs.items);
    tables_ = std::move(beliefs.tables);
  }
  /// A label also moves one row of the worker's table.
  bool record(ItemId item, WorkerId worker, ClassId label) override {
    const std::span<double> p(&items_[std::size_t{position(item)} * classes_], classes_);
    absorb(p, (*this)[worker], position(label));
    const auto answer = static_cast<std::size_t>(std::ranges::max_element(p) - p.begin());
    double* const row = &tables_[(position(worker) * classes_ + answer) * classes_];
    for (std::uint32_t y = 0; y < classes_; ++y) row[y] *= 0.999;
    row[position(label)] += 0.001;
    return false;
  }
};

class TwoClasses final : public PresentCrowd<model::BinaryCrowd> {
 public:
  explicit TwoClasses(const Beliefs& beliefs)
      : PresentCrowd(std::vector<model::ItemState>(), std::vector<model::WorkerState>()) {
    for (std::size_t i = 0; i < beliefs.items.size(); i += 2) {
      items_.push_back(
          model::ItemState::hard_odds(std::log(beliefs.items[i + 1] / beliefs.items[i])));
    }
    for (std::size_t j = 0; j < beliefs.tables.size(); j += 4) {
      workers_.push_back(worker({beliefs.tables[j + 3], beliefs.tables[j]}));
    }
  }
  bool record(ItemId item, WorkerId given_by, ClassId label) override {
    model::WorkerState& by = workers_[position(given_by)];
    items_[position(item)] = after(items_[position(item)], by.mean, model::to_label(label));
    by = worker({0.999 * by.mean.sensitivity + 0.001 * position(label), by.mean.specificity});
    return false;
  }

 private:
  static model::WorkerState worker(const model::Channel& mean) {
    const auto [s, t] = mean;
    return {mean, s * s, s * t, t * t};
  }
};

std::unique_ptr<model::Crowd> some_crowd(Beliefs beliefs) {
  if (beliefs.classes == 2) return std::make_unique<TwoClasses>(beliefs);
  return std::make_unique<SeveralClasses>(std::move(beliefs));
}

/// Processor time of this thread, without the load of the machine.
double own_us() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

/// How many items are labelled, and how often.
enum class Labelled { some_once, some_thrice, all_thrice };

Beliefs beliefs_of(Labelled labelled, std::uint32_t classes, std::uint32_t items, Rng& rng) {
  const std::uint32_t touched =
      labelled == Labelled::all_thrice ? items : std::min(items / 2, 50'000U);
  return some_beliefs(classes, items, touched, labelled == Labelled::some_once ? 1 : 3, rng);
}

void add_waits(benchmark::State& state, std::vector<double> waits) {
  std::ranges::sort(waits);
  const auto share = [&](double part) {
    return waits[static_cast<std::size_t>(part * static_cast<double>(waits.size() - 1))];
  };
  state.counters["p50_us"] = share(0.5);
  state.counters["p99_us"] = share(0.99);
  state.counters["most_us"] = waits.back();
}

/// Decisions for arriving workers (pull) or for whom the policy likes best (push), each timed
/// together with its update; then the update after a refit.
void decide(benchmark::State& state, std::uint32_t classes, std::uint32_t items, const char* policy,
            Labelled labelled, bool push) {
  Rng rng(1);
  const auto crowd = some_crowd(beliefs_of(labelled, classes, items, rng));
  Offers offers = Offers::everyone(items, kWorkers);
  const auto chooser =
      policy::make_policy(policy, policy::TieBreak::random).value()->start(*crowd, offers);
  const auto next_pair = [&] {
    if (push) return *chooser->choose(rng);
    const WorkerId worker{static_cast<std::uint32_t>(below(rng, kWorkers))};
    return Pair{*chooser->choose(worker, rng), worker};
  };
  std::vector<double> chances(classes);
  const auto step = [&] {
    const double begin = own_us();
    const Pair pair = next_pair();
    const double chosen = own_us();
    for (std::uint32_t y = 0; y < classes; ++y) {
      std::vector<double> after(classes);
      chances[y] = crowd->outcome(pair.item, pair.worker, ClassId{y}, after);
    }
    crowd->record(pair.item, pair.worker, ClassId{draw_label(chances, rng)});
    offers.close(pair);
    const double recorded = own_us();
    chooser->refresh(pair, false);
    return chosen - begin + own_us() - recorded;
  };
  for (std::uint32_t i = 0; i < std::min(items / 10, 2'000U); ++i) step();
  std::vector<double> waits;
  for (auto _ : state) {
    waits.push_back(step());
    state.SetIterationTime(waits.back() / 1e6);
  }
  add_waits(state, waits);
  const double begin = own_us();
  chooser->refresh({}, true);
  state.counters["refit_ms"] = (own_us() - begin) / 1000;
}

#define ALLOT_DECIDE(classes, items, policy, labelled, push)                                     \
  BENCHMARK_CAPTURE(decide, classes, classes, items, policy, Labelled::labelled, push)           \
      ->Name(std::string(push ? "push" : "pull") + "_classes_" policy "_" #labelled "_K:" #items \
                                                   "/C:" #classes)                               \
      ->Iterations(1000)                                                                         \
      ->UseManualTime()
#define ALLOT_DECIDE_CLASSES(items, policy, labelled, push) \
  ALLOT_DECIDE(2, items, policy, labelled, push);           \
  ALLOT_DECIDE(5, items, policy, labelled, push);           \
  ALLOT_DECIDE(20, items, policy, labelled, push)
#define ALLOT_DECIDE_ALL(items, policy)                    \
  ALLOT_DECIDE_CLASSES(items, policy, some_once, false);   \
  ALLOT_DECIDE_CLASSES(items, policy, some_thrice, false); \
  ALLOT_DECIDE_CLASSES(items, policy, all_thrice, false);  \
  ALLOT_DECIDE_CLASSES(items, policy, some_thrice, true)
ALLOT_DECIDE_ALL(10000, "opt-kg");
ALLOT_DECIDE_ALL(10000, "eig");
ALLOT_DECIDE_ALL(200000, "opt-kg");
ALLOT_DECIDE_ALL(200000, "eig");
ALLOT_DECIDE_ALL(200000, "even-kg");
ALLOT_DECIDE_ALL(1000000, "opt-kg");
ALLOT_DECIDE_ALL(1000000, "eig");
ALLOT_DECIDE_ALL(1000000, "even-kg");
ALLOT_DECIDE_CLASSES(200000, "kg", some_thrice, false);

}  // namespace
}  // namespace allot
