// Whether the probabilities of answers were kept, as simulate and replay show it: as a second
// table, in JSON rows, as a CSV file of its own, or as a figure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allot/sim/row.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace allot::cli {

/// Where --calibration says it should go, one or more of FILE.csv, FILE.svg and -, which is
/// standard output. Refuses what cannot be written, and - beside CSV: that is one table already.
Result<void> check_calibration(const std::vector<std::string>& places, Format format);

/// Rows of all policies and budgets, and how many runs are about the same items: their answers are
/// no independent ones.
struct CalibrationReport {
  const std::vector<sim::Row>& rows;
  std::uint32_t runs_alike = 1;

  /// The largest budget of every policy, and its bins that have answers.
  std::string table() const;
  /// One row a policy, budget and bin.
  std::string csv() const;
  /// What was right against what was promised, at the largest budget.
  std::string figure(const std::string& conditions) const;
  /// A row's bins and error as JSON.
  static Fields json(const sim::Row& row, std::uint32_t runs_alike);
};

}  // namespace allot::cli
