// Options about what is known of items beforehand, the same wherever items have features.
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

/// Refuses options about features where no file has any.
Result<void> check_features(const FeatureFlags& flags);

/// Of every regression weight but the intercept; 0, which stands for 1 / columns, if not given.
Result<double> read_feature_variance(const FeatureFlags& flags);

struct NotedDesign {
  std::shared_ptr<const model::Design> design;
  /// What a reader of the results should know about it; mostly empty.
  std::string note;
};

/// Reads the file, which must be given. Items that nobody labelled become the last of the labels'.
Result<NotedDesign> read_design(const FeatureFlags& flags, io::LabelFile& labels);

}  // namespace allot::cli
