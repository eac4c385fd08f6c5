// Answers of `allot aggregate` calibrated by known ones (model/calibration_map).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allot/aggregate/class_answers.hpp"
#include "allot/aggregate/reliability_diagram.hpp"
#include "allot/io/label_csv.hpp"
#include "allot/io/truth_csv.hpp"
#include "allot/model/calibration_map.hpp"
#include "cli/formats.hpp"

namespace allot::cli {

/// Number of labels per item.
std::vector<std::uint32_t> label_counts(const io::LabelFile& file);

struct CalibratedAnswers {
  /// The same answers with calibrated probabilities.
  aggregate::ClassAnswers answers;
  /// Number of known answers that the map rests on: items with labels and a known truth.
  std::uint64_t known;
  /// Accuracy of the answers to all items with labels.
  model::AccuracyRange accuracy;
  /// The known answers by their stated probability.
  std::vector<aggregate::ReliabilityBin> diagram;
};

/// Nothing if the answers have no probabilities.
std::optional<CalibratedAnswers> calibrate(const io::LabelFile& file,
                                           const aggregate::ClassAnswers& answers,
                                           const io::Truth& known);

/// Number of known answers, reliability diagram and calibrated accuracy.
std::string calibration_text(const std::string& method, const CalibratedAnswers& calibrated);
/// known_answers, calibrated_accuracy, calibrated_low and calibrated_high of the summary.
Fields calibration_fields(const std::optional<CalibratedAnswers>& calibrated);

}  // namespace allot::cli
