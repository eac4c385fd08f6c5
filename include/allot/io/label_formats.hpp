// Formats of label files: those of plain tables, and the exports of labelling tools.
//
// A format is recognised by the content of a text, never by its name: by the columns of the first
// row, or by the members of the first JSON object.
#pragma once

#include <span>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot::io {

/// A format that labels can be read from.
struct LabelFormat {
  std::string_view name;     ///< "mturk": as written on the command line
  std::string_view summary;  ///< one line: which program writes it
  std::string_view details;  ///< which parts are item, worker and label, and what is left out
  std::string_view example;  ///< a small file
};

/// All formats, plain tables first.
std::span<const LabelFormat> label_formats();

/// The format of that name; the refusal lists the names.
Result<LabelFormat> label_format(std::string_view name);

/// The format of a text. Refuses a text that is neither a table nor JSON, such as a spreadsheet.
Result<LabelFormat> recognise_labels(std::string_view text);

}  // namespace allot::io
