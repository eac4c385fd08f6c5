// The events of a campaign. Its ledger is a list of them, and everything else follows from it.
//
// The ledger keeps an event as its kind, one byte, and a payload: the version of the encoding, then
// the values in order (base/bytes.hpp), 5 to 20 bytes for frequent events. Kinds and the order of
// values never change. A new version can add values; only events that have them name it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/base/money.hpp"
#include "allot/base/result.hpp"
#include "allot/campaign/options.hpp"
#include "allot/campaign/recruiting.hpp"

namespace allot::campaign {

/// UTC. Campaigns take the time from their callers and never read a clock themselves, so that the
/// same calls give the same campaign.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

/// The time of the system's clock, for callers that have no time of their own.
inline Time now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

/// Why an item was leased.
enum class LeaseReason : std::uint8_t {
  chosen,   // the best for this worker among items without a lease
  gold,     // its answer is known: the worker is tested
  waiting,  // leased to others already, but nothing else was worth asking
  sample,   // the agreement sample needs labels of it
};

/// Where a label comes from.
enum class AnswerOrigin : std::uint8_t {
  leased,    // in time
  late,      // after its lease had ended
  imported,  // from elsewhere, free
  collected  // paid, by a person of another tool, who holds no lease here
};

/// An item as the ledger keeps it. Classes are numbers, in the order of the options.
struct NewItem {
  std::string id;                     ///< unique in the campaign
  std::optional<Money> price = {};    ///< its own price; not set for the price of the campaign
  std::optional<ClassId> gold = {};   ///< the known answer of a gold item
  std::vector<double> features = {};  ///< as many as the options name
  /// The class that the requester knows. It measures answers; no decision looks at it.
  std::optional<ClassId> truth = {};
  /// CRC-32 of the fields, which the store keeps beside the ledger; not set without fields, or by
  /// older versions.
  std::optional<std::uint32_t> checksum = {};

