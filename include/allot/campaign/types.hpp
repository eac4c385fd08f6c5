// Arguments and results of a campaign's commands.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/campaign/event.hpp"

namespace allot::campaign {

/// An item to be labelled. `gold` and `truth` name classes.
struct ItemDraft {
  std::string id;  ///< unique in the campaign
  /// JSON object that workers see, or empty. The store keeps it beside the ledger.
  std::string fields = {};
  std::optional<Money> price = {};  ///< its own price; not set for the price of the campaign
  /// The known answer of a gold item: workers are tested on it, and its answer is not sought.
  std::optional<std::string> gold = {};
  /// Numbers known of the item, one per feature in the options.
  std::vector<double> features = {};
  /// The class that the caller knows the item to have. It measures the accuracy of answers; no
  /// decision looks at it.
  std::optional<std::string> truth = {};
};

/// Items and prices that a campaign starts with, beside its options.
struct Setup {
  /// Items of the first commit; more can follow.
  std::span<const ItemDraft> items = {};
  /// Prices by worker. Workers named here join the campaign.
  std::span<const std::pair<std::string, Money>> prices = {};
};

/// A worker's label of an item.
struct Answer {
  std::string item,  ///< id of the item
      worker,        ///< name of the worker
      label;         ///< name of a class in the options
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

}  // namespace allot::campaign
