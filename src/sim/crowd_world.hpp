// Where the labels of a crowd experiment come from in one run, and what is true.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "allot/sim/crowd_experiment.hpp"

namespace allot::sim {

class CrowdWorld {
 public:
  virtual ~CrowdWorld() = default;
  virtual policy::Offers offers() const = 0;
  virtual ClassId label(const policy::Pair& pair) const = 0;
  /// Item by item; nothing where it is not known.
  virtual std::span<const std::optional<ClassId>> truth() const = 0;
};

/// The world of every run. A recording is the same in all of them and is looked through once, here.
class Worlds {
 public:
  /// The experiment must outlive this object.
  explicit Worlds(const CrowdExperiment& experiment);
  std::shared_ptr<const CrowdWorld> of_run(std::uint64_t run) const;

 private:
  const CrowdExperiment& experiment_;
  std::shared_ptr<const CrowdWorld> recorded_;  // null: simulated
};

std::uint32_t item_count(const CrowdExperiment& experiment);
std::uint32_t worker_count(const CrowdExperiment& experiment);
std::uint32_t class_count(const CrowdExperiment& experiment);
/// Pairs that can be asked.
std::uint64_t pair_count(const CrowdExperiment& experiment);
/// The most labels that each budget can buy.
std::vector<std::uint64_t> label_budgets(const CrowdExperiment& experiment);

}  // namespace allot::sim
