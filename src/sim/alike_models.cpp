// Experiments where workers are alike: the models of items, and their runs.
#include <array>

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

/// What models share that count the labels of each item.
template <typename Beliefs>
struct CountingModel {
  static auto start(const Policy& policy, const Beliefs& beliefs, std::uint64_t budget) {
    return policy.start(beliefs, budget);
  }
  static constexpr bool kLabelsMoveAll = false;
  static double error(const Beliefs& beliefs, ItemId item) {
    return model::error_probability(beliefs[item]);
  }
};

/// Binary items: counts of labels under a prior.
class BinaryModel : public CountingModel<Beliefs> {
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
    Answers result{{}, {}, aggregate::expected_accuracy(answers)};
    for (const auto& [label, probability] : answers) {
      result.classes.push_back(model::to_class(label));
      result.probabilities.push_back(probability);
    }
    return result;
  }

  const Experiment& experiment_;
  const model::Prior& prior_;
  const std::optional<model::PriorLearning>& learn_;
  std::shared_ptr<policy::WorthRegion> region_;  // none without the rule of worth
};

/// Multi-class items: counts of labels under a Dirichlet prior.
class MulticlassModel : public CountingModel<MulticlassBeliefs> {
 public:
  MulticlassModel(const Experiment& experiment, const AlikeWorkers& workers)
      : experiment_(experiment), prior_(std::get<model::DirichletPrior>(workers.prior)) {}

  MulticlassBeliefs beliefs() const { return {item_count(experiment_), prior_}; }
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

/// The answer to an item and the probability that it is right.
std::pair<ClassId, double> answer(std::span<const double> probabilities) {
  const ClassId best = model::best_class(probabilities);
  return {best, probabilities[position(best)]};
}
std::pair<ClassId, double> answer(const Contextual& belief, ItemId item) {
  const double positive = belief.prob_positive(item);
  return answer(std::array{1 - positive, positive});
}
std::pair<ClassId, double> answer(const ContextualClasses& belief, ItemId item) {
  return answer(belief.probabilities(item));
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
  TRY(runner.check());
  return runner.run();
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
