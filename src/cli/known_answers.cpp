#include "cli/known_answers.hpp"

#include <fmt/format.h>

namespace allot::cli {
namespace {

using aggregate::CalibrationBin;
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

/// Mean calibrated probability of the known answers in each bin of stated ones.
std::vector<double> means(const aggregate::Calibration& stated, const ClassAnswers& answers,
                          const ClassAnswers& calibrated,
                          const std::vector<std::optional<ClassId>>& truth) {
  std::vector<double> result;
  for (const CalibrationBin& bin : stated.bins()) {
    double sum = 0;
    for (std::uint32_t i = 0; i < truth.size(); ++i) {
      const std::uint32_t answer = position(answers.answers[i]);
      const double p = answers.of(ItemId{i})[answer];
      const bool inside = p >= bin.from && (p < bin.to || bin.to == 1);
      if (truth[i] && inside) sum += calibrated.of(ItemId{i})[answer];
    }
    result.push_back(sum / static_cast<double>(bin.answers));
  }
  return result;
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
  auto truth = known.of_item;
  std::vector<model::KnownAnswer> answered;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) truth[i].reset();
    if (truth[i])
      answered.push_back({answers.of(ItemId{i}), counts[i], *truth[i] == answers.answers[i]});
  }
  const model::CalibrationMap map(answers.class_count, answered);
  CalibratedAnswers result{
      mapped(map, answers, counts), map.known(), accuracy(map, answers, counts), {}, {}};
  result.stated.add(answers, truth);
  result.calibrated_means = means(result.stated, answers, result.answers, truth);
  return result;
}

std::string calibration_text(const std::string& method, const CalibratedAnswers& calibrated) {
  std::string text = fmt::format("Calibration of {}: rests on {}\n\n", method,
                                 count_text(calibrated.known, "known answer"));
  Table table({"probability", "known", "stated", "right", "90 % interval", "calibrated"});
  const auto bins = calibrated.stated.bins();
  for (std::size_t b = 0; b < bins.size(); ++b) {
    const CalibrationBin& bin = bins[b];
    if (bin.answers == 0) continue;
    const auto [low, high] = aggregate::observed_range(bin, kLevel);
    table.add({fmt::format("{:.2f} to {:.2f}", bin.from, bin.to), fmt::format("{}", bin.answers),
               fmt::format("{:.4f}", bin.expected()), fmt::format("{:.4f}", bin.observed()),
               fmt::format("{:.3f} to {:.3f}", low, high),
               fmt::format("{:.4f}", calibrated.calibrated_means[b])});
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
