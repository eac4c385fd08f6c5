// The parts of an experiment that tests change.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "allot/policy/registry.hpp"
#include "allot/sim/experiment.hpp"

namespace allot::test {

inline sim::Simulation& simulation_of(sim::Experiment& experiment) {
  return std::get<sim::Simulation>(experiment.world);
}

inline sim::AlikeWorkers& alike_of(sim::Experiment& experiment) {
  return std::get<sim::AlikeWorkers>(experiment.workers);
}

inline sim::DifferingWorkers& crowd_of(sim::Experiment& experiment) {
  return std::get<sim::DifferingWorkers>(experiment.workers);
}

/// An experiment with workers who differ.
inline sim::Experiment crowd_experiment() { return {.workers = sim::DifferingWorkers{}}; }

inline std::vector<std::shared_ptr<const policy::Policy>> policies_named(
    const std::vector<const char*>& names, policy::TieBreak ties = policy::TieBreak::random) {
  std::vector<std::shared_ptr<const policy::Policy>> policies;
  for (const char* name : names) policies.push_back(policy::make_policy(name, ties).value());
  return policies;
}

}  // namespace allot::test
