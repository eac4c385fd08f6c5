// Calibration: of the answers given with probability .9 to .95, how many were right?
//
// Answers with a known truth are put into bins by their probability. Each bin compares the mean
// probability (expected) with the share of right answers (observed). The expected calibration error
// is the mean difference over all answers,
//   sum_bins (answers in the bin / all answers) |expected - observed|.
// It is 0 for calibrated probabilities. By chance alone it is about the sum over bins of 0.8 sqrt(p
// (1-p) n_bin) / n. Cost: O(items).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "allot/aggregate/class_answers.hpp"

namespace allot::aggregate {

/// One bin: probabilities from `from` up to but not including `to`; the last bin includes 1.
struct CalibrationBin {
  double from;  ///< lower edge
  double to;    ///< upper edge
  /// Number of answers.
  std::uint64_t answers = 0;
  /// Number of right answers.
  std::uint64_t right = 0;
  /// Sum of the probabilities in units of 2^-32: exact in any order of answers.
  std::uint64_t expected_parts = 0;

  /// Sum of the probabilities.
  double expected_sum() const { return static_cast<double>(expected_parts) / 4294967296.0; }
  /// Mean probability of the answers, to 1e-9; NaN if there are none.
  double expected() const { return expected_sum() / static_cast<double>(answers); }
  /// Share of right answers; NaN if there are none.
  double observed() const { return static_cast<double>(right) / static_cast<double>(answers); }

  /// Bins are equal if all their numbers are.
  bool operator==(const CalibrationBin&) const = default;
};

/// Range of a share.
struct ShareRange {
  double low,  ///< lower end
      high;    ///< upper end
};

/// Range of the share of right answers that the answers of a bin stand for: the Jeffreys interval,
/// quantiles of Beta(right + 1/2, wrong + 1/2) that hold `level` between them. 0 is the lower end
/// if no answer is right, 1 the upper end if all are.
ShareRange observed_range(const CalibrationBin& bin, double level = 0.9);

/// Counts of right answers per bin of probability.
class Calibration {
 public:
  /// Counts no answers yet.
  Calibration();

  /// Counts the items with a known truth, of any class. Ignores answers without probabilities.
  void add(const ClassAnswers& answers, std::span<const std::optional<ClassId>> truth);
  /// Counts answers from one probability per item.
  void add(std::span<const ClassId> answers, std::span<const double> probabilities,
           std::span<const std::optional<ClassId>> truth);
  /// Adds the counts of another calibration, such as that of other runs.
  Calibration& operator+=(const Calibration& other);

  /// The bins: 0-.5 (used only with more than two classes), .5-.6, .6-.7, .7-.8, .8-.9, .9-.95,
  /// .95-.99 and .99-1.
  std::span<const CalibrationBin> bins() const { return bins_; }
  /// All bins together.
  CalibrationBin total() const;
  /// The expected calibration error; nothing without answers.
  std::optional<double> expected_error() const;

  /// Calibrations are equal if all their bins are.
  bool operator==(const Calibration&) const = default;

 private:
  std::vector<CalibrationBin> bins_;
};

}  // namespace allot::aggregate
