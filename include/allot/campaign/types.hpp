// Arguments and results of a campaign's commands, and its reports about itself (campaign/view.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "allot/campaign/state.hpp"
#include "allot/model/calibration_map.hpp"
#include "allot/model/label_set.hpp"

namespace allot::campaign {

/// An item to be labelled. `gold` and `truth` name classes.
struct ItemDraft {
  std::string id;  ///< unique in the campaign
  /// JSON object that workers see, or empty. The store keeps it beside the ledger.
  std::string fields = {};
  std::optional<Money> price = {};  ///< its own price; not set for the price of the campaign
  /// The known answer of a gold item: workers are tested on it, and its answer is not sought.
  std::optional<std::string> gold = {};
  std::vector<double> features = {};  ///< known numbers, one per feature in the options
  /// The class that the caller knows the item to have. It measures the accuracy of answers; no
  /// decision looks at it.
  std::optional<std::string> truth = {};
};

/// Items, prices and groups that a campaign starts with, beside its options.
struct Setup {
  std::span<const ItemDraft> items = {};  ///< more can follow
  /// Prices by worker. Workers named here join the campaign.
  std::span<const std::pair<std::string, Money>> prices = {};
  /// Groups of workers who err together, by worker. Workers named here join too.
  std::span<const std::pair<std::string, std::string>> groups = {};
};

/// A worker's label of an item.
struct Answer {
  std::string item,    ///< id of the item
      worker,          ///< name of the worker
      label;           ///< name of a class in the options
  Remark remark = {};  ///< time in view and note, if the caller knows them
  /// How sure the worker is of the label, from 0 to 1; not set if the worker did not tell.
  std::optional<float> confidence = {};
};

/// Which version of a language model a worker is, to be recorded.
struct VersionDraft {
  std::string worker;  ///< name of the worker
  /// The version as the endpoint names it; not set to leave it.
  std::optional<std::string> version = {};
  /// Name of the version before; empty for none, not set to leave it.
  std::optional<std::string> follows = {};
};

/// A reviewer's decision about an item, to be recorded.
struct VerdictDraft {
  std::string item,  ///< id of the item
      answer,        ///< name of a class in the options
      reason = {};   ///< words of the reviewer, for people to read
};

/// A participant who comes through a recruiting link (campaign/recruiting.hpp).
struct Arrival {
  std::string link,                   ///< id of the link
      id,                             ///< of the participant, at the platform
      session = {};                   ///< the platform's id of the session; may be empty
  SessionParameters parameters = {};  ///< that the link captures
};

/// The session to which an arrival leads.
struct JoinedSession {
  std::string worker;     ///< name of the participant in the campaign
  std::uint32_t session;  ///< place among all sessions
  bool back;              ///< whether the session was there already; it can be over
};

/// One session of a participant, for reports.
struct SessionRow {
  std::string link,              ///< id of the recruiting link
      worker,                    ///< name of the participant in the campaign
      id;                        ///< the same at the platform
  Session session;               ///< counts that follow from events
  std::uint32_t known_right;     ///< labels of gold items that are right
  std::chrono::seconds seconds;  ///< from its begin to its end, or to its last label
};

/// An item leased to a worker.
struct Assignment {
  std::string item;    ///< id of the item
  std::string fields;  ///< JSON object that the worker sees; may be empty
  Money price;         ///< amount paid for an answer in time
  Time expires;        ///< end of the lease
  /// Why the campaign chose the item. For the requester; a worker must not see it.
  LeaseReason reason;
};

/// The items that one request leased.
struct Handout {
  std::vector<Assignment> assignments;  ///< in the order in which they were chosen
  /// Why the worker got fewer items than the caller asked for; empty if all were leased.
  std::string shortfall;
};

/// Effect of an answer that was not refused.
enum class Outcome {
  recorded,  ///< a new label
  already,   ///< the same label was there
  revised,   ///< the label replaced another one
};

/// The beliefs that a report reads.
enum class Beliefs {
  present,   ///< those that decisions use now; they follow all labels at the next refit
  refitted,  ///< after a last refit to all labels, as answers have them
};

/// The answers of a campaign, gold apart. An item without a label and without a verdict has none.
struct AnswerSummary {
  std::uint32_t count = 0,  ///< items with an answer
      unlabelled = 0,       ///< items without one: no label yet
      truths = 0;           ///< answers to items with a known truth
  /// Mean probability of the answers by the model; not set without answers.
  std::optional<double> expected_accuracy = {};
  /// Share of right answers among the `truths`; not set without truths.
  std::optional<double> accuracy = {};
  /// Whether known answers tell how right the answers are: verdicts on labelled items, or truths.
  /// Until then the expected accuracy is estimated by the model, not verified.
  bool verified = false;
};

/// Progress of the people's sample: items that get a label of a worker outside all groups.
struct SampleProgress {
  std::uint32_t items = 0,  ///< items of the sample
      labelled = 0;         ///< those that have such a label
};

/// Summary of a campaign: money, counts, and how good the answers are.
struct Status {
  Phase phase = Phase::running;  ///< running, paused or closed
  /// Reason of the close, or the stop rule that paused the campaign; else empty.
  std::string reason = {};
  bool archived = false;     ///< whether it is in the archive, where nothing is leased
  Time started = {},         ///< time of the first event
      last_event = {};       ///< time of the last event
  Money budget = {},         ///< most that labels can cost
      spent = {},            ///< paid for labels
      reserved = {},         ///< prices of leases that have not ended
      left = {};             ///< budget - spent - reserved
  std::uint64_t events = 0;  ///< events in the ledger
  std::uint32_t items = 0,   ///< all items, gold included
      gold = 0,              ///< gold items
      workers = 0,           ///< workers who have joined
      leases = 0;            ///< leases that have not ended
  std::uint64_t labels = 0,  ///< all labels, gold, imported and excluded ones included
      gold_labels = 0,       ///< labels of gold items
      imported = 0,          ///< labels from elsewhere, free
      excluded = 0;          ///< labels of excluded workers, which do not count
  /// Finished items by reason, gold apart (ItemTable::finish_reason).
  std::vector<std::pair<std::string, std::uint32_t>> finished = {};
  AnswerSummary answers = {};  ///< how many items have an answer, and how good the answers are
  /// Mean probability, by the model, of the most probable class of all items, gold apart. An item
  /// without a label counts as a guess. Bounds and curves count items in the same way.
  double expected_accuracy = 0;
  /// Calibrated expected accuracy of the labelled items, with a range that holds the true one with
  /// probability 0.9; not set without labels, or if the bound was not asked for.
  std::optional<model::AccuracyRange> calibrated = {};
  /// Verdicts on labelled items, and gold items, on which calibration rests: from 30 answers that
  /// audits drew on, those alone.
  std::uint64_t known_answers = 0;
  /// Labels by day; days count from 1970-01-01, UTC.
  std::vector<std::pair<std::int64_t, std::uint64_t>> labels_by_day = {};
  /// Upper bound of the expected accuracy for any policy with the remaining budget, if the
  /// campaign's beliefs are right. Each worker who has joined labels an item at most once; others
  /// who join later can raise it. Known for binary items that are refitted and whose labels are not
  /// free, once a worker has joined.
  std::optional<double> bound = {};
  /// Progress of the people's sample; not set without one.
  std::optional<SampleProgress> people_sample = {};
  std::uint32_t reviewed = 0;  ///< items with a verdict
  std::uint32_t truths = 0;    ///< items with a known truth, gold apart
  /// Share of the `truths` whose most probable class is right, guesses included; not set without
  /// truths.
  std::optional<double> accuracy = {};
};

/// The answers from which a campaign learns what stated probabilities are worth.
struct KnownCalibration {
  /// An item whose answer is known, and what labels alone said about it.
  struct Item {
    std::vector<double> stated;  ///< probabilities of the classes
    std::uint32_t labels = 0;    ///< labels of the item at that time
    bool right = false;          ///< whether the most probable class is the known one
  };
  std::vector<Item> items = {};  ///< items that teach the map
  bool only_drawn = false;       ///< whether audits drew all of them
  model::CalibrationMap map;     ///< what they teach
};

/// One item and its answer, if it has one.
struct AnswerRow {
  std::string item;                   ///< id of the item
  std::optional<ClassId> answer;      ///< the most probable class; not set without a label
  std::vector<double> probabilities;  ///< by class; without an answer, a guess
  std::optional<double> calibrated;   ///< calibrated probability of the answer; not set without one
  std::uint32_t labels;               ///< labels of the item
  double entropy;                     ///< of the probabilities, in nats
  double disagreement;        ///< share of the labels that differ from the answer; 0 without labels
  std::string finish_reason;  ///< why workers are no longer asked; empty while they are
  std::string reviewer;       ///< who decided the answer; empty if labels did
  std::string review_reason;  ///< words of the reviewer
};

/// All items, in order, at one event.
struct Board {
  /// One item of the board.
  struct Item {
    double probability;  ///< of the most probable class; 1 for a gold item
    /// The most probable class; the known one of a gold item; not set without a label.
    std::optional<ClassId> answer;
    std::uint32_t labels;  ///< labels of the item
  };
  std::uint64_t sequence = 0;    ///< number of the last event that the board takes in
  std::vector<Item> items = {};  ///< by item number, gold included
};

/// A worker's label of an item, which replaces an earlier one of the same worker.
struct WorkerLabel {
  WorkerId worker;  ///< the worker who gave it
  ClassId label;    ///< the class named
};

/// One worker: counts, price and estimated reliability.
struct WorkerRow {
  std::string worker;  ///< name of the worker
  WorkerFacts facts;   ///< counts that follow from events
  Money price;         ///< the worker's own price, else that of the campaign
  double reliability,  ///< chance of a right label
      low,             ///< lower end of an interval that holds it with probability 0.9
      high;            ///< upper end of that interval
  /// Agreement with the most frequent label of the other workers, over the items, gold apart, that
  /// others labelled too; nothing without such items.
  std::optional<double> agreement;
  /// Share of the worker's labels that name the answer of their item, gold apart; nothing without
  /// such labels. The worker's own label is part of what the answer rests on.
  std::optional<double> answer_agreement = {};
  std::optional<double> seconds = {};      ///< median time in view of a labelled item, if known
  std::optional<Money> pay_per_hour = {};  ///< pay for an hour of these times
  /// Whether the median is below a third of that of the workers: most answers cannot be read that
  /// fast. Needs 10 timed labels, and three workers who have them.
  bool too_fast = false;
  std::string follows = {};  ///< name of the version before; may be empty
};

/// Labels of one worker, excluded ones included: counts[answer][label]. Items without an answer are
/// left out.
using Confusion = std::vector<std::vector<std::uint32_t>>;

/// The labels from which the agreement of workers is measured (aggregate/agreement.hpp).
struct AgreementLabels {
  /// The sample of the options. Without one, `labels` has all labels but those of gold items.
  std::optional<AgreementSample> sample = {};
  std::uint32_t sampled = 0,  ///< items in the sample; fewer than wanted in a small campaign
      complete = 0;           ///< those that have all their labels
  bool ordered = false;       ///< whether the classes have an order
  std::uint64_t seed = 0;     ///< of the campaign
  /// The first labels of every complete item of the sample, in the order in which workers were
  /// first asked about it. Numbers are those of the campaign.
  model::LabelSet labels = {};
};

/// The labels from which the errors of groups are measured (aggregate/group_errors.hpp).
struct GroupLabels {
  io::WorkerGroups groups = {};  ///< groups with a member, and the group of each worker
  /// Labels that count. Gold and reviewed items are among them.
  model::LabelSet labels = {};
  /// Probabilities of the classes of each item, item by item; certain where the answer is known.
  std::vector<double> probabilities = {};
  std::vector<bool> known = {};  ///< by item: whether its class is known (gold, or a verdict)
};

/// One kind of worker: the members of a group, or all workers outside groups. Excluded workers are
/// left out.
struct KindRow {
  std::string kind;             ///< name of the group; empty for workers outside groups
  std::uint32_t workers = 0;    ///< active and blocked ones
  std::uint64_t labels = 0;     ///< labels of all items, gold included
  std::uint64_t abstained = 0;  ///< items that they do not know
  Money spent = {};             ///< paid for labels and abstentions
  std::uint64_t known = 0,      ///< labels of items whose class is known (gold, or a verdict)
      known_right = 0;          ///< those that name it
  /// Items for which both this kind and the other workers have a most frequent label.
  std::uint64_t shared = 0,
                agreed = 0;  ///< those for which both are the same

