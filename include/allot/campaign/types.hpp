// What callers give to a campaign's commands, and what they get back.
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
  std::string id;
  /// What workers see of the item: a JSON object, or nothing. The store keeps it beside the ledger.
  std::string fields = {};
  std::optional<Money> price = {};
  /// The known answer of a gold item: workers are tested on it, and its answer is not sought.
  std::optional<std::string> gold = {};
  /// As many numbers as the options name features.
  std::vector<double> features = {};
  /// The class that the caller knows the item to have. It measures the accuracy of answers; no
  /// decision looks at it.
  std::optional<std::string> truth = {};
};

/// What a campaign starts with, beside its options.
struct Setup {
  std::span<const ItemDraft> items = {};
  /// Prices by worker. Workers named here join the campaign.
  std::span<const std::pair<std::string, Money>> prices = {};
};

/// A worker's label of an item.
struct Answer {
  std::string item, worker, label;
};

/// An item leased to a worker.
struct Assignment {
  std::string item;
  std::string fields;
  Money price;
  Time expires;
  /// For the requester; a worker must not see it.
  LeaseReason reason;
};

/// The items that one request leased.
struct Handout {
  std::vector<Assignment> assignments;
  /// Why there are fewer items than the caller asked for; empty if there are not.
  std::string shortfall;
};

/// What a recorded answer did.
enum class Outcome {
  recorded,
  already,  // the same label was there
  revised,
};

}  // namespace allot::campaign
