// Budgets as people write them: 500 labels, 10x (ten per item), 40% (of all labels), lists
// 2x,5x,10x, ranges 2x..20x, 10%..50%:10% and 100..500:50. Where labels have prices, 12.50 is
// money.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/base/result.hpp"

namespace allot::io {

/// One budget.
struct Budget {
  /// Labels it can buy; an upper bound if it is in money.
  std::uint64_t labels = 0;
  /// The percentage as written, if it is a share of all labels.
  std::optional<double> percent = {};
  /// The amount, if labels have prices.
  std::optional<Money> money = {};

  /// Budgets are equal if all their parts are.
  bool operator==(const Budget&) const = default;
};

/// The budgets in labels, in the order written, each number of labels once; each at least 1. A
/// range rises in steps of 1 (or 1x), or of the number after its colon. Multiples of the number of
/// items, and shares of `label_count`, are rounded to whole labels. Without `label_count` shares
/// are refused.
Result<std::vector<Budget>> parse_budgets(std::string_view text, std::uint32_t item_count,
                                          std::optional<std::uint64_t> label_count = std::nullopt);

/// Prices of labels.
struct LabelPrices {
  Money lowest;   ///< lowest price
  Money highest;  ///< highest price
  /// Number of labels available; nothing if unlimited.
  std::optional<std::uint64_t> label_count = {};
  /// Cost of all available labels; nothing if unlimited.
  std::optional<Money> all = {};
};

/// The budgets in money, each amount once; each at least the lowest price and at most the cost of
/// all labels. Amounts are exact. 10x is the cost of ten labels per item, refused if prices differ.
/// 40% is a share of the cost of all labels; if there is one price, it is rounded to whole labels.
Result<std::vector<Budget>> parse_money_budgets(std::string_view text, std::uint32_t item_count,
                                                const LabelPrices& prices);

/// Parses a list with exactly one budget.
Result<std::uint64_t> parse_budget(std::string_view text, std::uint32_t item_count);

}  // namespace allot::io
