// A file of labels, with the files of features and truth, and the options about them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allot/io/label_csv.hpp"
#include "allot/io/truth_csv.hpp"
#include "allot/model/features.hpp"
#include "cli/command.hpp"

namespace allot::cli {

/// Options about labels and truth, as written.
struct LabelFlags {
  std::string labels;
  std::optional<std::string> truth;
  /// Known answers to learn from, unlike `truth`.
  std::optional<std::string> known = {};
  std::string duplicates = "error";
  /// Classes that exist even if no label has them.
  std::vector<std::string> classes;
};

/// Options about features, as written.
struct FeatureFlags {
  std::optional<std::string> features = {};
  bool no_standardise = false;
  bool no_intercept = false;
  std::optional<std::string> variance = {};
};

/// Registers --duplicates and --classes.
void add_label_options(Command& command, LabelFlags& flags);
void add_feature_options(Command& command, FeatureFlags& flags);

inline constexpr const char* kLabelsMeaning =
    "File with one row per label: item, worker, label; `-` reads standard input";
inline constexpr const char* kTruthMeaning = "File with one row per item: item, truth";

/// Refuses options about features without a file of features.
Result<void> check_features(const FeatureFlags& flags);
/// Prior variance of every regression weight but the intercept; none if the option is not given.
Result<std::optional<double>> read_feature_variance(const FeatureFlags& flags);

/// Values of --duplicates and --classes, read before any file.
struct LabelRules {
  io::Duplicates duplicates;
  std::vector<std::string> classes;
};
Result<LabelRules> read_label_rules(const LabelFlags& flags);

struct LabelFiles {
  io::LabelFile labels;
  std::optional<io::Truth> truth = {};
  std::optional<io::Truth> known = {};
  /// None without a file of features. Its items without labels are the last of `labels`.
  std::shared_ptr<const model::Design> design = nullptr;
  /// Warnings about classes and features.
  std::vector<std::string> notes = {};
};

/// Reads the files. Errors name the file. One of them can be standard input.
Result<LabelFiles> read_label_files(const LabelFlags& flags, const LabelRules& rules,
                                    const FeatureFlags& features = {});

}  // namespace allot::cli
