// Budgets as people write them: 500 labels, 10x (ten an item), 40% (of the labels there are), lists
// 2x,5x,10x, ranges 2x..20x, 10%..50%:10% and 100..500:50.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::io {

struct Budget {
  std::uint64_t labels = 0;
  /// What was written, if it was a share of all labels.
  std::optional<double> percent = {};

  bool operator==(const Budget&) const = default;
};

/// The budgets in labels, in the order written, each number of labels once; each at least 1. A
/// range goes up in steps of 1 (or 1x), or of what follows its colon. Multiples of the number of
/// items are rounded to whole labels, and so are shares of `label_count`; without it shares are
/// refused.
Result<std::vector<Budget>> parse_budgets(std::string_view text, std::uint32_t item_count,
                                          std::optional<std::uint64_t> label_count = std::nullopt);

/// One budget: a list that has just one member.
Result<std::uint64_t> parse_budget(std::string_view text, std::uint32_t item_count);

}  // namespace allot::io
