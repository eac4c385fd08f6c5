// Rules that stop a campaign before its budget is spent, and the reasons why campaigns end.
//
//   accuracy   stop when the expected accuracy, the mean of the probabilities that the answers are
//              right, is at least x;
//   settled    an item whose answer is right with probability x or more gets no further labels, for
//              good; the campaign ends when all items are settled;
//   certified  stop when an audit proves an accuracy of x (campaigns only, campaign/audit.hpp);
//   worth      stop when no label that can be bought is worth its price (policy/label_worth.hpp).
// All rules read the beliefs as they are between refits. If several reasons apply at once, the
// rules come before the budget, in the order above.
//
//   Certainty certainty(rules, items);  for all items: certainty.set(item, error probability);
//   until certainty.reason(): ask, record, certainty.set(item, ...); settled items are left out.
//
// Cost: O(1) when a belief changes. The expected accuracy is a compensated sum, without drift.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/base/money.hpp"

namespace allot::policy {

/// Reasons why a campaign ends.
enum class StopReason : std::uint8_t {
  accuracy,   // the expected accuracy is reached
  settled,    // all items are settled
  worth,      // no label is worth its price
  budget,     // spent: what is left pays nobody who could be asked
  exhausted,  // there is nothing left to ask
  certified,  // an audit proves the accuracy; campaigns only
};

/// The reasons of simulated and replayed campaigns, in the order in which they apply.
inline constexpr std::array kStopReasons{StopReason::accuracy, StopReason::settled,
                                         StopReason::worth, StopReason::budget,
                                         StopReason::exhausted};

/// The name used in the command line and in tables.
std::string_view name(StopReason reason);

/// A rule without a value is off.
struct StopRules {
  /// Expected accuracy at which the campaign stops; above 0, at most 1.
  std::optional<double> accuracy = {};
  /// Probability of a right answer at which an item is settled; above 1/2, at most 1.
  std::optional<double> settled = {};
  /// Worth of a right answer, in the currency of prices; positive.
  std::optional<Money> worth = {};
  /// Accuracy that an audit must prove; above 0, below 1. For campaigns only.
  std::optional<double> certified = {};

  /// Whether any rule is on.
  bool any() const { return accuracy || settled || worth || certified; }
  bool operator==(const StopRules&) const = default;
};

/// Throws std::invalid_argument if a rule is out of its range.
void check(const StopRules& rules);

/// The error probabilities of a campaign's answers, and the rules that they meet.
class Certainty {
 public:
  /// Until it is set, the error probability of an item is 1.
  Certainty(const StopRules& rules, std::uint32_t item_count);

  /// Sets the probability that the item's answer is wrong. Returns whether this settles the item.
  bool set(ItemId item, double error);

  /// Expected accuracy of the answers; 1 if there are no items.
  double expected_accuracy() const;
  /// Whether the item gets no further labels; always false without the rule `settled`.
  bool is_settled(ItemId item) const { return settled_[position(item)]; }
  /// Number of settled items; 0 without the rule `settled`.
  std::uint32_t settled_count() const { return settled_count_; }

  /// The rule that ends the campaign, `accuracy` or `settled`, if one does.
  std::optional<StopReason> reason() const;

 private:
  void add(double error);

  const StopRules rules_;
  std::vector<double> error_;  // by item
  std::vector<bool> settled_;
  std::uint32_t settled_count_ = 0;
  double sum_ = 0, lost_ = 0;  // of the errors; lost_ is the part that rounding took from sum_
};

}  // namespace allot::policy
