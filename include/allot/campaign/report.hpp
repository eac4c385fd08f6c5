// What a campaign reports of itself (campaign/view.hpp).
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

struct Status {
  Phase phase = Phase::running;
  /// Why the campaign was closed, or the stop rule that paused it.
  std::string reason = {};
  Time started = {}, last_event = {};
  Money budget = {}, spent = {}, reserved = {}, left = {};
  std::uint64_t events = 0;
  std::uint32_t items = 0, gold = 0, workers = 0, leases = 0;
  std::uint64_t labels = 0, gold_labels = 0, imported = 0;
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
  /// Items with a known truth, gold apart, and the share of them whose present answer is right.
  std::uint32_t truths = 0;
  std::optional<double> accuracy = {};
};

struct AnswerRow {
  std::string item;
  ClassId answer;
  /// By class.
  std::vector<double> probabilities;
  std::uint32_t labels;
  /// Entropy of the probabilities, in nats.
  double entropy;
  /// Share of the labels that differ from the answer; 0 without labels.
  double disagreement;
  /// Why workers are no longer asked about the item; empty while they are.
  std::string finish_reason;
};

/// All items, in order, at one event.
struct Board {
  struct Item {
    /// Probability of the answer; 1 for a gold item.
    double probability;
    ClassId answer;
    std::uint32_t labels;
  };
  std::uint64_t sequence = 0;
  std::vector<Item> items = {};
};

/// A worker's label of an item, which replaces an earlier one of the same worker.
struct WorkerLabel {
  WorkerId worker;
  ClassId label;
};

struct WorkerRow {
  std::string worker;
  WorkerFacts facts;
  Money price;
  /// The chance of a right label, with an interval that holds it with probability 0.9.
  double reliability, low, high;
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
  std::string item;
  std::vector<Share> shares;
  std::vector<double> probabilities;
  std::uint32_t pending;
  std::string finish_reason;
  std::optional<ClassId> gold;
  /// With a worker: the policy's index of the pair, relative to the lowest price, and what each
  /// label would do, by class.
  std::optional<double> value;
  std::vector<LabelOutcome> outlook;
};

/// An item in the order in which a worker would get it.
struct RankedItem {
  std::string item;
  double value;
  std::vector<double> probabilities;
  std::vector<LabelOutcome> outlook;  // by class
};

/// An event of the ledger.
struct LedgerEntry {
  std::uint64_t sequence;
  Time time;
  std::string key;
  Event event;
};

struct Verification {
  std::uint64_t events = 0, decisions = 0;
  /// One line per difference; empty if all is well.
  std::vector<std::string> differences;
};

}  // namespace allot::campaign
