// Policies compared on workers who differ, simulated or played back.
//
// A simulated worker j says what a perfect one would with probability rho_j, else any other class;
// the label of a pair is the same whichever policy asks for it, and each pair is asked at most
// once. A replay answers with the recorded label, and only recorded pairs can be asked. In a push
// market the policy chooses the pair; in a pull market a worker arrives, drawn among those who have
// labels left, and the policy chooses the item [CLZ sec:worker].
//
// Labels may have prices and the budget may be money: nobody is asked whom the money left cannot
// pay, and a run ends when nobody who could be asked can be paid.
//
// All random numbers follow from the seed and the run: the results do not depend on the number of
// threads, nor on which other policies or budgets are compared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "allot/aggregate/registry.hpp"
#include "allot/base/progress.hpp"
#include "allot/base/result.hpp"
#include "allot/model/crowd.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/model/soft_labels.hpp"
#include "allot/policy/pair_policy.hpp"
#include "allot/policy/stop_rules.hpp"
#include "allot/sim/each_run.hpp"
#include "allot/sim/recording.hpp"
#include "allot/sim/row.hpp"

namespace allot::sim {

enum class Marketplace { push, pull };

struct SimulatedCrowd {
  std::uint32_t item_count = 0;
  std::uint32_t worker_count = 0;
  model::SoftLabels truth;
  /// Where reliabilities come from, or the reliabilities themselves.
  model::SoftLabels reliability;
  /// Instead of `truth`, for items of several classes: the distribution of their soft labels.
  std::optional<model::DirichletPrior> class_truth = std::nullopt;
  /// Instead of `reliability`, where workers are of different types: one distribution a worker.
  std::vector<model::Prior> reliabilities = {};
};

struct CrowdExperiment {
  std::variant<SimulatedCrowd, std::shared_ptr<const Recording>> world;
  Marketplace marketplace = Marketplace::push;
  /// What is believed at the start, and how beliefs change.
  model::CrowdOptions beliefs;
  /// In labels; at most as many as there are pairs to ask. Each gets a row for every policy.
  std::vector<std::uint64_t> budgets = {};
  std::vector<std::shared_ptr<const policy::PairPolicy>> policies;
  /// Turns the collected labels into answers, with a seed that each run has of its own; the
  /// policy's own way if empty.
  aggregate::SeededMethod final_answers = {};
  std::uint32_t runs = 20;
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;
  /// What a label of each worker costs; 1 if empty.
  std::vector<Money> prices = {};
  /// Instead of `budgets`: in money. Where prices differ every budget has runs of its own, because
  /// what is left of a small one goes to whom it can pay.
  std::vector<Money> money = {};
  /// What ends a run before its budget is spent; not by the worth of labels where items are of
  /// several classes or have features, which have no price known here.
  policy::StopRules stop = {};
};

/// One row a policy and budget, in the order given. Fails if an aggregator refuses the labels of a
/// run; no further ones are then begun, and of several refusals that of the first run counts.
/// `progress` counts labels.
Result<std::vector<Row>> run(const CrowdExperiment& experiment, Progress* progress = nullptr);

/// The same with the accuracy of every run.
Result<EachRun> run_each(const CrowdExperiment& experiment, Progress* progress = nullptr);

}  // namespace allot::sim
