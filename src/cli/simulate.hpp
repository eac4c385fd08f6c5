// The work of `allot simulate`, also for callers that bring policies or methods along.
#pragma once

#include <optional>
#include <string>

#include "allot/base/progress.hpp"
#include "cli/comparison.hpp"
#include "cli/plugins.hpp"
#include "cli/run_options.hpp"

namespace allot::cli {

/// Values as written.
struct SimulateOptions {
  std::optional<std::string> items;
  std::string budget = "10x";
  std::string truth = "uniform";
  std::optional<std::string> classes;
  RunFlags run;
  /// Workers who differ; all are alike if not given.
  std::optional<std::string> workers;
  std::optional<std::string> worker_truth;
  /// Whether beliefs know which workers err together: `declared` or `ignored`.
  std::optional<std::string> groups;
  /// Confidences that workers state: `informative`, `noise` or `inverted`; none if not given.
  std::optional<std::string> confidence;
  CrowdFlags crowd;
};

void add_simulate_options(Command& command, SimulateOptions& options);

/// Compares the policies on simulated labels.
Result<Comparison> simulate(const SimulateOptions& options, const Plugins& plugins,
                            Progress& progress);

}  // namespace allot::cli
