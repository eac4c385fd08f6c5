// Calibration of answers: expected against observed accuracy, for simulate and replay. It is shown
// as a second table, in JSON rows, as a CSV file, or as a figure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allot/sim/row.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"

namespace allot::cli {

/// Checks the values of --calibration: FILE.csv, FILE.svg or -, which is standard output. Refuses
/// places that cannot be written to, and - with CSV, which prints one table already.
Result<void> check_calibration(const std::vector<std::string>& places, Format format);

/// Rows of all policies and budgets. Answers of `runs_alike` runs are about the same items, so they
/// are not independent.
struct CalibrationReport {
  const std::vector<sim::Row>& rows;
  std::uint32_t runs_alike = 1;

  /// Bins that have answers, at the largest budget of every policy.
  std::string table() const;
  /// One row per policy, budget and bin.
  std::string csv() const;
  /// Observed against expected accuracy, at the largest budget.
  std::string figure(const std::string& conditions) const;
  /// Bins and calibration error of a row, as JSON.
  static Fields json(const sim::Row& row, std::uint32_t runs_alike);
};

/// A line that says how far the stated probabilities of `who` are above what is right, such as
/// "probabilities are too high: opt-kg expects 0.99 of its answers to be right, and 0.78 are".
std::string overstated_text(const std::string& who, double expected, double right);

/// Whether the line is worth showing: more than a tenth above.
bool is_overstated(double expected, double right);

}  // namespace allot::cli
