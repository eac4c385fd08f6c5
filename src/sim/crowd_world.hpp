// The labels of workers who differ in one run, and the truth.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "allot/policy/offers.hpp"
#include "allot/sim/experiment.hpp"

namespace allot::sim {

class CrowdWorld {
 public:
  virtual ~CrowdWorld() = default;
  virtual policy::Offers offers() const = 0;
  virtual ClassId label(const policy::Pair& pair) const = 0;
  /// The truth, item by item; nothing where it is not known.
  virtual std::span<const std::optional<ClassId>> truth() const = 0;
};

/// The world of every run. A recording is the same in all of them and is looked through once, here.
class Worlds {
 public:
  /// The experiment must outlive this object.
  explicit Worlds(const Experiment& experiment);
  std::shared_ptr<const CrowdWorld> of_run(std::uint64_t run) const;

 private:
  const Experiment& experiment_;
  std::shared_ptr<const CrowdWorld> recorded_;  // null: simulated
};

}  // namespace allot::sim
