// Rows that are both shown and exported.
#pragma once

#include "cli/campaign_file.hpp"
#include "cli/sheet.hpp"

namespace allot::cli {

/// item, answer, probability, labels, entropy, disagreement, settled, p_CLASS...
Result<Sheet> answer_sheet(const OpenCampaign& open);
/// worker, labels, at_hand, skips, reliability, low, high, agreement, gold, gold_right, price,
/// spent
Result<Sheet> worker_sheet(const OpenCampaign& open);

/// The names of the classes.
Result<std::vector<std::string>> classes_of(const OpenCampaign& open);

/// Columns of real numbers, a prefix and a class each.
void add_class_columns(std::vector<Column>& columns, const std::string& prefix,
                       const std::vector<std::string>& classes);
void add_numbers(std::vector<std::string>& row, std::span<const double> numbers);

}  // namespace allot::cli
