// When to stop asking although there is budget left, and why a campaign ended.
//
//   accuracy   the answers are good enough: their expected accuracy, the mean of the probabilities
//              that they are right, is at least x;
//   settled    an item whose answer is right with probability x or more gets no further labels, for
//              good; when all items are settled the campaign ends;
//   worth      no label that can be bought is worth its price (policy/label_worth.hpp).
// All rules look at beliefs as they are between refits. Whatever ends a campaign has a StopReason;
// if several do at once, the rules come before the budget and in the order above.
//
//   Certainty certainty(rules, items);  for all items: certainty.set(item, error probability);
//   until certainty.reason(): ask, record, certainty.set(item, ...); settled items are left out.
//
// Cost: O(1) when the belief about one item changes. The expected accuracy is a sum that is kept
// up, with what rounding took from it kept apart, so it does not drift.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/base/money.hpp"

namespace allot::policy {

enum class StopReason : std::uint8_t {
  accuracy,   // the expected accuracy is reached
  settled,    // all items are
  worth,      // no label is worth its price
  budget,     // spent: what is left pays nobody who could be asked
  exhausted,  // there is nothing left to ask
};

inline constexpr std::array kStopReasons{StopReason::accuracy, StopReason::settled,
                                         StopReason::worth, StopReason::budget,
                                         StopReason::exhausted};

/// As written in the command line and in tables.
std::string_view name(StopReason reason);

/// None of them if empty.
struct StopRules {
  /// Above 0, at most 1.
  std::optional<double> accuracy = {};
  /// Above 1/2, at most 1.
  std::optional<double> settled = {};
  /// What a right answer is worth, in the money in which labels have prices; positive.
  std::optional<Money> worth = {};

  bool any() const { return accuracy || settled || worth; }
  bool operator==(const StopRules&) const = default;
};

/// Throws std::invalid_argument if a rule is out of its range.
void check(const StopRules& rules);

/// How sure the answers of a campaign are, item by item.
class Certainty {
 public:
  /// Before anything is set every answer is wrong for certain.
  Certainty(const StopRules& rules, std::uint32_t item_count);

  /// The probability that the item's answer is wrong. Whether that settles it, which happens once.
  bool set(ItemId item, double error);

  /// Of the answers; 1 if there are no items.
  double expected_accuracy() const;
  /// Never with rules that settle nothing.
  bool is_settled(ItemId item) const { return settled_[position(item)]; }
  std::uint32_t settled_count() const { return settled_count_; }

  /// `accuracy` or `settled`, if the rules say so.
  std::optional<StopReason> reason() const;

 private:
  void add(double error);

  const StopRules rules_;
  std::vector<double> error_;  // by item
  std::vector<bool> settled_;
  std::uint32_t settled_count_ = 0;
  double sum_ = 0, lost_ = 0;  // of the errors: lost_ is what rounding took from sum_
};

}  // namespace allot::policy
