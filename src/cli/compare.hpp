// Running a comparison of policies and showing its rows.
#pragma once

#include <optional>
#include <string>

#include "allot/sim/experiment.hpp"
#include "cli/comparison.hpp"

namespace allot::cli {

/// Runs the experiment behind a progress bar with the label `doing`, and shows its rows.
Result<Output> compare(const char* doing, const sim::Experiment& experiment, Comparison comparison,
                       Format format, const std::optional<std::string>& plot);

}  // namespace allot::cli
