// Counts of an experiment: workers, labels, and how many labels its budgets buy.
#pragma once

#include <cstdint>
#include <vector>

#include "allot/sim/experiment.hpp"

namespace allot::sim {

/// The labels to be played back; null if labels are simulated.
const Recording* recording_of(const Experiment& experiment);

/// The number of workers who differ; 0 where workers are alike.
std::uint32_t worker_count(const Experiment& experiment);
/// The number of labels that can be had; the largest number if unlimited.
std::uint64_t label_count(const Experiment& experiment);
/// The price of a label, one per worker; a single one where workers are alike.
std::vector<Money> worker_prices(const Experiment& experiment);
/// The most labels that each budget can buy.
std::vector<std::uint64_t> label_budgets(const Experiment& experiment);

}  // namespace allot::sim
