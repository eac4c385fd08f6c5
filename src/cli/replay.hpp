// The work of `allot replay` once its labels are in memory, also for callers that have them there.
#pragma once

#include <optional>
#include <string>

#include "allot/base/progress.hpp"
#include "cli/comparison.hpp"
#include "cli/label_files.hpp"
#include "cli/plugins.hpp"
#include "cli/run_options.hpp"

namespace allot::cli {

/// Values as written.
struct ReplayOptions {
  LabelFlags files;  // with a truth
  std::string workers = "differ";
  std::optional<std::string> budget;
  RunFlags run;
  CrowdFlags crowd;
  FeatureFlags features = {};
  std::optional<std::string> feature_update = {};
};

void add_replay_options(Command& command, ReplayOptions& options);

/// What a replay reads. Errors call the labels and the truth as the options do.
struct ReplayInput {
  LabelFiles files;
  /// Prices by worker, if they differ: one row per worker, as in a file of prices.
  std::optional<std::string> prices = {};
};

/// Compares the policies on the labels. Without a truth, the answers from all labels replace it.
Result<Comparison> replay(const ReplayOptions& options, ReplayInput input, const Plugins& plugins,
                          Progress& progress);

}  // namespace allot::cli