  /// Share of right labels where the class is known; not set if it never is.
  std::optional<double> accuracy() const;
  /// Share of the shared items on which the kind agrees with the others; not set without such
  /// items.
  std::optional<double> agreement() const;
  /// What a right label costs: pay, divided by labels times accuracy. Not set without known
  /// answers, or if none is right.
  std::optional<double> cost_per_right() const;
};

/// The effect that one more label would have on an item.
struct LabelOutcome {
  double chance;                      ///< chance that the worker gives this label
  std::vector<double> probabilities;  ///< of the classes after it
};

/// Why the campaign asks about an item, or does not.
struct Explanation {
  std::string item;                   ///< id of the item
  std::vector<Share> shares;          ///< labels, leases and skips, by worker
  std::vector<double> probabilities;  ///< by class
  std::uint32_t pending;              ///< leases that have not ended
  std::string finish_reason;          ///< empty while workers are asked
  std::optional<ClassId> gold;        ///< known answer of a gold item; else not set
  bool answered;                      ///< whether the item has an answer yet
  /// Index of the item for the worker, relative to the lowest price; not set without a worker.
  std::optional<double> value;
  std::vector<LabelOutcome> outlook;  ///< by the worker's label; empty without a worker
};

/// Order of the items that a reviewer could decide next.
enum class ReviewOrder {
  uncertain,  ///< least certain answer first
  disputed,   ///< most labels against the answer first
  skipped,    ///< skipped by most workers first
};

/// Why an item is in the queue of reviewers.
enum class ReviewReason {
  audit,      ///< drawn by the audit; comes before all others
  uncertain,  ///< its answer is not certain
  disputed,   ///< labels are against its answer
  skipped,    ///< workers skipped it
};
/// Name of the reason in reports, such as "audit".
std::string_view name(ReviewReason reason);

/// An audit as a caller asks for it.
struct AuditDraft {
  std::optional<std::uint32_t> checks = {};  ///< their number; not set to check until proven
  std::optional<double> target = {};         ///< accuracy to prove; between 0 and 1
  double confidence = 0.95;                  ///< of the bounds; between 1/2 and 1
  bool replace = false;                      ///< also if an unfinished audit has verdicts
};

/// An item that a reviewer could decide next.
struct ReviewItem {
  std::string item;                                     ///< id of the item
  ClassId answer;                                       ///< the most probable class
  std::vector<double> probabilities;                    ///< by class
  std::vector<std::pair<std::string, ClassId>> labels;  ///< workers and what they said
  double disagreement;                                  ///< share of labels against the answer
  std::uint32_t skips;                                  ///< workers who skipped the item
  ReviewReason reason;                                  ///< why it is in the queue
};

/// An item in the order in which a worker would get it.
struct RankedItem {
  std::string item;                   ///< id of the item
  double value;                       ///< the policy's index, relative to the lowest price
  std::vector<double> probabilities;  ///< by class
  std::vector<LabelOutcome> outlook;  ///< by class
  bool answered;                      ///< whether the item has an answer yet
};

/// An event of the ledger.
struct LedgerEntry {
  std::uint64_t sequence;  ///< place in the ledger, from 1
  Time time;               ///< time of the event, never before the previous one
  std::string key;         ///< key of the request; empty if it had none
  Event event;             ///< the event itself
};

/// Result of checking a ledger.
struct Verification {
  std::uint64_t events = 0,              ///< events read
      decisions = 0;                     ///< decisions made again
  std::vector<std::string> differences;  ///< one line each; empty if all is well
};

}  // namespace allot::campaign
