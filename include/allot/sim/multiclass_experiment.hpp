// Policies compared on items of several classes and on items with features, where workers are
// alike. Runs, labels and rows are those of experiment.hpp: the k-th label of an item is the same
// whichever policy asks for it, and all random numbers follow from the seed, the run and the item.
//
// Items of several classes can be simulated: theta ~ Dirichlet, a label is class c with chance
// theta_c, and the class with the largest theta is true [CLZ sec:multi]. Items with features are
// played back, because nothing says how features and labels should go together.
//
// Cost: that of the policies, and O(C) a simulated label.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "allot/base/progress.hpp"
#include "allot/base/result.hpp"
#include "allot/model/contextual.hpp"
#include "allot/model/features.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/policy/contextual_policy.hpp"
#include "allot/policy/multiclass_policy.hpp"
#include "allot/policy/stop_rules.hpp"
#include "allot/sim/recording.hpp"
#include "allot/sim/row.hpp"

namespace allot::sim {

/// Counts of labels under a Dirichlet prior. With two classes the choices are those of
/// experiment.hpp; of two equally probable answers it is the first here, the second there.
struct SeveralClasses {
  /// Of simulated labels; as many classes as the prior.
  model::DirichletPrior truth;
  /// What the policies and the answers believe at the start.
  model::DirichletPrior prior;
  std::vector<std::shared_ptr<const policy::MulticlassPolicy>> policies;
};

/// One logistic model of all items, or one a class if there are more than two.
struct WithFeatures {
  /// One row an item.
  std::shared_ptr<const model::Design> design;
  std::uint32_t class_count = 2;
  model::ContextualOptions options = {};
  std::vector<std::shared_ptr<const policy::ContextualPolicy>> policies;
};

struct MulticlassExperiment {
  std::uint32_t item_count = 0;
  /// Labels to be played back instead of simulated ones, with as many classes as the model; budgets
  /// cannot exceed their number.
  std::shared_ptr<const Recording> recording = nullptr;
  /// In labels. Each gets a row for every policy.
  std::vector<std::uint64_t> budgets;
  std::variant<SeveralClasses, WithFeatures> model;
  std::uint32_t runs = 20;
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;
  /// What ends a run before its budget is spent; not by the worth of labels, which have no price
  /// known here.
  policy::StopRules stop = {};
  /// Of a label.
  Money price = kUnitPrice;
};

/// One row a policy and budget, in the order given. Fails if a policy cannot be started, such as dp
/// on a large problem or on recorded labels, which can run out. `progress` counts labels.
Result<std::vector<Row>> run(const MulticlassExperiment& experiment, Progress* progress = nullptr);

}  // namespace allot::sim
