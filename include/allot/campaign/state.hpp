// State of a campaign, except beliefs, as its events add up: leases, labels and costs.
//
//   for every record in order:  state.apply(event, time).
// A fold and nothing else: the same events make the same state, and an event that cannot happen in
// a state (an item leased twice, more spent than there is) is refused, so a ledger that folds is a
// sound one. At every event spent + reserved <= budget.
//
// Cost: O(log leases + labels of its item) per event. Memory: about 100 bytes per item, its id
// included, and 4 to 8 per label.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/campaign/audit.hpp"
#include "allot/campaign/review.hpp"
#include "allot/campaign/session.hpp"
#include "allot/campaign/tables.hpp"
#include "allot/io/group_csv.hpp"

namespace allot::campaign {

/// Phase of a campaign.
enum class Phase : std::uint8_t {
  running,  ///< items are leased
  paused,   ///< nothing is leased; answers are taken
  closed    ///< nothing is leased and no answer taken, for good
};
/// Name of the phase in reports, such as "running".
std::string_view name(Phase phase);

/// The money of a campaign.
struct Account {
  Money budget,  ///< most that labels can cost
      spent,     ///< paid for labels, and for abstentions that are paid
      reserved;  ///< prices of leases that have not ended
  /// Budget that is neither spent nor reserved.
  Money left() const { return budget - spent - reserved; }
};

/// Counts of labels. A revised label counts once.
struct LabelCounts {
  std::uint64_t all = 0,  ///< gold, imported and excluded ones included
      gold = 0,           ///< labels of gold items
      imported = 0,       ///< labels from elsewhere, free
      excluded = 0;       ///< labels of excluded workers, which do not count
  /// Labels by day, excluded ones included; days count from 1970-01-01, UTC.
  std::map<std::int64_t, std::uint64_t> by_day = {};
};

/// What labels alone said about the gold items, when an event last told it.
struct GoldReading {
  std::vector<GoldBelief> beliefs = {};  ///< one per gold item that had a label
  std::uint64_t labels = 0;              ///< labels of the campaign at that time

  /// Whether it is time for another: after 20 labels, or a tenth of those before if that is more.
  bool is_due(const LabelCounts& now) const {
    return now.gold > 0 && now.all >= labels + std::max<std::uint64_t>(20, labels / 10);
  }
};

/// Facts about one worker that follow from events. They stay as they are if the worker is excluded.
struct WorkerFacts {
  std::uint32_t labels = 0;         ///< labels of all items, gold included
  std::uint32_t leases = 0;         ///< leases that have not ended
  std::uint32_t skips = 0,          ///< items that the worker skipped
      abstained = 0;                ///< those that the worker does not know
  std::uint32_t gold = 0,           ///< labels of gold items
      gold_right = 0;               ///< labels of gold items that match the known answer
  std::uint32_t reviewed = 0,       ///< labels of items with a verdict
      reviewed_right = 0;           ///< labels that match the verdict
  Money spent;                      ///< paid for the worker's labels and abstentions
  std::optional<Money> price = {};  ///< the worker's own price, if there is one
  /// The item of the last label and the end of its lease, if the label came in time.
  std::optional<std::pair<ItemId, Time>> last = {};
  std::string group = {};    ///< workers with whom the worker errs together; may be empty
  std::string version = {};  ///< of a language model, as its endpoint names it; may be empty
  std::optional<WorkerId> follows = {};  ///< the version before, from whose belief this one starts
  std::vector<double> inherited = {};    ///< that belief, weakened (campaign/succession.hpp)
  Standing standing = Standing::active;  ///< whether the worker gets items, and labels count
  std::string standing_reason = {};      ///< words of the requester about it
  /// Milliseconds for which labelled items were in view, in order, as far as pages told.
  std::vector<std::uint32_t> view_times = {};
  Money timed_pay;  ///< paid for the labels of `view_times`
  /// When the worker last got, labelled, skipped or gave back an item; nothing before that.
  std::optional<Time> seen = {};
};

/// State of a campaign after the events applied so far.
class State {
 public:
  /// Takes in one event. Refuses an event that cannot happen now; the state is then unchanged. Time
  /// never goes back: an event is at least as late as the one before.
  Result<void> apply(const Event& event, Time time);

