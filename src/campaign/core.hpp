// A campaign in memory: its state, its beliefs and its next decision. All follow from its events.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <utility>

#include "allot/model/calibration_map.hpp"
#include "allot/store/store.hpp"
#include "campaign/accuracy_tally.hpp"
#include "campaign/advisor.hpp"
#include "campaign/sample_order.hpp"
#include "campaign/stop_watch.hpp"

namespace allot::campaign {

/// Records that are read from a ledger at a time.
inline constexpr std::size_t kRecordsAtOnce = 10'000;
/// Contents of items that are read at a time: they can be large.
inline constexpr std::size_t kContentsAtOnce = 1'000;
/// From this number on, known answers that were drawn at random teach the calibration map alone.
/// Others can be clearer or more doubtful than most.
inline constexpr std::size_t kEnoughDrawn = 30;

/// The design of all items so far and these; none without features.
Result<std::shared_ptr<const model::Design>> design_with(const State& state,
                                                         const std::vector<NewItem>& more);

class Core {
 public:
  const State& state() const { return state_; }
  policy::Desk& desk() { return advisor_->desk(); }
  const model::Crowd& crowd() { return desk().crowd(); }
  /// Probabilities of the item's classes: certain after a verdict, else those that labels give.
  std::vector<double> stated(ItemId item);
  /// The same, written to `out`, which has one place per class.
  void stated(ItemId item, std::span<double> out);
  /// The probabilities of all items, item by item, after a last refit to all labels.
  std::vector<double> final_stated();
  /// Probabilities of the item's classes by its labels alone; empty if it has none.
  std::vector<double> by_labels(ItemId item);
  /// The answers that teach the calibration map: verdicts on items that audits drew, once there are
  /// kEnoughDrawn; before that, all verdicts and gold items. Valid until the next event.
  std::vector<model::KnownAnswer> known_answers() const;
  /// The map from stated to calibrated probabilities, learned from them.
  const model::CalibrationMap& calibration();
  /// What all labels say about the gold items if nobody knows their answers. Costs a refit.
  std::vector<GoldBelief> gold_beliefs() const;
  /// Calibrated probability that the item's answer is wrong; 0 after a verdict.
  double calibrated_error(ItemId item);
  /// Whether there are labels that the beliefs do not include yet.
  bool is_behind() const { return advisor_ && advisor_->is_behind(); }
  /// Refits that took effect since this object was made.
  std::uint64_t refits() const { return advisor_ ? advisor_->refits() : 0; }
  /// Whether large refits run in the background (model::Crowd::fit_ahead).
  void fit_ahead(bool ahead);
  /// Does the work that the next pick needs.
  void prepare() { desk().prepare(); }
  /// Does the work that the stop rules need.
  void look() { static_cast<void>(sure()); }

  /// Refuses what cannot happen now, and is then unchanged.
  Result<void> apply(const Event& event, Time time);
  /// Applies a record of the store, whose number must be the next.
  Result<void> apply(const store::Record& record);

  struct Pick {
    ItemId item;
    LeaseReason reason;
    bool operator==(const Pick&) const = default;
  };
  /// The item that the next event would lease to the worker. Random numbers follow from the seed
  /// and the number of that event. The refusal says why there is none.
  Result<Pick> pick(WorkerId worker);

  /// The items of the agreement sample; none without one.
  const std::optional<SampleOrder>& sample() const { return sample_; }

  /// The worker and item to ask next, for a caller that can choose: the most gain per price among
  /// payable pairs, with the random numbers of the next event. An item of a sample that needs
  /// labels comes first, with a random worker, because the best would agree too well. Nothing if
  /// there is no such pair, or a stop rule ends the asking.
  std::optional<policy::Pair> pick_pair();

  /// Items that a stop rule settles now, in order, and the rule by which the campaign stops asking.
  /// Both depend on present beliefs alone.
  std::vector<ItemId> sure();
  std::optional<policy::StopReason> stop_reason();

  /// Upper bound of the expected accuracy of any policy with the remaining money, reserved amounts
  /// included (policy/roster_bound.hpp), for the workers who have joined. Items and workers are
  /// drawn from the present beliefs, as if independent. Known for binary items that are refitted,
  /// once a worker has joined.
  std::optional<double> bound();

