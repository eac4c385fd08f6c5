// Reports of a campaign about itself (campaign/view.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/base/money.hpp"
#include "allot/campaign/event.hpp"
#include "allot/campaign/state.hpp"

namespace allot::campaign {

/// Summary of a campaign: money, counts, and how good the answers are.
struct Status {
  Phase phase = Phase::running;  ///< running, paused or closed
  /// Reason of the close, or the stop rule that paused the campaign; else empty.
  std::string reason = {};
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
  std::uint64_t labels = 0,  ///< all labels, gold and imported ones included
      gold_labels = 0,       ///< labels of gold items
      imported = 0;          ///< labels from elsewhere, free
  /// Finished items by reason, gold apart (ItemTable::finish_reason).
  std::vector<std::pair<std::string, std::uint32_t>> finished = {};
  /// Mean probability that the answer is right, over all items except gold.
  double expected_accuracy = 0;
  /// Labels by day; days count from 1970-01-01, UTC.
  std::vector<std::pair<std::int64_t, std::uint64_t>> labels_by_day = {};
  /// Upper bound of the expected accuracy for any policy with the remaining budget, if workers are
  /// as good as the campaign believes and as cheap as the cheapest. Known for binary items that are
  /// refitted and whose labels are not free.
  std::optional<double> bound = {};
  /// Items with a known truth, gold apart.
  std::uint32_t truths = 0;
  /// Share of the `truths` whose present answer is right; not set without truths.
  std::optional<double> accuracy = {};
};

/// The answer to one item.
struct AnswerRow {
  std::string item;  ///< id of the item
  ClassId answer;    ///< the most probable class
  /// Probability of each class.
  std::vector<double> probabilities;
  std::uint32_t labels;  ///< labels of the item
  /// Entropy of the probabilities, in nats.
  double entropy;
  /// Share of the labels that differ from the answer; 0 without labels.
  double disagreement;
  /// Why workers are no longer asked about the item; empty while they are.
  std::string finish_reason;
};

/// All items, in order, at one event.
struct Board {
  /// One item of the board.
  struct Item {
    /// Probability of the answer; 1 for a gold item.
    double probability;
    ClassId answer;        ///< the most probable class; the known one of a gold item
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
};

/// The effect that one more label would have on an item.
struct LabelOutcome {
  /// Chance that the worker gives this label.
  double chance;
  /// Probabilities of the classes after it.
  std::vector<double> probabilities;
};

/// Why the campaign asks about an item, or does not.
struct Explanation {
  std::string item;                   ///< id of the item
  std::vector<Share> shares;          ///< labels, leases and skips, by worker
  std::vector<double> probabilities;  ///< by class
  std::uint32_t pending;              ///< leases that have not ended
  std::string finish_reason;          ///< empty while workers are asked
  std::optional<ClassId> gold;        ///< known answer of a gold item; else not set
  /// Index of the item for the worker, relative to the lowest price; not set without a worker.
  std::optional<double> value;
  /// Effect of each label that the worker could give, by class; empty without a worker.
  std::vector<LabelOutcome> outlook;
};

/// An item in the order in which a worker would get it.
struct RankedItem {
  std::string item;                   ///< id of the item
  double value;                       ///< the policy's index, relative to the lowest price
  std::vector<double> probabilities;  ///< by class
  std::vector<LabelOutcome> outlook;  // by class
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
  std::uint64_t events = 0,  ///< events read
      decisions = 0;         ///< decisions made again
  /// One line per difference; empty if all is well.
  std::vector<std::string> differences;
};

}  // namespace allot::campaign