  /// Options as they are now. The present budget is in `account()`.
  const Options& options() const { return options_; }
  /// Events so far.
  std::uint64_t sequence() const { return sequence_; }
  /// Time of the last event.
  Time time() const { return time_; }
  /// Whether `now` is so far behind the last event that the clock must have been wrong then: by
  /// more than an hour, and by more than a lease. The next event is then ClockSetBack.
  bool clock_went_back(Time now) const;
  /// Time of the first event.
  Time started() const { return started_; }
  /// Whether the campaign is running, paused or closed.
  Phase phase() const { return phase_; }
  /// Reason of the close, or the stop rule that paused it; empty if a caller paused it.
  const std::string& reason() const { return reason_; }
  /// Whether the campaign is in the archive, where nothing is leased.
  bool archived() const { return archived_; }
  /// Budget, spent and reserved amounts.
  const Account& account() const { return account_; }
  /// Labels so far, by kind and by day.
  const LabelCounts& label_counts() const { return counts_; }

  /// Items, gold included.
  std::uint32_t item_count() const { return items_.count(); }
  /// Number of the item with that id; nothing if unknown.
  std::optional<ItemId> find_item(std::string_view id) const;
  /// Id of the item as the requester gave it.
  const std::string& id(ItemId item) const { return item_ids_[position(item)]; }
  /// Labels, prices and known classes by item.
  const ItemTable& items() const { return items_; }

  /// Workers who have joined.
  std::uint32_t worker_count() const { return static_cast<std::uint32_t>(workers_.size()); }
  /// Number of the worker with that name; nothing if unknown.
  std::optional<WorkerId> find_worker(std::string_view name) const;
  /// Name of the worker.
  const std::string& name(WorkerId worker) const { return worker_names_[position(worker)]; }
  /// Facts about the worker.
  const WorkerFacts& operator[](WorkerId worker) const { return workers_[position(worker)]; }

  /// All groups that have a member, in the order of their first members.
  io::WorkerGroups groups() const;
  /// Groups of the workers as beliefs know them: those with two members or more. Empty if there are
  /// none.
  std::vector<std::uint32_t> shared_groups() const;

  /// Labels of known items that workers are taken to have given, by worker, as beliefs know them:
  /// what they inherit, unless the version before is excluded. Empty if nobody inherits anything.
  std::vector<std::vector<double>> inherited() const;
  /// Whether `follower` follows `worker`, at once or by others in between.
  bool comes_after(WorkerId follower, WorkerId worker) const;

  /// Whether beliefs read the confidences of labels: a label has one, and the options allow it.
  bool reads_confidences() const;

  /// Leases, labels and skips by item and worker.
  const PairTable& pairs() const { return pairs_; }
  /// Leases that have not ended.
  const LeaseTable& leases() const { return leases_; }

  /// Decisions of reviewers by item.
  const VerdictTable& verdicts() const { return items_.verdicts(); }
  /// The latest audit; nothing if there was none.
  const std::optional<Audit>& audit() const { return audit_; }

  /// The latest reading of the gold items.
  const GoldReading& gold_reading() const { return gold_reading_; }

  /// Recruiting links and the sessions of their participants.
  const SessionTable& sessions() const { return sessions_; }
  /// Labels of gold items in the session that match the known answers, as they are now.
  std::uint32_t known_right(const Session& session) const;
  /// Whether an item that was skipped in the session could be labelled by its worker now.
  bool left_work(const Session& session) const;

  /// Whether the worker is active, and labels and leases are below the limit and that of the
  /// session.
  bool may_label(WorkerId worker) const;
  /// The worker's price, else the item's, else that of the campaign.
  Money price(ItemId item, WorkerId worker) const;
  /// Whether a label of a participant can cost other than 1, by the prices of campaign, items and
  /// participants. If none can, participants are owed nothing. O(sessions).
  bool has_prices() const;
  /// The lowest price of a label by a worker without a price of their own.
  Money lowest_price() const { return std::min(options_.price, items_.lowest_price()); }

  /// Writes the state as `load` reads it.
  void save(ByteWriter& to) const;
  /// Reads the bytes of `save`. Returns false, and leaves a useless state, if they are not a state.
  bool load(ByteReader& from);

