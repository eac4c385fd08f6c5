// A file of labels, and beside it the features of items and the truth.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allot/io/label_csv.hpp"
#include "allot/io/truth_csv.hpp"
#include "cli/feature_options.hpp"

namespace allot::cli {

/// Values as written.
struct LabelFlags {
  std::string labels;
  std::optional<std::string> truth;
  std::string duplicates = "error";
  /// Classes that exist even if no label has them.
  std::vector<std::string> classes;
};

/// Registers --duplicates and --classes.
void add_label_options(Command& command, LabelFlags& flags);

inline constexpr const char* kLabelsMeaning =
    "File with one row per label: item, worker, label; `-` reads standard input";
inline constexpr const char* kTruthMeaning = "File with one row per item: item, truth";

struct LabelFiles {
  io::LabelFile labels;
  std::optional<io::Truth> truth;
  /// None without a file of features. Its items that nobody labelled are the last of the labels.
  std::shared_ptr<const model::Design> design;
  /// What a reader of the results should know about classes and features: a line each.
  std::vector<std::string> notes;
};

/// The rule of --duplicates and the names of --classes, before any file is read.
struct LabelRules {
  io::Duplicates duplicates;
  std::vector<std::string> classes;
};
Result<LabelRules> read_label_rules(const LabelFlags& flags);

/// Refusals name the file. Standard input can be one of them.
Result<LabelFiles> read_label_files(const LabelFlags& flags, const LabelRules& rules,
                                    const FeatureFlags& features = {});

}  // namespace allot::cli
