#include "sim/alike_models.hpp"

#include <array>
#include <span>

#include "allot/aggregate/posterior.hpp"
#include "allot/model/best_class.hpp"
#include "allot/model/contextual.hpp"
#include "model/refit_schedule.hpp"
#include "sim/alike_runner.hpp"

namespace allot::sim {
namespace {

using model::Beliefs;
using model::Contextual;
using model::ContextualClasses;
using model::MulticlassBeliefs;
using policy::Policy;

/// Labels drawn from soft labels; an item is positive if its soft label is at least 1/2.
class SimulatedItems {
 public:
  SimulatedItems(const Simulation& simulation, std::uint64_t seed, std::uint64_t run)
      : seed_(seed),
        run_(run),
        theta_(model::soft_labels(simulation.truth, simulation.item_count, seed, run)) {}

  ClassId label(ItemId item, std::uint32_t nth) const {
    const Rng labels(seed_, Rng::Purpose::label, run_, position(item));
    const bool positive = unit_interval(labels.at(nth)) < theta_[position(item)];
    return model::to_class(positive ? Label::positive : Label::negative);
  }
  static bool has(ItemId, std::uint32_t) { return true; }
  std::vector<std::optional<ClassId>> truth() const {
    std::vector<std::optional<ClassId>> classes;
    classes.reserve(theta_.size());
    for (const double theta : theta_) {
      classes.emplace_back(model::to_class(theta >= 0.5 ? Label::positive : Label::negative));
    }
    return classes;
  }

 private:
  std::uint64_t seed_, run_;
  std::vector<double> theta_;
};

/// Binary items: counts of labels under a prior.
class BinaryModel {
 public:
  BinaryModel(const Experiment& experiment, const AlikeWorkers& workers)
      : experiment_(experiment),
        prior_(std::get<model::Prior>(workers.prior)),
        learn_(workers.learn) {
    if (!experiment.stop.worth) return;
    region_ = std::make_shared<policy::WorthRegion>(
        prior_, ratio(worker_prices(experiment).front(), *experiment.stop.worth));
  }

  Beliefs beliefs() const { return {item_count(experiment_), prior_}; }
  SimulatedItems simulated(std::uint64_t run) const {
    return {std::get<Simulation>(experiment_.world), experiment_.seed, run};
  }

  static auto start(const Policy& policy, const Beliefs& beliefs, std::uint64_t budget) {
    return policy.start(beliefs, budget);
  }
  static void record(Beliefs& beliefs, ItemId item, ClassId label) {
    beliefs.record(item, model::to_label(label));
  }
  static constexpr bool kLabelsMoveAll = false;
  static double error(const Beliefs& beliefs, ItemId item) {
    return model::error_probability(beliefs[item]);
  }
  std::unique_ptr<policy::ItemsWorthAsking> worth(const Beliefs& beliefs) const {
    if (!region_) return nullptr;
    return std::make_unique<policy::ItemsWorthAsking>(beliefs, region_);
  }
  std::optional<model::PriorLearner> learner() const {
    if (!learn_) return {};
    return model::PriorLearner(*learn_, item_count(experiment_));
  }
  Answers answers(const Beliefs& beliefs) const {
    if (!learn_) return answers_under_prior(beliefs);
    Beliefs learned = beliefs;
    learned.set_prior(model::learned_prior(beliefs, *learn_));
    return answers_under_prior(learned);
  }

 private:
  static Answers answers_under_prior(const Beliefs& beliefs) {
    const std::vector<aggregate::Answer> answers = aggregate::posterior_vote(beliefs);
    std::vector<ClassId> classes;
    classes.reserve(answers.size());
    std::vector<double> probabilities;
    probabilities.reserve(answers.size());
    for (const auto& [label, probability] : answers) {
      classes.push_back(model::to_class(label));
      probabilities.push_back(probability);
    }
    return {std::move(classes), std::move(probabilities), aggregate::expected_accuracy(answers)};
  }

  const Experiment& experiment_;
  const model::Prior& prior_;
  const std::optional<model::PriorLearning>& learn_;
  std::shared_ptr<policy::WorthRegion> region_;  // none without the rule of worth
};

ClassId largest(std::span<const double> shares) {
  const auto best = std::ranges::max_element(shares);
  return ClassId{static_cast<std::uint32_t>(best - shares.begin())};
}

/// Labels drawn from shares of classes; the class with the largest is true.
class SimulatedClasses {
 public:
  SimulatedClasses(const Simulation& simulation, std::uint64_t seed, std::uint64_t run)
      : seed_(seed),
        run_(run),
        class_count_(simulation.class_truth->class_count()),
        theta_(model::soft_labels(*simulation.class_truth, simulation.item_count, seed, run)) {}

  ClassId label(ItemId item, std::uint32_t nth) const {
    const Rng labels(seed_, Rng::Purpose::label, run_, position(item));
    const std::span<const double> theta = shares(position(item));
    double rest = unit_interval(labels.at(nth));
    std::uint32_t label = 0;
    while (label + 1 < class_count_ && rest >= theta[label]) rest -= theta[label++];
    return ClassId{label};
  }
  static bool has(ItemId, std::uint32_t) { return true; }
  std::vector<std::optional<ClassId>> truth() const {
    std::vector<std::optional<ClassId>> classes;
    const std::size_t items = theta_.size() / class_count_;
    for (std::size_t i = 0; i < items; ++i) classes.emplace_back(largest(shares(i)));
    return classes;
  }

 private:
  std::span<const double> shares(std::size_t item) const {
    return std::span(theta_).subspan(item * class_count_, class_count_);
  }