  store::Snapshot snapshot();
  /// False, and useless, if the snapshot is damaged or of another version. Frees its parts as it
  /// reads them.
  bool load(store::Snapshot&& snapshot);

  /// How far people are with their sample; nothing without one. O(people's sample).
  std::optional<SampleProgress> people_progress() const;

 private:
  void start();
  void enter_all(std::shared_ptr<const model::Design> design);
  /// Starts the advisor again with all labels of the state.
  void start_again(std::shared_ptr<const model::Design> design);
  /// Makes beliefs again from the labels that count.
  void recount();
  /// Tells the advisor that these items, of those classes, are known or open again.
  void review(std::span<const std::pair<ItemId, ClassId>> items, bool known);
  /// Closes the item to workers who have reviewed it.
  void bar_reviewers(ItemId item);
  bool is_barred(ItemId item, WorkerId worker) const { return barred_.contains({item, worker}); }
  /// Whether beliefs follow the worker's labels.
  bool counts(WorkerId worker) const { return state_.sessions().counts(worker); }
  /// Records the worker's labels of gold items.
  void record_known(WorkerId worker);
  /// Whether the worker can get the item, or get it again.
  bool is_free(ItemId item, WorkerId worker) const;
  /// What an event overwrites, as it was before, and the design of the items that it adds.
  struct Before {
    PairStatus status = PairStatus::none;
    ClassId label = {};  // or the verdict
    std::vector<Lease> leases = {};
    std::uint64_t excluded_labels = 0;
    bool keeps_beliefs = false;  // for changed options
    bool confident = false;      // whether a label had a confidence
    std::vector<std::uint32_t> groups = {};
    std::vector<std::vector<double>> inherited = {};
    std::shared_ptr<const model::Design> design = {};
  };
  /// Tells the advisor of an event that the state has taken.
  void follow(const Event& event, const Before& before);
  bool begins_to_read_confidences(const Before& before) const;
  void reopen(ItemId item, WorkerId worker);
  void update_open(ItemId item);
  void add_to_sample(ItemId item);
  bool may_get(ItemId item, WorkerId worker) const;
  /// A gold item that the worker can get, drawn by `rng`.
  std::optional<Pick> draw_gold(WorkerId worker, Rng& rng) const;
  std::optional<Pick> pick_gold(WorkerId worker);
  /// The next item of the qualification.
  Result<Pick> pick_test(WorkerId worker) const;
  bool wants_sample_label(ItemId item) const;
  std::optional<ItemId> pick_sample(WorkerId worker) const;
  /// Whether the worker belongs to no group.
  bool is_outside(WorkerId worker) const { return state_[worker].group.empty(); }
  bool wants_outside_label(ItemId item) const;
  /// Money that members of groups cannot spend. O(people's sample).
  Money kept_for_people() const;
  std::optional<policy::Pair> pick_sample_pair() const;
  std::optional<ItemId> pick_open(WorkerId worker, Rng& rng);
  std::optional<ItemId> pick_waiting(WorkerId worker, double above, Rng& rng);
  /// The lowest price of a label of the worker.
  Money least_price(WorkerId worker) const;
  /// The lowest price among items that the worker could still get; nothing if there are none.
  /// O(items) where items have prices.
  std::optional<Money> cheapest_left(WorkerId worker) const;
  /// Whether any label of the worker is worth its price.
  bool is_worth_asking(WorkerId worker);
  StopWatch& watch();
  /// Whether the calibrated answers are good enough for the rule `accuracy`.
  bool is_accurate();
  /// Whether the latest audit proves what the rule `certified` asks for.
  bool is_certified();

  State state_;
  bool ahead_ = false;
  std::optional<Advisor> advisor_;
  std::optional<SampleOrder> sample_;
  std::optional<SampleOrder> people_;                 // the people's sample
  std::optional<StopWatch> watch_;                    // none without stop rules
  std::optional<AccuracyTally> tally_;                // for the rule `accuracy` at its lower end
  std::vector<ItemId> settled_;                       // since the watch was last updated
  bool look_again_ = false;                           // at all items, because the map has changed
  std::optional<model::CalibrationMap> calibration_;  // made when it is first needed
  std::optional<bool> certified_;                     // of the rule `certified`, likewise
  std::set<std::pair<ItemId, WorkerId>> barred_;      // held, so that they are not chosen
};

}  // namespace allot::campaign
