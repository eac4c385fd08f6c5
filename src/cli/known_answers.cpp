#include "cli/known_answers.hpp"

#include <fmt/format.h>

namespace allot::cli {
namespace {

using aggregate::ClassAnswers;

constexpr double kLevel = 0.9;

ClassAnswers mapped(const model::CalibrationMap& map, const ClassAnswers& answers,
                    const std::vector<std::uint32_t>& counts) {
  ClassAnswers result = answers;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    const auto row = std::span(result.probabilities)
                         .subspan(std::size_t{i} * answers.class_count, answers.class_count);
    map.apply(row, counts[i], row);
  }
  return result;
}

/// Expected accuracy of the labelled items.
model::AccuracyRange accuracy(const model::CalibrationMap& map, const ClassAnswers& answers,
                              const std::vector<std::uint32_t>& counts) {
  std::vector<double> probabilities;
  std::vector<std::uint32_t> labels;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const auto row = answers.of(ItemId{i});
    probabilities.insert(probabilities.end(), row.begin(), row.end());
    labels.push_back(counts[i]);
  }
  return map.accuracy(probabilities, labels, kLevel);
}

}  // namespace

std::vector<std::uint32_t> label_counts(const io::LabelFile& file) {
  std::vector<std::uint32_t> counts(file.items.size());
  for (const model::GivenLabel& label : file.set.labels) ++counts[position(label.item)];
  return counts;
}

std::optional<CalibratedAnswers> calibrate(const io::LabelFile& file, const ClassAnswers& answers,
                                           const io::Truth& known) {
  if (answers.probabilities.empty() || answers.class_count < 2) return {};
  const std::vector<std::uint32_t> counts = label_counts(file);
  std::vector<model::KnownAnswer> answered;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    const auto& truth = known.of_item[i];
    if (truth && counts[i] > 0)
      answered.push_back({answers.of(ItemId{i}), counts[i], *truth == answers.answers[i]});
  }
  const model::CalibrationMap map(answers.class_count, answered);
  return CalibratedAnswers{mapped(map, answers, counts), map.known(),
                           accuracy(map, answers, counts),
                           aggregate::reliability_diagram(answered, map, kLevel)};
}

std::string calibration_text(const std::string& method, const CalibratedAnswers& calibrated) {
  std::string text = fmt::format("Calibration of {}: rests on {}\n\n", method,
                                 count_text(calibrated.known, "known answer"));
  Table table({"probability", "known", "stated", "right", "90 % interval", "calibrated"});
  for (const auto& [bin, right, mean] : calibrated.diagram) {
    table.add({fmt::format("{:.2f} to {:.2f}", bin.from, bin.to), fmt::format("{}", bin.answers),
               fmt::format("{:.4f}", bin.expected()), fmt::format("{:.4f}", bin.observed()),
               fmt::format("{:.3f} to {:.3f}", right.low, right.high),
               fmt::format("{:.4f}", mean)});
  }
  if (calibrated.known > 0) text += table.text() + "\n";
  const auto& [mean, low, high] = calibrated.accuracy;
  return text + fmt::format("  calibrated expected accuracy: {:.4f}, 90 % range {:.4f} to {:.4f}\n",
                            mean, low, high);
}

Fields calibration_fields(const std::optional<CalibratedAnswers>& calibrated) {
  const auto number = [&](double model::AccuracyRange::*member) {
    return calibrated ? number_text(calibrated->accuracy.*member) : "";
  };
  return {{"known_answers", calibrated ? fmt::format("{}", calibrated->known) : ""},
          {"calibrated_accuracy", number(&model::AccuracyRange::mean)},
          {"calibrated_low", number(&model::AccuracyRange::low)},
          {"calibrated_high", number(&model::AccuracyRange::high)}};
}

}  // namespace allot::cli
