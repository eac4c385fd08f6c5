// Budgets as people write them: 500 labels, 10x (ten an item), 40% (of the labels there are), lists
// 2x,5x,10x, ranges 2x..20x, 10%..50%:10% and 100..500:50. Where labels have prices 12.50 is money.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/base/result.hpp"

namespace allot::io {

struct Budget {
  /// Of money the most that it can buy.
  std::uint64_t labels = 0;
  /// What was written, if it was a share of all labels.
  std::optional<double> percent = {};
  /// If labels have prices.
  std::optional<Money> money = {};

  bool operator==(const Budget&) const = default;
};

/// The budgets in labels, in the order written, each number of labels once; each at least 1. A
/// range goes up in steps of 1 (or 1x), or of what follows its colon. Multiples of the number of
/// items are rounded to whole labels, and so are shares of `label_count`; without it shares are
/// refused.
Result<std::vector<Budget>> parse_budgets(std::string_view text, std::uint32_t item_count,
                                          std::optional<std::uint64_t> label_count = std::nullopt);

/// What labels cost.
struct LabelPrices {
  Money lowest, highest;
  /// The labels there are, and what all of them cost; nothing where there is no end of them.
  std::optional<std::uint64_t> label_count = {};
  std::optional<Money> all = {};
};

/// The budgets in money, each amount once; each at least the lowest price and at most what all
/// labels cost. Amounts are exact; 10x is what ten labels an item cost, refused where prices
/// differ; 40% is a share of what all labels cost, with one price that of whole labels.
Result<std::vector<Budget>> parse_money_budgets(std::string_view text, std::uint32_t item_count,
                                                const LabelPrices& prices);

/// One budget: a list that has just one member.
Result<std::uint64_t> parse_budget(std::string_view text, std::uint32_t item_count);

}  // namespace allot::io