 private:
  Result<void> take(const Created& event, Time time);
  Result<void> take(const ItemsAdded& event, Time time);
  Result<void> take(const WorkerJoined& event, Time time);
  Result<void> take(const WorkerPriced& event, Time time);
  Result<void> take(const Leased& event, Time time);
  Result<void> take(const Answered& event, Time time);
  Result<void> take(const Revised& event, Time time);
  Result<void> take(const Skipped& event, Time time);
  Result<void> take(const Released& event, Time time);
  Result<void> take(const Expired& event, Time time);
  Result<void> take(const Settled& event, Time time);
  Result<void> take(const Paused& event, Time time);
  Result<void> take(const Resumed& event, Time time);
  Result<void> take(const BudgetChanged& event, Time time);
  Result<void> take(const ModelChanged& event, Time time);
  Result<void> take(const Closed& event, Time time);
  Result<void> take(const Reviewed& event, Time time);
  Result<void> take(const ReviewUndone& event, Time time);
  Result<void> take(const AuditStarted& event, Time time);
  Result<void> take(const GoldStated& event, Time time);
  Result<void> take(const RecruitingChanged& event, Time time);
  Result<void> take(const SessionJoined& event, Time time);
  Result<void> take(const Qualified& event, Time time);
  Result<void> take(const SessionEnded& event, Time time);
  Result<void> take(const StandingChanged& event, Time time);
  Result<void> take(const OptionsChanged& event, Time time);
  Result<void> take(const PageChanged& event, Time time);
  Result<void> take(const ArchiveChanged& event, Time time);
  Result<void> take(const WorkerGrouped& event, Time time);
  Result<void> take(const WorkerVersioned& event, Time time);
  Result<void> take(const ClockSetBack& event, Time time);

  Result<void> check_item(const NewItem& item) const;
  Result<void> check_pair(ItemId item, WorkerId worker) const;
  Result<void> check_class(ClassId label) const;
  Result<void> check_verdict(const Verdict& verdict) const;
  Result<void> check_origin(const Answered& event, Time time) const;
  Result<void> check_open_session(WorkerId worker) const;
  /// Refuses options that know no groups if a worker belongs to one.
  Result<void> check_group_options(const Options& options) const;
  /// Refuses an item that the worker may not label before the qualification is passed.
  Result<void> check_participant(ItemId item, WorkerId worker) const;
  Result<void> end_lease(ItemId item, WorkerId worker, PairStatus status);
  void drop_lease(ItemId item, WorkerId worker);
  /// Ends these leases; their workers can get the items again.
  void lapse(const std::vector<Lease>& leases);
  /// Makes the labels of the worker count, or not.
  void set_excluded(WorkerId worker, bool excluded);
  /// Adds the labels of the item to what workers got right by verdicts, or takes them away.
  void count_reviewed(ItemId item, ClassId answer, bool add);
  template <typename Bytes, typename Of>
  static void code_head(Bytes& bytes, Of& state);
  WorkerFacts& facts(WorkerId worker) { return workers_[position(worker)]; }

  Options options_;
  std::uint64_t sequence_ = 0;
  Time time_, started_;
  Phase phase_ = Phase::running;
  std::string reason_;
  bool archived_ = false;
  Account account_;
  LabelCounts counts_;
  NameList item_ids_, worker_names_;
  ItemTable items_;
  PairTable pairs_;
  std::vector<WorkerFacts> workers_;
  LeaseTable leases_;
  std::optional<Audit> audit_;
  GoldReading gold_reading_;
  SessionTable sessions_;
};

// Items, workers and classes by the names that people use: each lookup finds the name or refuses it
// with one sentence that says what is expected.

/// The item with that id.
Result<ItemId> item_named(const State& state, std::string_view id);
/// The worker with that name. Only workers who have joined are known.
Result<WorkerId> worker_named(const State& state, std::string_view name);
/// The class that a label names.
Result<ClassId> class_named(const Options& options, std::string_view label);

/// A label and how sure its worker is of it, as names.
struct ConfidentLabel {
  std::string label;  ///< name of a class
  float confidence;   ///< from 0 to 1
};
/// The label that stands for a probability per class: the most probable class, of equal ones that
/// named first, and its probability. Refuses unknown classes, classes named twice, and
/// probabilities that are not from 0 to 1 or exceed 1 in sum.
Result<ConfidentLabel> most_probable(const Options& options,
                                     std::span<const std::pair<std::string, double>> probabilities);
/// Refuses a confidence that is not from 0 to 1.
Result<void> check_confidence(const std::optional<float>& confidence);

/// The name of a class, as in the options.
const std::string& class_name(const Options& options, ClassId id);

}  // namespace allot::campaign
