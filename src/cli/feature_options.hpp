// Options about features of items, shared by aggregate and replay.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "allot/io/label_csv.hpp"
#include "allot/model/features.hpp"
#include "cli/command.hpp"

namespace allot::cli {

/// Values as written.
struct FeatureFlags {
  std::optional<std::string> features = {};
  bool no_standardise = false;
  bool no_intercept = false;
  std::optional<std::string> variance = {};
};

void add_feature_options(Command& command, FeatureFlags& flags);

/// Refuses options about features without a file of features.
Result<void> check_features(const FeatureFlags& flags);

/// Prior variance of every regression weight but the intercept; 0 stands for 1 / columns.
Result<double> read_feature_variance(const FeatureFlags& flags);

struct NotedDesign {
  std::shared_ptr<const model::Design> design;
  /// Warning about the features; mostly empty.
  std::string note;
};

/// Reads the file, which must be given. Adds items without labels at the end of `labels`.
Result<NotedDesign> read_design(const FeatureFlags& flags, io::LabelFile& labels);

}  // namespace allot::cli
