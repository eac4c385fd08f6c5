// Where the labels of a crowd experiment come from in one run, and what is true.
#pragma once

#include <unordered_map>

#include "allot/sim/crowd_experiment.hpp"

namespace allot::sim {

class CrowdWorld {
 public:
  virtual ~CrowdWorld() = default;
  virtual policy::Offers offers() const = 0;
  virtual Label label(const policy::Pair& pair) const = 0;
  /// Nothing where the truth is not known.
  virtual std::optional<ClassId> truth(std::uint32_t item) const = 0;
};

std::unique_ptr<CrowdWorld> make_world(const CrowdExperiment& experiment, std::uint64_t run);

std::uint32_t item_count(const CrowdExperiment& experiment);
std::uint32_t worker_count(const CrowdExperiment& experiment);
/// Pairs that can be asked.
std::uint64_t pair_count(const CrowdExperiment& experiment);

}  // namespace allot::sim