  std::uint64_t seed_, run_;
  std::uint32_t class_count_;
  std::vector<double> theta_;  // item by item, class by class
};

/// Multi-class items: counts of labels under a Dirichlet prior.
class MulticlassModel {
 public:
  MulticlassModel(const Experiment& experiment, const AlikeWorkers& workers)
      : experiment_(experiment), prior_(std::get<model::DirichletPrior>(workers.prior)) {}

  MulticlassBeliefs beliefs() const { return {item_count(experiment_), prior_}; }
  SimulatedClasses simulated(std::uint64_t run) const {
    return {std::get<Simulation>(experiment_.world), experiment_.seed, run};
  }

  static auto start(const Policy& policy, const MulticlassBeliefs& beliefs, std::uint64_t budget) {
    return policy.start(beliefs, budget);
  }
  static void record(MulticlassBeliefs& beliefs, ItemId item, ClassId label) {
    beliefs.record(item, label);
  }
  static constexpr bool kLabelsMoveAll = false;
  static double error(const MulticlassBeliefs& beliefs, ItemId item) {
    return model::error_probability(beliefs[item]);
  }
  static Answers answers(const MulticlassBeliefs& beliefs) {
    aggregate::ClassAnswers answers = aggregate::multiclass_vote(beliefs);
    const double promised = aggregate::expected_accuracy(answers).value();
    std::vector<double> probabilities;
    for (std::uint32_t i = 0; i < answers.answers.size(); ++i)
      probabilities.push_back(answers.of(ItemId{i})[position(answers.answers[i])]);
    return {std::move(answers.answers), std::move(probabilities), promised};
  }

 private:
  const Experiment& experiment_;
  const model::DirichletPrior& prior_;
};

void record_class(Contextual& belief, ItemId item, ClassId label) {
  belief.record(item, model::to_label(label));
}
void record_class(ContextualClasses& belief, ItemId item, ClassId label) {
  belief.record(item, label);
}

/// The answer to an item and the probability that it is right.
std::pair<ClassId, double> answer(const Contextual& belief, ItemId item) {
  const double positive = belief.prob_positive(item);
  const std::array probabilities{1 - positive, positive};
  const ClassId best = model::best_class(probabilities);
  return {best, probabilities[position(best)]};
}
std::pair<ClassId, double> answer(const ContextualClasses& belief, ItemId item) {
  const std::vector<double> probabilities = belief.probabilities(item);
  const ClassId best = model::best_class(probabilities);
  return {best, probabilities[position(best)]};
}

/// Items with features. `Belief` is Contextual or ContextualClasses; every run starts from a copy,
/// so that the rows of the design are looked through once.
template <typename Belief>
class FeaturesModel {
 public:
  FeaturesModel(const policy::FeatureSearch& search, Belief belief)
      : search_(search), belief_(std::move(belief)) {}

  const Belief& beliefs() const { return belief_; }

  Result<std::unique_ptr<policy::Chooser>> start(const Policy& policy, const Belief& belief,
                                                 std::uint64_t) const {
    return policy.start(belief, search_);
  }
  static void record(Belief& belief, ItemId item, ClassId label) {
    record_class(belief, item, label);
  }
  static constexpr bool kLabelsMoveAll = true;
  static double error(const Belief& belief, ItemId item) { return 1 - answer(belief, item).second; }
  static Answers answers(const Belief& belief) {
    Answers result{{}, {}, 0};
    for (std::uint32_t i = 0; i < belief.item_count(); ++i) {
      const auto [best, probability] = answer(belief, ItemId{i});
      result.classes.push_back(best);
      result.probabilities.push_back(probability);
      result.expected_accuracy += probability;
    }
    result.expected_accuracy /= belief.item_count();
    return result;
  }

 private:
  const policy::FeatureSearch search_;
  const Belief belief_;
};

/// Refuses policies that plan ahead if the prior is learned.
Result<void> check_learning(const Experiment& experiment, const AlikeWorkers& workers) {
  if (!workers.learn) return {};
  require(workers.learn->every > 0, "sim::run", "every", 0, "expected at least 1");
  for (const auto& policy : experiment.policies) {
    if (!policy->plans_ahead()) continue;
    return fail(ErrorCode::invalid_argument,
                fmt::format("policy '{}' cannot learn the prior: it plans with one that stays",
                            policy->name()));
  }
  return {};
}

template <typename Model>
Result<EachRun> run_model(const Experiment& experiment, const Model& model, Progress* progress) {
  AlikeRunner runner(experiment, model, progress);
  return runner.check().and_then([&] { return runner.run(); });
}

}  // namespace

Result<EachRun> run_alike(const Experiment& experiment, const AlikeWorkers& workers,
                          Progress* progress) {
  TRY(check_learning(experiment, workers));
  if (workers.design) {
    const policy::FeatureSearch search{.cost_limit = workers.decision_cost,
                                       .seed = experiment.seed};
    if (class_count(experiment) == 2) {
      const Contextual belief(*workers.design, workers.features);
      return run_model(experiment, FeaturesModel(search, belief), progress);
    }
    const ContextualClasses belief(*workers.design, class_count(experiment), workers.features);
    return run_model(experiment, FeaturesModel(search, belief), progress);
  }
  if (std::holds_alternative<model::Prior>(workers.prior)) {
    return run_model(experiment, BinaryModel(experiment, workers), progress);
  }
  return run_model(experiment, MulticlassModel(experiment, workers), progress);
}

}  // namespace allot::sim
