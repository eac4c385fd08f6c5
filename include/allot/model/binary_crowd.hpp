// Beliefs about binary items and their workers, stored as one small state each.
//
// The base class of all binary crowds. It reads everything that a Crowd is asked about beliefs from
// the states; a derived class says how labels change them.
#pragma once

#include <span>
#include <vector>

#include "allot/model/crowd.hpp"
#include "allot/model/item_state.hpp"
#include "allot/model/worker_state.hpp"

namespace allot::model {

/// Base class of crowds with binary items: one ItemState per item, one WorkerState per worker.
class BinaryCrowd : public Crowd {
 public:
  std::uint32_t item_count() const final { return static_cast<std::uint32_t>(items_.size()); }
  std::uint32_t worker_count() const final { return static_cast<std::uint32_t>(workers_.size()); }
  std::uint32_t class_count() const final { return 2; }

  /// Belief about the item. The next label can change it.
  const ItemState& operator[](ItemId item) const { return items_[position(item)]; }
  /// Belief about the worker. The next label can change it.
  const WorkerState& operator[](WorkerId worker) const { return workers_[position(worker)]; }
  /// Beliefs about all items, by id. Valid until items are added.
  std::span<const ItemState> items() const { return items_; }

  double error(ItemId item) const final;
  using Crowd::probabilities;
  void probabilities(ItemId item, std::span<double> out) const final;
  bool has_soft_labels() const final { return items_.empty() || items_.front().soft; }
  void likelihood(WorkerId worker, ClassId label, std::span<double> out) const final;
  double outcome(ItemId item, WorkerId worker, ClassId label, std::span<double> out) const final;
  Reliability reliability(WorkerId worker, std::uint32_t labels) const final;
  const BinaryCrowd* binary() const final { return this; }

 protected:
  /// Crowd without items and workers; the derived class fills in the states.
  BinaryCrowd() = default;
  /// Crowd with the given states before the first label.
  BinaryCrowd(std::vector<ItemState> items, std::vector<WorkerState> workers)
      : items_(std::move(items)), workers_(std::move(workers)) {}

  std::vector<ItemState> items_;      ///< beliefs about items, by id
  std::vector<WorkerState> workers_;  ///< beliefs about workers, by id
};

/// Probabilities of both classes of each item, as Crowd::final_probabilities returns them.
std::vector<double> class_probabilities(std::span<const ItemState> items);

}  // namespace allot::model
