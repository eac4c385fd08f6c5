// A file of labels, and the truth beside it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allot/io/label_csv.hpp"
#include "allot/io/truth_csv.hpp"

namespace allot::cli {

/// As written.
struct LabelFlags {
  std::string labels;
  std::optional<std::string> truth;
  std::string duplicates = "error";
  /// That no label need have.
  std::vector<std::string> classes;
};

struct LabelFiles {
  io::LabelFile labels;
  std::optional<io::Truth> truth;
  /// What a reader of the results should know about the classes: a line each.
  std::vector<std::string> notes;
};

/// The file as a message calls it.
std::string file_name(const std::string& path);

/// The rule of --duplicates and the names of --classes, before any file is read.
struct LabelRules {
  io::Duplicates duplicates;
  std::vector<std::string> classes;
};
Result<LabelRules> read_label_rules(const LabelFlags& flags);

/// Refusals name the file. Standard input cannot be both.
Result<LabelFiles> read_label_files(const LabelFlags& flags, const LabelRules& rules);

}  // namespace allot::cli
