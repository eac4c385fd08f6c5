// Answers in the shapes that other tools read.
//
// Some shapes repeat parts of the label file: the data of its tasks, or all of its columns. So a
// writer gets the text of that file too, and reads it again instead of keeping it expanded.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"
#include "allot/io/label_csv.hpp"

namespace allot::io {

/// Answers to all items of a label file.
struct ShapedAnswers {
  const LabelFile& file;  ///< the labels
  /// The answer to each item; not set for items without a label.
  std::span<const std::optional<ClassId>> answers;
  std::span<const double> confidence;  ///< the probability of each answer; empty if there is none
  std::string method;                  ///< the name of the method, as in "pooled"
  /// The expected rank of each item where classes are ordered; else empty.
  std::span<const double> expected_rank = {};
};

/// A shape to write answers in.
struct AnswerShape {
  std::string_view name;     ///< "crowd-kit": as written on the command line
  std::string_view summary;  ///< one line: its columns
};

/// All shapes, without allot's own CSV.
std::span<const AnswerShape> answer_shapes();

/// The answers in the shape of that name. `text` is the text of the label file, and `columns` the
/// columns that were named when it was read.
Result<std::string> shape_answers(std::string_view shape, const ShapedAnswers& answers,
                                  std::string_view text, const LabelColumns& columns = {});

}  // namespace allot::io