  bool operator==(const NewItem&) const = default;
};

/// The campaign starts. The first event of every ledger.
struct Created {
  Options options;  ///< with the first budget
  bool operator==(const Created&) const = default;
};
/// Items join the campaign, numbered in order after those already there.
struct ItemsAdded {
  std::vector<NewItem> items;  ///< in the order of their numbers
  bool operator==(const ItemsAdded&) const = default;
};
/// A worker joins and gets the next number.
struct WorkerJoined {
  std::string name;  ///< unique in the campaign
  bool operator==(const WorkerJoined&) const = default;
};
/// A worker gets a price of their own for future leases.
struct WorkerPriced {
  WorkerId worker;  ///< the worker that the price is for
  Money price;      ///< price per label
  bool operator==(const WorkerPriced&) const = default;
};
/// A worker gets an item, and its price is reserved.
struct Leased {
  ItemId item;          ///< the item leased
  WorkerId worker;      ///< the worker who gets it
  Money price;          ///< amount reserved until the lease ends
  Time expires;         ///< end of the lease
  LeaseReason reason;   ///< why this item was chosen
  std::uint32_t place;  ///< among the leases of one request, from 0
  bool operator==(const Leased&) const = default;
};
/// What the worker's page tells beside a label or a skip.
struct Remark {
  std::uint32_t milliseconds = 0;  ///< time for which the item was in view; 0 if not known
  std::string reason = {};         ///< why it was skipped, one of kSkipReasons; may be empty
  std::string note = {};           ///< words of the worker; may be empty
  /// Whether it tells nothing.
  bool empty() const { return milliseconds == 0 && reason.empty() && note.empty(); }
  bool operator==(const Remark&) const = default;
};
/// Reason of an abstention: the worker looked at the item and does not know its class.
inline constexpr std::string_view kUnsure = "unsure";
/// Reasons to skip an item: the item is unclear, it cannot be seen, several classes fit, no class
/// fits, another reason, or the worker does not know.
inline constexpr std::array<std::string_view, 6> kSkipReasons{"unclear", "broken", "several",
                                                              "none",    "other",  kUnsure};
/// Characters of a note.
inline constexpr std::size_t kLongestNote = 500;

/// A worker's first label of an item. A lease of the item ends with it.
struct Answered {
  ItemId item;          ///< the item labelled
  WorkerId worker;      ///< the worker who gave the label
  ClassId label;        ///< the class that the worker named
  Money price;          ///< amount paid; 0 if imported
  AnswerOrigin origin;  ///< whether the label was leased, late, imported or collected
  Remark remark = {};   ///< time in view, and the worker's note
  /// How sure the worker is of the label, from 0 to 1; not set if the worker did not tell.
  std::optional<float> confidence = {};
  bool operator==(const Answered&) const = default;
};
/// A worker replaces their label of an item, at no cost.
struct Revised {
  ItemId item;      ///< the item labelled before
  WorkerId worker;  ///< the worker who labelled it
  ClassId label;    ///< the new label
  /// How sure the worker is of the new label; not set if the worker did not tell.
  std::optional<float> confidence = {};
  bool operator==(const Revised&) const = default;
};
/// The worker will not label the item, or abstains.
struct Skipped {
  ItemId item;         ///< the item skipped
  WorkerId worker;     ///< the worker who skips it
  Remark remark = {};  ///< time in view, the reason, and the worker's note
  Money paid = {};     ///< the price, if an abstention is paid like a label; else 0
  bool operator==(const Skipped&) const = default;
};
/// The worker gives the item back, or takes a skip back, and can get the item again.
struct Released {
  ItemId item;      ///< the item given back
  WorkerId worker;  ///< the worker who had it, or had skipped it
  bool operator==(const Released&) const = default;
};
/// A lease ends because its time is over. The worker can get the item again.
struct Expired {
  ItemId item;      ///< the item whose lease is over
  WorkerId worker;  ///< the worker who had it
  bool operator==(const Expired&) const = default;
};
/// Reason of items that a stop rule settled.
inline constexpr std::string_view kCertain = "certain";
/// Workers are no longer asked about the item.
struct Settled {
  ItemId item;         ///< the item settled
  std::string reason;  ///< kCertain, or the words of the caller
  bool operator==(const Settled&) const = default;
};
/// The campaign leases nothing until it resumes.
struct Paused {
  std::string reason = {};  ///< name of the stop rule; empty if a caller paused it
  bool operator==(const Paused&) const = default;
};
/// The campaign leases items again.
struct Resumed {
  bool operator==(const Resumed&) const = default;
};
/// The requester changes the budget.
struct BudgetChanged {
  Money budget;  ///< the new total, not an addition
  bool operator==(const BudgetChanged&) const = default;
};
/// The campaign ends for good. All leases end with it.
struct Closed {
  std::string reason;  ///< words of the caller, for people to read
  bool operator==(const Closed&) const = default;
};

/// The requester changes how the campaign believes and decides. Beliefs are made again from all
/// labels.
struct ModelChanged {
  Options options;  ///< all options; only those of `same_but_for_model` may differ from before
  bool operator==(const ModelChanged&) const = default;
};

/// A reviewer's decision about one item, and what the labels said before it.
struct Verdict {
  ItemId item;         ///< the item decided
  ClassId answer;      ///< its class, as the reviewer sees it
  std::string reason;  ///< words of the reviewer; may be empty
  /// Probabilities of the classes by labels alone, before this verdict; empty without a label.
  std::vector<double> stated;
  std::uint32_t labels;  ///< labels of the item at that time
  bool drawn = false;    ///< whether the latest audit had drawn the item
  bool operator==(const Verdict&) const = default;
};
/// A reviewer decides items. Each verdict is the answer of its item from now on. Beliefs are made
/// again from all labels, with these items known.
struct Reviewed {
  std::string reviewer;           ///< who decided
  std::vector<Verdict> verdicts;  ///< at most one per item
  bool operator==(const Reviewed&) const = default;
};
/// The verdict on an item is taken back; the item is as if it had never been decided.
struct ReviewUndone {
  ItemId item;           ///< the item whose verdict goes
  std::string reviewer;  ///< who took it back
  bool operator==(const ReviewUndone&) const = default;
};

/// How an audit draws answers to check.
struct AuditPlan {
  std::uint64_t seed = 0;    ///< of the draws
  std::uint32_t checks = 0;  ///< their number; 0 for draws that can stop after any look
  double target = 0;         ///< accuracy to prove; 0 for none
  double confidence = 0.95;  ///< of the bounds; between 1/2 and 1
  bool operator==(const AuditPlan&) const = default;
};
/// Answers are frozen to be judged by reviewers (campaign/audit.hpp).
struct AuditStarted {
  AuditPlan plan;                     ///< how answers are drawn
  std::vector<std::uint8_t> answers;  ///< by item: 1 + its class; 0 if it is no part of the audit
  std::vector<std::uint16_t> stated;  ///< by item: probability of the answer, in 65535ths
  bool operator==(const AuditStarted&) const = default;
};

/// What labels alone say about a gold item.
struct GoldBelief {
  ItemId item;                 ///< the gold item
  std::vector<double> stated;  ///< probabilities of the classes, as if the item were not gold
  std::uint32_t labels;        ///< labels of the item at that time
  bool operator==(const GoldBelief&) const = default;
};
/// Labels are read as if no item were gold, so that gold items show what stated probabilities are
/// worth. Takes the place of the reading before.
struct GoldStated {
  std::vector<GoldBelief> beliefs;  ///< one per gold item with a label, by number
  bool operator==(const GoldStated&) const = default;
};

/// A recruiting link is made, or its terms change (campaign/recruiting.hpp).
struct RecruitingChanged {
  std::string link;       ///< id of the link
  RecruitingTerms terms;  ///< all terms; the platform and the secret stay
  bool operator==(const RecruitingChanged&) const = default;
};
/// Values of the parameters that a link captures.
using SessionParameters = std::map<std::string, std::string>;
/// A participant begins a session, or continues the open one under another name.
struct SessionJoined {
  WorkerId worker;               ///< the participant
  std::string link;              ///< id of the link
  std::string session;           ///< the platform's id of the session; may be empty
  SessionParameters parameters;  ///< that the link captures
  bool operator==(const SessionJoined&) const = default;
};
/// A participant has tried all items of the qualification.
struct Qualified {
  WorkerId worker;  ///< the participant
  bool passed;      ///< whether enough answers are right
  bool operator==(const Qualified&) const = default;
};
/// The open session of a participant ends.
struct SessionEnded {
  WorkerId worker;         ///< the participant
  SessionOutcome outcome;  ///< tells which code is due
  bool operator==(const SessionEnded&) const = default;
};

/// The requester changes options while the campaign runs. Decisions follow them from now on. If the
/// policy or the stop rules change, beliefs are made again from all labels, and items that a stop
/// rule had settled are open until the new rules settle them.
struct OptionsChanged {
  Options options;  ///< all options; only those of `can_change` may differ from before
  bool operator==(const OptionsChanged&) const = default;
};
/// The requester changes what workers see: texts, kinds of fields, names and order of classes. The
/// ledger keeps it as the program that shows it wrote it.
struct PageChanged {
  std::string page;  ///< the new page
  bool operator==(const PageChanged&) const = default;
};

/// What a worker gets, and whether the worker's labels count.
enum class Standing : std::uint8_t {
  active,    ///< gets items; labels count
  blocked,   ///< gets no more items; labels count
  excluded,  ///< gets no more items; labels stay in the ledger and do not count
};
/// The requester blocks, excludes or restores a worker. The leases of a worker who is not active
/// end with it. If labels begin or cease to count, beliefs are made again from those that do, and
/// items that a stop rule had settled are open until it settles them again.
struct StandingChanged {
  WorkerId worker;     ///< the worker it is about
  Standing standing;   ///< from now on
  std::string reason;  ///< words of the caller, for people to read; may be empty
  bool operator==(const StandingChanged&) const = default;
};

/// The requester archives the campaign, or takes it out of the archive. All leases end when it is
/// archived, and nothing is leased until it is unarchived.
struct ArchiveChanged {
  bool archived;  ///< from now on
  bool operator==(const ArchiveChanged&) const = default;
};

/// A worker belongs to a group of workers who err together (model/group_views.hpp), or to none. If
/// that changes who errs together, beliefs are made again from all labels, and items that a stop
/// rule had settled are open until it settles them again.
struct WorkerGrouped {
  WorkerId worker;    ///< the worker it is about
  std::string group;  ///< name of the group from now on; empty for a worker alone
  bool operator==(const WorkerGrouped&) const = default;
};

/// What a worker is a version of: a language model that changes is another worker, who starts from
/// the belief about the one before. If what the worker inherits changes, beliefs are made again
/// from all labels.
struct WorkerVersioned {
  WorkerId worker;                  ///< the worker it is about
  std::string version;              ///< as the endpoint of the model names it; may be empty
  std::optional<WorkerId> follows;  ///< the version before; not set for a worker of their own
  /// Labels of known items that the worker is taken to have given, by true class and given class:
  /// the belief about the version before, weakened (campaign/succession.hpp). May be empty.
  std::vector<double> inherited;
  bool operator==(const WorkerVersioned&) const = default;
};

/// The clock had been ahead, and time goes on from this event: the only one that can be earlier
/// than the event before it. Leases that are open end within one lease from now.
struct ClockSetBack {
  bool operator==(const ClockSetBack&) const = default;
};

/// The kind of an event is its place in this list, from 1.
using Event =
    std::variant<Created, ItemsAdded, WorkerJoined, WorkerPriced, Leased, Answered, Revised,
                 Skipped, Released, Expired, Settled, Paused, Resumed, BudgetChanged, Closed,
                 ModelChanged, Reviewed, ReviewUndone, AuditStarted, GoldStated, RecruitingChanged,
                 SessionJoined, Qualified, SessionEnded, StandingChanged, OptionsChanged,
                 PageChanged, ArchiveChanged, WorkerGrouped, WorkerVersioned, ClockSetBack>;

/// Number by which the ledger knows the kind of event, from 1.
std::uint8_t kind(const Event& event);
/// The name of the event in exports, such as "leased".
std::string_view name(const Event& event);
/// Name of the reason in exports, such as "chosen".
std::string_view name(LeaseReason reason);
/// Name of the origin in exports, such as "late".
std::string_view name(AnswerOrigin origin);

/// Name of the standing in reports, such as "excluded".
std::string_view name(Standing standing);

/// Payload of the event in the ledger; `decode` is the inverse.
std::string encode(const Event& event);
/// Refuses bytes that are no event, or an event of a newer version.
Result<Event> decode(std::uint8_t kind, std::string_view payload);

}  // namespace allot::campaign
