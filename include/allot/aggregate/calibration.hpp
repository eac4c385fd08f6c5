// Whether probabilities are kept: of the answers given with probability .9 to .95, how many were
// right.
//
// Answers with a known truth are put into bins by their probability. In each the mean of what was
// promised is compared with the share that was right; the expected calibration error is the mean of
// the differences over all answers,
//   sum_bins (answers in the bin / all answers) |promised - right|.
// It is 0 for probabilities that are kept; by chance alone it is about the sum over bins of
// 0.8 sqrt(p (1-p) n_bin) / n. Cost: O(items).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "allot/aggregate/class_answers.hpp"

namespace allot::aggregate {

/// Probabilities from `from` up to but without `to`; the last bin has 1 as well.
struct CalibrationBin {
  double from, to;
  std::uint64_t answers = 0;
  std::uint64_t right = 0;
  /// Sum of the probabilities in parts of 2^32: the same in whatever order answers come.
  std::uint64_t promised_parts = 0;

  double promised_sum() const { return static_cast<double>(promised_parts) / 4294967296.0; }
  /// The mean probability of the answers to 1e-9; NaN if there are none.
  double promised() const { return promised_sum() / static_cast<double>(answers); }
  /// NaN without answers.
  double share_right() const { return static_cast<double>(right) / static_cast<double>(answers); }

  bool operator==(const CalibrationBin&) const = default;
};

class Calibration {
 public:
  /// Without answers.
  Calibration();

  /// Counts the items whose truth is known. Answers without probabilities count nothing. A truth
  /// may be a class that no answer can be.
  void add(const ClassAnswers& answers, std::span<const std::optional<ClassId>> truth);
  /// The same from the probability of each answer, one an item.
  void add(std::span<const ClassId> answers, std::span<const double> probabilities,
           std::span<const std::optional<ClassId>> truth);
  /// Adds the counts of another, as of other runs.
  Calibration& operator+=(const Calibration& other);

  /// 0-.5 (only where there are more than two classes), .5-.6, .6-.7, .7-.8, .8-.9, .9-.95, .95-.99
  /// and .99-1.
  std::span<const CalibrationBin> bins() const { return bins_; }
  /// All bins together.
  CalibrationBin total() const;
  /// Nothing without answers.
  std::optional<double> expected_error() const;

  bool operator==(const Calibration&) const = default;

 private:
  std::vector<CalibrationBin> bins_;
};

}  // namespace allot::aggregate
