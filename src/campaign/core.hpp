// A campaign in memory: its state, its beliefs and the next decision, all from its events alone.
#pragma once

#include <optional>

#include "allot/campaign/state.hpp"
#include "allot/store/store.hpp"
#include "campaign/advisor.hpp"
#include "campaign/stop_watch.hpp"

namespace allot::campaign {

class Core {
 public:
  const State& state() const { return state_; }
  policy::Desk& desk() { return advisor_->desk(); }
  const model::Crowd& crowd() { return desk().crowd(); }
  /// Whether there are labels that nobody has asked beliefs of yet.
  bool is_behind() const { return advisor_ && advisor_->is_behind(); }
  /// Refits that took effect since it was made.
  std::uint64_t refits() const { return advisor_ ? advisor_->refits() : 0; }
  /// As model::Crowd has it.
  void fit_ahead(bool ahead);
  /// Works out what the next pick needs.
  void prepare() { desk().prepare(); }
  /// Works out what the stop rules need.
  void look() { static_cast<void>(sure()); }

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

  /// Whom to ask about what, if one may choose: the most gain for its price among those who can be
  /// paid; the next event's random numbers. Nothing if there is no such pair, or no more is to be
  /// asked.
  std::optional<policy::Pair> pick_pair();

  /// Items that a stop rule settles now, in order, and the rule by which nothing more is to be
  /// asked. As the rules have it, whatever was asked before.
  std::vector<ItemId> sure();
  std::optional<policy::StopReason> stop_reason();

  /// What no policy can exceed in expectation with what is left, if workers are as good as they are
  /// believed to be (policy/bound.hpp): every label as cheap as the cheapest and as good as the
  /// best. Known for yes/no items that are refitted.
  std::optional<double> bound();

  store::Snapshot snapshot();
  /// False, and good for nothing, if the snapshot is not of this version or damaged. Frees its
  /// parts as they are read.
  bool load(store::Snapshot&& snapshot);

 private:
  void start();
  /// What an event changes, as it was.
  struct Before {
    Bond bond = Bond::none;
    ClassId label = {};
    std::vector<Lease> leases = {};
  };
  void follow(const Event& event, const Before& before);
  void update_open(ItemId item);
  bool may_get(ItemId item, WorkerId worker) const;
  std::optional<Pick> pick_gold(WorkerId worker);
  std::optional<ItemId> pick_open(WorkerId worker, Rng& rng);
  std::optional<ItemId> pick_waiting(WorkerId worker, double above, Rng& rng);
  /// The least that a label of the worker can cost.
  Money least_price(WorkerId worker) const;
  /// The same of the items that the worker could still get. Where items have prices, O(items), and
  /// nothing if there are none.
  std::optional<Money> cheapest_left(WorkerId worker) const;
  /// Whether any label of the worker is worth its price.
  bool is_worth_asking(WorkerId worker);
  StopWatch& watch();

  State state_;
  bool ahead_ = false;
  std::optional<Advisor> advisor_;
  std::optional<StopWatch> watch_;  // none without stop rules
  std::vector<ItemId> settled_;     // since the watch was last looked at
  std::shared_ptr<const model::Design> next_design_;
};

}  // namespace allot::campaign
