// Options about the compared policies and the number of runs, shared by simulate and replay.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/sim/experiment.hpp"
#include "cli/crowd_options.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"

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

/// Reads --format, and checks that figure and calibration can be written.
Result<Format> read_output(const RunFlags& flags);

/// Beliefs about items by --prior, or by `method` about those with features.
Result<sim::AlikeWorkers> read_alike(const RunFlags& flags, const ItemKind& items,
                                     math::LogisticMethod method = math::LogisticMethod::laplace);
/// Beliefs about items and workers; `refit` is the default of --refit.
Result<sim::DifferingWorkers> read_differing(const RunFlags& flags, const CrowdFlags& crowd,
                                             std::string_view refit, const ItemKind& items);

using Workers = decltype(sim::Experiment::workers);
/// Everything but budgets and the world.
Result<sim::Experiment> read_experiment(const RunFlags& flags, Workers workers);

/// Heading: "mean of 20 runs (seed 1)".
std::string runs_text(const sim::Experiment& experiment);
/// Heading as JSON: names, and values in JSON.
Fields run_settings(const RunFlags& flags, const sim::Experiment& experiment);

}  // namespace allot::cli
