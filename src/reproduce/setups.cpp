#include "reproduce/setups.hpp"

#include <fmt/format.h>

#include "allot/policy/registry.hpp"

namespace allot::reproduce {

std::string Shape::text() const { return fmt::format("Beta({:g},{:g})", a, b); }
std::string Shape::option() const { return fmt::format("beta:{:g},{:g}", a, b); }

std::vector<std::uint64_t> usual_budgets(std::uint32_t items) {
  std::vector<std::uint64_t> budgets;
  for (std::uint64_t labels = 2; labels <= 20; ++labels) budgets.push_back(labels * items);
  return budgets;
}

std::vector<std::shared_ptr<const policy::Policy>> policies_named(
    const std::vector<std::string>& names, policy::TieBreak ties) {
  std::vector<std::shared_ptr<const policy::Policy>> policies;
  for (const std::string& name : names) policies.push_back(policy::make_policy(name, ties).value());
  return policies;
}

std::vector<std::shared_ptr<const policy::PairPolicy>> pair_policies_named(
    const std::vector<std::string>& names, policy::TieBreak ties) {
  std::vector<std::shared_ptr<const policy::PairPolicy>> policies;
  for (const std::string& name : names)
    policies.push_back(policy::make_pair_policy(name, ties).value());
  return policies;
}

sim::Experiment alike(const Settings& settings, const Shape& truth, const Shape& prior,
                      const std::vector<std::string>& policies) {
  return {.item_count = kItems,
          .budgets = usual_budgets(kItems),
          .truth = truth.prior(),
          .prior = prior.prior(),
          .policies = policies_named(policies, policy::TieBreak::random),
          .runs = settings.runs,
          .seed = settings.seed,
          .threads = settings.threads};
}

sim::CrowdExperiment differing(const Settings& settings, const Shape& reliability,
                               const Shape& worker_prior,
                               const std::vector<std::string>& policies) {
  sim::CrowdExperiment experiment;
  experiment.world =
      sim::SimulatedCrowd{kItems, kWorkers, model::Prior::uniform(), reliability.prior()};
  experiment.beliefs = {model::Prior::uniform(), worker_prior.prior(), model::Coins::one,
                        model::Refit::off};
  experiment.budgets = usual_budgets(kItems);
  experiment.policies = pair_policies_named(policies, policy::TieBreak::random);
  experiment.runs = settings.runs;
  experiment.seed = settings.seed;
  experiment.threads = settings.threads;
  return experiment;
}

Parameter ties_parameter() {
  return {"ties", "indices within a relative 1e-12 are equal; one of them is drawn at random"};
}

}  // namespace allot::reproduce
