#include "allot/sim/experiment.hpp"

#include "allot/aggregate/posterior_vote.hpp"
#include "model/prior_learner.hpp"
#include "sim/alike_runner.hpp"

namespace allot::sim {
namespace {

using model::Beliefs;
using policy::Policy;

/// Labels drawn from soft labels; an item is positive if its soft label is at least 1/2.
class SimulatedItems {
 public:
  SimulatedItems(const Experiment& experiment, std::uint64_t run)
      : seed_(experiment.seed),
        run_(run),
        theta_(model::soft_labels(experiment.truth, experiment.item_count, seed_, run)) {}

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

/// Yes/no items: counts of labels under a prior.
class YesNoModel {
 public:
  explicit YesNoModel(const Experiment& experiment) : experiment_(experiment) {
    if (!experiment.stop.worth) return;
    region_ = std::make_shared<policy::WorthRegion>(
        experiment.prior, ratio(experiment.price, *experiment.stop.worth));
  }

  const auto& policies() const { return experiment_.policies; }
  Beliefs beliefs() const { return {experiment_.item_count, experiment_.prior}; }
  SimulatedItems simulated(std::uint64_t run) const { return {experiment_, run}; }

  static bool depends_on_budget(const Policy& policy) { return policy.depends_on_budget(); }
  static bool plans(const Policy& policy, std::uint64_t budget) { return !policy.ranking(budget); }
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
    if (!experiment_.learn) return {};
    return model::PriorLearner(*experiment_.learn, experiment_.item_count);
  }
  Answers answers(const Beliefs& beliefs) const {
    if (!experiment_.learn) return answers_under_prior(beliefs);
    Beliefs learned = beliefs;
    learned.set_prior(model::learned_prior(beliefs, *experiment_.learn));
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
  std::shared_ptr<policy::WorthRegion> region_;  // none if labels may cost what they like
};

}  // namespace

Result<EachRun> run_each(const Experiment& experiment, Progress* progress) {
  check_alike(experiment, 2);
  if (experiment.learn) {
    require(experiment.learn->every > 0, "sim::run", "every", 0, "expected at least 1");
    for (const auto& policy : experiment.policies) {
      if (policy->ranking(std::ranges::max(experiment.budgets))) continue;
      return fail(ErrorCode::invalid_argument,
                  fmt::format("policy '{}' cannot learn the prior: it plans with one that stays",
                              policy->name()));
    }
  }
  return run_alike(experiment, YesNoModel(experiment), progress);
}

Result<std::vector<Row>> run(const Experiment& experiment, Progress* progress) {
  return rows_alone(run_each(experiment, progress));
}

}  // namespace allot::sim
