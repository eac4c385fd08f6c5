// Answers and workers as rows of values, for all places that show or export them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allot/campaign/types.hpp"
#include "io/row_text.hpp"

namespace allot::campaign {

/// What the answer rests on: "labelled", "reviewed", or "no label yet" if there is none.
std::string_view answer_status(const AnswerRow& one);
/// item, answer, probability, calibrated, labels, entropy, disagreement, settled, reviewer, reason,
/// status, p_CLASS...; where classes are ordered, expected_rank before p_CLASS. Columns about the
/// answer are empty if there is none.
std::vector<io::Column> answer_columns(const Options& options);
std::vector<std::string> answer_values(const AnswerRow& one, const Options& options);
/// worker, labels, at_hand, skips, reliability, low, high, agreement, gold, gold_right, reviewed,
/// reviewed_right, price, spent, standing, reason, answer_agreement, seconds,
/// pay_per_hour, too_fast, group
std::vector<io::Column> worker_columns();
std::vector<std::string> worker_values(const WorkerRow& one);

/// The reason and the note, such as "unclear: no picture", or one of both.
std::string remark_text(const Remark& remark);
/// Kinds of workers as rows.
std::vector<io::Column> kind_columns();
std::vector<std::string> kind_values(const KindRow& one);
/// The confidence as text; empty if there is none.
std::string confidence_text(const std::optional<float>& confidence);

/// One column of real numbers per class, each named by the prefix and the class.
void add_class_columns(std::vector<io::Column>& columns, const std::string& prefix,
                       const std::vector<std::string>& classes);
void add_numbers(std::vector<std::string>& row, std::span<const double> numbers);

}  // namespace allot::campaign
