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

sim::Experiment alike(const Settings& settings, const Shape& truth, const Shape& prior,
                      const std::vector<std::string>& policies) {
  return {.world = sim::Simulation{.item_count = kItems, .truth = truth.prior()},
          .workers = sim::AlikeWorkers{.prior = prior.prior()},
          .policies = policies_named(policies, policy::TieBreak::random),
          .budgets = usual_budgets(kItems),
          .runs = settings.runs,
          .seed = settings.seed,
          .threads = settings.threads};
}

sim::Experiment differing(const Settings& settings, const Shape& reliability,
                          const Shape& worker_prior, const std::vector<std::string>& policies) {
  sim::DifferingWorkers workers;
  workers.beliefs = {model::Prior::uniform(), worker_prior.prior(), model::Coins::one,
                     model::Refit::off};
  return {.world = sim::Simulation{.item_count = kItems,
                                   .worker_count = kWorkers,
                                   .reliability = reliability.prior()},
          .workers = workers,
          .policies = policies_named(policies, policy::TieBreak::random),
          .budgets = usual_budgets(kItems),
          .runs = settings.runs,
          .seed = settings.seed,
          .threads = settings.threads};
}

sim::Experiment with_beliefs(sim::Experiment experiment, const model::CrowdOptions& beliefs) {
  std::get<sim::DifferingWorkers>(experiment.workers).beliefs = beliefs;
  return experiment;
}

Parameter ties_parameter() {
  return {"ties",
          "indices within a relative 1e-12 of the best are tied; one of them is drawn at random"};
}

}  // namespace allot::reproduce
