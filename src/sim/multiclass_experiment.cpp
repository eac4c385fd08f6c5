#include "allot/sim/multiclass_experiment.hpp"

#include <span>

#include "allot/aggregate/multiclass_vote.hpp"
#include "allot/model/contextual_classes.hpp"
#include "allot/model/soft_labels.hpp"
#include "sim/alike_runner.hpp"

namespace allot::sim {
namespace {

using model::Contextual;
using model::ContextualClasses;
using model::MulticlassBeliefs;
using policy::ContextualPolicy;
using policy::MulticlassPolicy;

ClassId largest(std::span<const double> shares) {
  const auto best = std::ranges::max_element(shares);
  return ClassId{static_cast<std::uint32_t>(best - shares.begin())};
}

/// Labels drawn from shares of classes; the class with the largest is true.
class SimulatedClasses {
 public:
  SimulatedClasses(const model::DirichletPrior& truth, std::uint32_t item_count, std::uint64_t seed,
                   std::uint64_t run)
      : seed_(seed),
        run_(run),
        class_count_(truth.class_count()),
        theta_(model::soft_labels(truth, item_count, seed, run)) {}

  ClassId label(ItemId item, std::uint32_t nth) const {
    const Rng labels(seed_, Rng::Purpose::label, run_, position(item));
    const std::span<const double> theta = shares(position(item));
    double rest = unit_interval(labels.at(nth));
    std::uint32_t one = 0;
    while (one + 1 < class_count_ && rest >= theta[one]) rest -= theta[one++];
    return ClassId{one};
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

class SeveralClassesModel {
 public:
  SeveralClassesModel(const MulticlassExperiment& experiment, const SeveralClasses& classes)
      : experiment_(experiment), classes_(classes) {}

  const auto& policies() const { return classes_.policies; }
  MulticlassBeliefs beliefs() const { return {experiment_.item_count, classes_.prior}; }
  SimulatedClasses simulated(std::uint64_t run) const {
    return {classes_.truth, experiment_.item_count, experiment_.seed, run};
  }

  static bool depends_on_budget(const MulticlassPolicy& policy) {
    return policy.depends_on_budget();
  }
  static bool plans(const MulticlassPolicy& policy, std::uint64_t) { return !policy.ranking(); }
  static auto start(const MulticlassPolicy& policy, const MulticlassBeliefs& beliefs,
                    std::uint64_t budget) {
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
  const MulticlassExperiment& experiment_;
  const SeveralClasses& classes_;
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
  if (positive >= 0.5) return {model::to_class(Label::positive), positive};
  return {model::to_class(Label::negative), 1 - positive};
}
std::pair<ClassId, double> answer(const ContextualClasses& belief, ItemId item) {
  const std::vector<double> probabilities = belief.probabilities(item);
  const ClassId best = largest(probabilities);
  return {best, probabilities[position(best)]};
}

/// Belief is Contextual or ContextualClasses. Every run starts from a copy of one: the rows of the
/// design are looked through once.
template <typename Belief>
class FeaturesModel {
 public:
  FeaturesModel(const WithFeatures& features, Belief belief)
      : features_(features), belief_(std::move(belief)) {}

  const auto& policies() const { return features_.policies; }
  const Belief& beliefs() const { return belief_; }

  static bool depends_on_budget(const ContextualPolicy&) { return false; }
  static bool plans(const ContextualPolicy&, std::uint64_t) { return false; }
  static Result<std::unique_ptr<policy::Chooser>> start(const ContextualPolicy& policy,
                                                        const Belief& belief, std::uint64_t) {
    return policy.start(belief);
  }
  static void record(Belief& belief, ItemId item, ClassId label) {
    record_class(belief, item, label);
  }
  static constexpr bool kLabelsMoveAll = true;
  static double error(const Belief& belief, ItemId item) { return 1 - answer(belief, item).second; }
  static Answers answers(const Belief& belief) {
    Answers result{{}, {}, 0};
    for (std::uint32_t i = 0; i < belief.item_count(); ++i) {
      const auto [one, probability] = answer(belief, ItemId{i});
      result.classes.push_back(one);
      result.probabilities.push_back(probability);
      result.expected_accuracy += probability;
    }
    result.expected_accuracy /= belief.item_count();
    return result;
  }

 private:
  const WithFeatures& features_;
  const Belief belief_;
};

constexpr std::string_view kName = "sim::run";

Result<std::vector<Row>> run_model(const MulticlassExperiment& experiment,
                                   const SeveralClasses& classes, Progress* progress) {
  check_alike(experiment, classes.prior.class_count());
  if (!experiment.recording) {
    require(classes.truth.class_count() == classes.prior.class_count(), kName,
            "number of classes of the truth", classes.truth.class_count(),
            "expected that of the prior");
  }
  return rows_alone(run_alike(experiment, SeveralClassesModel(experiment, classes), progress));
}

Result<std::vector<Row>> run_model(const MulticlassExperiment& experiment,
                                   const WithFeatures& features, Progress* progress) {
  require(experiment.recording != nullptr, kName, "recording", 0,
          "expected one: labels of items with features cannot be simulated");
  require(features.design != nullptr, kName, "design", 0, "expected one");
  check_alike(experiment, features.class_count);
  require(features.design->item_count == experiment.item_count, kName, "item_count of the design",
          features.design->item_count, "expected that of the recording");
  if (features.class_count == 2) {
    const Contextual belief(*features.design, features.options);
    return rows_alone(run_alike(experiment, FeaturesModel(features, belief), progress));
  }
  const ContextualClasses belief(*features.design, features.class_count, features.options);
  return rows_alone(run_alike(experiment, FeaturesModel(features, belief), progress));
}

}  // namespace

Result<std::vector<Row>> run(const MulticlassExperiment& experiment, Progress* progress) {
  require(!experiment.stop.worth, kName, "worth of a right answer",
          experiment.stop.worth.value_or(Money()).value(), "expected none but of yes/no items");
  return std::visit([&](const auto& one) { return run_model(experiment, one, progress); },
                    experiment.model);
}

}  // namespace allot::sim
