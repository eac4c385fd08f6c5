// Policies compared on labels that are simulated or played back.
//
// An experiment says where labels come from (its world), what is believed about items and workers,
// and the plan: policies, budgets, prices, runs. Which model of the items applies follows from the
// beliefs, and with it the form that policies need (form_of).
//
// Workers alike. In every run the true soft labels are drawn (or given), and the k-th label of an
// item is the same whichever policy asks for it, so that policies differ by their choices and not
// by luck. Multi-class items: theta ~ Dirichlet, a label is class c with chance theta_c, and the
// class with the largest theta is true [CLZ sec:multi]. In a replay the k-th label of an item is
// the k-th of its recorded ones in an order drawn for the run. Items with features can only be
// played back: nothing says how features and labels should go together.
//
// Workers who differ. A simulated worker j says what a perfect one would with probability rho_j,
// else any other class; the label of a pair is the same whichever policy asks for it, and each pair
// is asked at most once. A replay answers with the recorded label, and only recorded pairs can be
// asked. In a push market the policy chooses the pair; in a pull market a worker arrives, drawn
// among those who have labels left, and the policy chooses the item [CLZ sec:worker]. A worker is
// not asked once the remaining money cannot cover their price, and a run ends when nobody who could
// be asked can be paid.
//
// All random numbers follow from the seed, the run and the item: the results do not depend on the
// number of threads, nor on which other policies or budgets are compared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "allot/aggregate/registry.hpp"
#include "allot/base/progress.hpp"
#include "allot/base/result.hpp"
#include "allot/model/contextual.hpp"
#include "allot/model/crowd.hpp"
#include "allot/model/features.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/model/prior_fit.hpp"
#include "allot/model/soft_labels.hpp"
#include "allot/policy/policy.hpp"
#include "allot/policy/stop_rules.hpp"
#include "allot/sim/recording.hpp"
#include "allot/sim/row.hpp"

namespace allot::sim {

/// Labels to be simulated.
struct Simulation {
  /// Number of items; at least 1.
  std::uint32_t item_count = 0;
  /// Number of workers; 0 where workers are alike, with any number of labels per item.
  std::uint32_t worker_count = 0;
  /// The soft labels of binary items, or the distribution that they are drawn from.
  model::SoftLabels truth = model::Prior::uniform();
  /// The reliabilities of workers, or the distribution that they are drawn from.
  model::SoftLabels reliability = model::Prior::uniform();
  /// Instead of `truth`, for multi-class items: the distribution of their soft labels.
  std::optional<model::DirichletPrior> class_truth = std::nullopt;
  /// Instead of `reliability`, where workers are of different types: one distribution per worker.
  std::vector<model::Prior> reliabilities = {};
  /// Group of each worker, from 1 on; 0 for workers alone. Members of a group repeat its view of
  /// an item with the chance in `repeats`. The view is a label as reliable as the members are on
  /// average. Both have one value per worker, or none if all workers are alone.
  std::vector<std::uint32_t> groups = {};
  /// Chance of each worker to repeat the view of their group.
  std::vector<double> repeats = {};
  /// By how much the log-odds that a worker states for a label are larger if it is right: 0 for
  /// confidences that say nothing, negative for inverted ones. Nothing if workers state none.
  std::optional<double> confidence_gap = {};
};

/// Beliefs about items that do not tell workers apart.
struct AlikeWorkers {
  /// Prior of every item for the policies and the answers: binary, or multi-class. With two classes
  /// both give the same choices.
  std::variant<model::Prior, model::DirichletPrior> prior = model::Prior::uniform();
  /// Whether a binary prior is learned from the labels, and how. The policies then believe `prior`
  /// until the first estimate and start over with every other; the answers come from all labels of
  /// the budget.
  std::optional<model::PriorLearning> learn = {};
  /// Features of recorded items, one row per item. Instead of `prior` there is one logistic model
  /// of all items, or one per class if there are more than two.
  std::shared_ptr<const model::Design> design = nullptr;
  /// Options of the logistic model; they count only with `design`.
  model::ContextualOptions features = {};
  /// Multiply-adds per decision among items with features (policy::FeatureSearch).
  double decision_cost = 2e8;
};

/// Side that chooses the worker. `push`: the policy; `pull`: workers arrive at random and the
/// policy chooses the item.
enum class Marketplace { push, pull };

/// Beliefs about items and about each worker.
struct DifferingWorkers {
  /// Market in which the policies are compared.
  Marketplace marketplace = Marketplace::push;
  /// Priors of items and workers, and how beliefs change; a Dirichlet prior for multi-class items.
  model::CrowdOptions beliefs = {};
  /// Turns the collected labels into answers, with a seed that each run has of its own; the
  /// policy's own way if empty.
  aggregate::SeededMethod final_answers = {};
};

/// Policies to compare, and the labels, beliefs, budgets and runs to compare them with.
struct Experiment {
  /// Source of the labels: simulated, or recorded and played back.
  std::variant<Simulation, std::shared_ptr<const Recording>> world = Simulation{};
  /// Beliefs of the policies: workers are alike, or each has a reliability of their own.
  std::variant<AlikeWorkers, DifferingWorkers> workers = AlikeWorkers{};
  /// Policies to compare, in the order of the rows. Each must have the form form_of(experiment).
  std::vector<std::shared_ptr<const policy::Policy>> policies = {};
  /// Budgets in labels; at most as many as the world has. Each gets a row for every policy.
  std::vector<std::uint64_t> budgets = {};
  /// Budgets in money, instead of `budgets`. Where prices differ every budget has runs of its own,
  /// because what is left of a small one goes to the workers it can pay.
  std::vector<Money> money = {};
  /// The price of a label: one for all, or one per worker; 1 if empty.
  std::vector<Money> prices = {};
  std::uint32_t runs = 20;    ///< runs per policy and budget; at least 1
  std::uint64_t seed = 1;     ///< source of all random numbers
  std::uint32_t threads = 1;  ///< most threads to use; at least 1
  /// Rules that end a run before its budget is spent. The worth of labels can end it only where
  /// items are binary and have no features.
  policy::StopRules stop = {};
};

/// Number of items, simulated or recorded.
std::uint32_t item_count(const Experiment& experiment);
/// Number of classes of the labels; 2 for binary items.
std::uint32_t class_count(const Experiment& experiment);
/// The form that the policies of the experiment must have.
policy::Form form_of(const Experiment& experiment);

/// One row per policy and budget, in the order given. Fails if a policy cannot be started, such as
/// dp on a large problem, under a prior that is learned, where items are closed early, or on
/// recorded labels, which can run out; or if an aggregator refuses the labels of a run. Of several
/// refusals that of the first run counts. Throws std::invalid_argument if a policy lacks the form.
/// `progress` counts labels; if it is cancelled, throws Cancelled before the next label. Cost: that
/// of the policies, and O(classes) per simulated label.
Result<std::vector<Row>> run(const Experiment& experiment, Progress* progress = nullptr);

/// The rows with the accuracy of every run.
Result<EachRun> run_each(const Experiment& experiment, Progress* progress = nullptr);

}  // namespace allot::sim
