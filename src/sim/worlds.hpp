// The labels of one run, simulated or played back, and the truth.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "allot/policy/offers.hpp"
#include "allot/sim/experiment.hpp"

namespace allot::sim {

/// Items with soft labels, and labels drawn from them. A binary item is positive if its soft label
/// is at least 1/2; of several classes the one with the largest share is true.
class SimulatedItems {
 public:
  SimulatedItems(const Simulation& simulation, std::uint64_t seed, std::uint64_t run);

  /// Label `nth` of an item, by a worker who says what a perfect one would with probability `rho`,
  /// else any other class.
  ClassId label(ItemId item, std::uint32_t nth, double rho = 1) const;
  /// Number from 0 to 1 behind the label `nth` of an item.
  double draw(ItemId item, std::uint32_t nth) const;
  static bool has(ItemId, std::uint32_t) { return true; }
  const std::vector<std::optional<ClassId>>& truth() const { return truth_; }

 private:
  std::uint64_t seed_, run_;
  std::uint32_t shares_ = 1;   // per item: that of the positive class, or one per class
  std::vector<double> theta_;  // item by item
  std::vector<std::optional<ClassId>> truth_;
};

/// Each item's recorded labels in an order drawn for the run.
class RecordedItems {
 public:
  RecordedItems(const Recording& recording, std::uint64_t seed, std::uint64_t run);

  ClassId label(ItemId item, std::uint32_t nth) const { return labels_[position(item)][nth]; }
  bool has(ItemId item, std::uint32_t nth) const { return nth < labels_[position(item)].size(); }
  const std::vector<std::optional<ClassId>>& truth() const { return recording_.truth; }

 private:
  const Recording& recording_;
  std::vector<std::vector<ClassId>> labels_;
};

/// The labels of workers who differ.
class CrowdWorld {
 public:
  virtual ~CrowdWorld() = default;
  virtual policy::Offers offers() const = 0;
  virtual ClassId label(const policy::Pair& pair) const = 0;
  /// How sure the worker is of that label; model::kNoConfidence if they do not tell.
  virtual float confidence(const policy::Pair& pair) const = 0;
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
