// A file of labels, and the truth beside it.
#pragma once

#include <optional>
#include <string>

#include "allot/io/label_csv.hpp"
#include "allot/io/truth_csv.hpp"

namespace allot::cli {

struct LabelFiles {
  io::LabelFile labels;
  std::optional<io::Truth> truth;
};

/// The file as a message calls it.
std::string file_name(const std::string& path);

/// Refusals name the file. Standard input cannot be both.
Result<LabelFiles> read_label_files(const std::string& labels,
                                    const std::optional<std::string>& truth,
                                    io::Duplicates duplicates);

}  // namespace allot::cli
