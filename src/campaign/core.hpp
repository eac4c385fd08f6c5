// A campaign in memory: its state, its beliefs and the next decision, all from its events alone.
#pragma once

#include <optional>

#include "allot/campaign/state.hpp"
#include "allot/store/store.hpp"
#include "campaign/advisor.hpp"

namespace allot::campaign {

class Core {
 public:
  const State& state() const { return state_; }
  Desk& desk() { return advisor_->desk(); }
  /// Whether there are labels that nobody has asked beliefs of yet.
  bool is_behind() const { return advisor_ && advisor_->is_behind(); }
  /// Works out what the next pick needs.
  void prepare() { desk().prepare(); }

  /// Refuses what cannot happen now, and is then unchanged.
  Result<void> apply(const Event& event, Time time);
  /// The same for a record of the store, whose number must be the next.
  Result<void> apply(const store::Record& record);

  struct Pick {
    ItemId item;
    Why why;
    bool operator==(const Pick&) const = default;
  };
  /// What the next event would hand out to the worker. Random numbers follow from the seed and the
  /// number of that event. The refusal says why there is nothing.
  Result<Pick> pick(WorkerId worker);

  store::Snapshot snapshot();
  /// False, and good for nothing, if the snapshot is not of this version or damaged. Frees its
  /// parts as they are read.
  bool load(store::Snapshot&& snapshot);

 private:
  void follow(const Event& event, Bond before, const std::vector<Lease>& ended);
  void update_open(ItemId item);
  bool may_get(ItemId item, WorkerId worker) const;
  std::optional<Pick> pick_gold(WorkerId worker);
  std::optional<ItemId> pick_open(WorkerId worker, Rng& rng);
  std::optional<ItemId> pick_waiting(WorkerId worker, double above, Rng& rng);

  State state_;
  std::optional<Advisor> advisor_;
  std::shared_ptr<const model::Design> next_design_;
};

}  // namespace allot::campaign
