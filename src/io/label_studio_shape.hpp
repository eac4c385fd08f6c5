// Answers as predictions of Label Studio: JSON to import into a project.
//
// Tasks of an export keep their id and their data. The prediction has the name, type and value of
// the control that the labels came from.
#pragma once

#include <string>
#include <string_view>

#include "allot/io/answer_shapes.hpp"

namespace allot::io {

/// The tasks with an answer, each with one prediction. `text` is the text of the label file.
Result<std::string> label_studio_shape(const ShapedAnswers& from, std::string_view text,
                                       const LabelColumns& columns);

}  // namespace allot::io
