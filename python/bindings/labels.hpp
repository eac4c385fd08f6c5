// Labels in memory, read from a file or from the columns of a table.
#pragma once

#include <optional>
#include <string>

#include "cli/label_files.hpp"

namespace allot::python {

/// Labels with their warnings; immutable once made.
struct Labels {
  cli::LabelFiles files;
};

/// The labels with the truth of a text, one row per item, in `files`. Errors and warnings call the
/// texts labels and truth.
cli::LabelFiles with_truth(const Labels& labels, const std::optional<std::string>& truth);

/// The warnings about the files, with the options' names in Python.
std::vector<std::string> notes_of(const cli::LabelFiles& files);

}  // namespace allot::python
