// Files of finished answers, such as `allot aggregate --output` writes: one row per item with its
// answer and, if known, the probability that it is right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/base/result.hpp"

namespace allot::io {

/// Answers and their stated probabilities.
struct FinishedAnswers {
  /// Names of the items, in the order of the file.
  std::vector<std::string> items;
  /// Names of the classes, in class order.
  std::vector<std::string> classes;
  /// The answer of each item.
  std::vector<ClassId> answers;
  /// The probability of each answer; empty if the file has none.
  std::vector<double> stated;
  /// Number of rows without an answer, which are left out: no label yet.
  std::uint64_t unanswered = 0;
};

/// Parses the columns item, answer (or label, agg_label) and probability (or confidence). The
/// last is optional; if all its fields are empty, there are no probabilities. Rows without an
/// answer are left out. The classes are those of the answers and `more_classes`.
Result<FinishedAnswers> parse_finished_answers(std::string_view text,
                                               const std::vector<std::string>& more_classes = {});

}  // namespace allot::io
