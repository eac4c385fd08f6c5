// The desk of one campaign: beliefs, open pairs, choices and stop rules, kept in step.
//
// A label, a held pair, a withheld item, a new worker or another price concerns the crowd, the
// offers, the chooser and the stop rules alike. The desk owns all four and tells each of them:
//
//   Desk desk(make_crowd(options, items, workers), policy, Offers::everyone(items, workers));
//   while (const auto pair = desk.choose(rng)) desk.record(*pair, label_of(*pair));
//   answers come from desk.crowd().final_probabilities().
//
// The chooser is made, or told of a refit, only when something is chosen next: a caller that
// catches up with many labels pays for the beliefs alone. Choices do not depend on it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/base/rng.hpp"
#include "allot/model/crowd.hpp"
#include "allot/policy/label_worth.hpp"
#include "allot/policy/offers.hpp"
#include "allot/policy/pair_policy.hpp"
#include "allot/policy/stop_rules.hpp"

namespace allot::policy {

/// Items whose beliefs have changed since the list was cleared.
struct ItemChanges {
  bool all = true;                 ///< every belief may have changed; `items` is then empty
  std::vector<ItemId> items = {};  ///< changed items; an item can occur more than once

  /// Starts a new list: no item has changed.
  void clear() {
    all = false;
    items.clear();
  }
};

/// Beliefs, open pairs, choices and stop rules of one campaign. Threads must not share one object.
class Desk {
 public:
  /// Throws std::invalid_argument unless the crowd has the items and workers of the offers. Stop
  /// rules need offers whose items are all there from the start, and `worth` a binary crowd.
  Desk(std::unique_ptr<model::Crowd> crowd, std::shared_ptr<const Policy> policy, Offers offers,
       const StopRules& rules = {});
  Desk(const Desk&) = delete;

  /// Beliefs about items and workers, with all labels recorded so far.
  const model::Crowd& crowd() const { return *crowd_; }
  /// Pairs that can still be asked, and the prices of the workers.
  const Offers& offers() const { return offers_; }

  /// Adds items; only for open-ended offers. With features, `design` holds those of all items.
  void add_items(std::uint32_t count, std::shared_ptr<const model::Design> design = nullptr);
  /// Adds workers, each at this positive price per label; only for open-ended offers.
  void add_workers(std::uint32_t count, Money price = kUnitPrice);
  /// Tells how many labels the rest of the budget buys; see Offers::set_labels_left.
  void set_labels_left(std::uint64_t labels) { offers_.set_labels_left(labels); }
  /// Changes the price of the worker's next labels; it must be positive.
  void set_price(WorkerId worker, Money price);

  /// Absorbs the label of an open pair and closes the pair. An item that this settles is excluded.
  /// `confidence` says how sure the worker is, on any scale (model::Crowd::record_confident).
  void record(const Pair& pair, ClassId label, float confidence = model::kNoConfidence);
  /// Marks an open pair as asked, its label awaited; `reopen` gives it up.
  void hold(const Pair& pair);
  /// Opens a held pair again: its label will not come.
  void reopen(const Pair& pair);
  /// Absorbs the label of a pair that is held. `truth` is the class of an item that is known.
  void record_held(const Pair& pair, ClassId label, std::optional<ClassId> truth = {},
                   float confidence = model::kNoConfidence);
  /// Replaces the label of a recorded pair, as model::Crowd::revise does.
  void revise(const Pair& pair, ClassId label, float confidence = model::kNoConfidence);
  /// Replaces the label `before` of a known item, whose class is `truth`.
  void revise_known(const Pair& pair, ClassId truth, ClassId before, ClassId label);

  /// Makes the items of recorded labels known, or open again, as model::Crowd::review does.
  void review(std::span<const model::KnownChange> changes);

  /// Nobody is asked about the item until it is restored.
  void withhold(ItemId item);
  /// Ends `withhold`: the open pairs of the item can be asked again.
  void restore(ItemId item);
  /// The worker is not asked any more.
  void exclude(WorkerId worker);

  /// The pair to ask next; nothing if none is open.
  std::optional<Pair> choose(Rng& rng) { return chooser().choose(rng); }
  /// The item to ask this worker about; nothing if none is open for them.
  std::optional<ItemId> choose(WorkerId worker, Rng& rng) { return chooser().choose(worker, rng); }
  /// The number that choices compare: larger is better.
  double value(const Pair& pair) { return chooser().value(pair); }
  /// Brings the chooser up to date; otherwise the next choice does so.
  void prepare() { chooser(); }

  /// The stop rule that ends the campaign now, if any does.
  std::optional<StopReason> stop_reason();

  /// The list is complete from the first time the caller clears it.
  ItemChanges& item_changes() { return changes_; }

  /// Hint: this many labels will be recorded before any belief is read (model::RefitControl).
  void skip_refits_for(std::uint64_t labels);
  /// Whether refits start at once on a thread of their own; see model::RefitControl.
  void refit_in_background(bool on);

  /// Loads beliefs that crowd().save() wrote when there were as many items and workers. Pairs
  /// labelled by then must be closed by `close_labelled`.
  void load(ByteReader& from);
  /// Closes a pair whose label is part of the loaded beliefs.
  void close_labelled(const Pair& pair) { offers_.close(pair); }

 private:
  friend class Withheld;

  PairChooser& chooser();
  void grow(std::shared_ptr<const model::Design> design);
  void restore(std::span<const WorkerId> workers);
  /// Tells the chooser and the rules about a label, after the offers.
  void absorbed(const Pair& pair, bool all);
  /// All beliefs have changed.
  void beliefs_changed();
  void pair_changed(const Pair& pair);
  void item_changed(ItemId item);
  /// Excludes the item if it is settled now.
  void check_item(ItemId item);
  void check_all_items();

  const std::unique_ptr<model::Crowd> crowd_;
  const std::shared_ptr<const Policy> policy_;
  Offers offers_;
  std::unique_ptr<PairChooser> chooser_;  // none until something is chosen
  bool stale_ = false;                    // all beliefs have changed since the chooser was told
  ItemChanges changes_;
  std::optional<Certainty> certainty_;  // none without rules
  std::optional<PairsWorthAsking> worth_;
};

/// Items and workers that a desk leaves out for a while; the destructor restores them.
class Withheld {
 public:
  /// Starts with nothing left out. The desk must outlive the object.
  explicit Withheld(Desk& desk) : desk_(desk) {}
  Withheld(const Withheld&) = delete;
  ~Withheld();

  /// Withholds the item from everybody.
  void add(ItemId item);
  /// Excludes the worker; they must not be excluded already.
  void add(WorkerId worker);

 private:
  Desk& desk_;
  std::vector<ItemId> items_;
  std::vector<WorkerId> workers_;
};

}  // namespace allot::policy
