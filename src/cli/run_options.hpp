// Options about what is compared and how often, the same for simulate and replay, and the
// comparison itself.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/sim/crowd_experiment.hpp"
#include "allot/sim/experiment.hpp"
#include "allot/sim/multiclass_experiment.hpp"
#include "cli/crowd_options.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace allot::cli {

/// Values as written.
struct RunFlags {
  std::string prior = "uniform";
  std::vector<std::string> policies = {};
  std::string ties = "random";
  std::string runs = "20";
  std::string seed = "1";
  std::optional<std::string> threads = {};
  std::string format = "table";
  std::optional<std::string> plot = {};
  std::vector<std::string> calibration = {};
  std::optional<std::string> price = {};
  std::vector<std::string> stop = {};
};

void add_item_prior(Command& command, RunFlags& flags);
/// Registers --ties to --calibration.
void add_run_options(Command& command, RunFlags& flags);

/// The format, if figure and calibration can be written as well.
Result<Format> read_output(const RunFlags& flags);

/// Everything but budgets and where labels come from: for workers who are alike, and for workers
/// who differ, where `refit` is the default of --refit.
Result<sim::Experiment> read_alike(const RunFlags& flags);
Result<sim::CrowdExperiment> read_differing(const RunFlags& flags, const CrowdFlags& crowd,
                                            std::string_view refit, const ItemKind& items = {});
/// For items of several classes or with features and workers who are alike.
Result<sim::MulticlassExperiment> read_alike_classes(const RunFlags& flags, const ItemKind& items,
                                                     math::LogisticMethod method);

/// "mean of 20 runs (seed 1)".
template <typename Experiment>
std::string runs_text(const Experiment& experiment) {
  return fmt::format("mean of {} (seed {})", count_text(experiment.runs, "run"), experiment.seed);
}

/// The same for JSON: names, and values that are JSON already.
template <typename Experiment>
Fields run_settings(const RunFlags& flags, const Experiment& experiment) {
  return {{"ties", json_string(flags.ties)},
          {"runs", fmt::format("{}", experiment.runs)},
          {"seed", fmt::format("{}", experiment.seed)}};
}

}  // namespace allot::cli
