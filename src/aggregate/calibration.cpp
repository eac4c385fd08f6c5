#include "allot/aggregate/calibration.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "allot/base/check.hpp"

namespace allot::aggregate {
namespace {

constexpr std::array kEdges{0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0};

void merge(CalibrationBin& bin, const CalibrationBin& other) {
  bin.answers += other.answers;
  bin.right += other.right;
  bin.expected_parts += other.expected_parts;
}

std::uint64_t parts(double probability) {
  return static_cast<std::uint64_t>(std::llround(std::ldexp(probability, 32)));
}

}  // namespace

ShareRange observed_range(const CalibrationBin& bin, double level) {
  require(level > 0 && level < 1, "observed_range", "level", level,
          "expected more than 0 and less than 1");
  const double right = static_cast<double>(bin.right),
               wrong = static_cast<double>(bin.answers - bin.right);
  const auto quantile = [&](double chance) {
    return boost::math::ibeta_inv(right + 0.5, wrong + 0.5, chance);
  };
  return {bin.right == 0 ? 0 : quantile((1 - level) / 2),
          bin.right == bin.answers ? 1 : quantile((1 + level) / 2)};
}

Calibration::Calibration() {
  for (std::size_t i = 0; i + 1 < kEdges.size(); ++i) bins_.push_back({kEdges[i], kEdges[i + 1]});
}

void Calibration::add(const ClassAnswers& answers, std::span<const std::optional<ClassId>> truth) {
  if (answers.probabilities.empty()) return;
  std::vector<double> probabilities;
  for (std::uint32_t i = 0; i < answers.answers.size(); ++i)
    probabilities.push_back(answers.of(ItemId{i})[position(answers.answers[i])]);
  add(answers.answers, probabilities, truth);
}

void Calibration::add(std::span<const ClassId> answers, std::span<const double> probabilities,
                      std::span<const std::optional<ClassId>> truth) {
  constexpr std::string_view kName = "Calibration::add";
  require(truth.size() == answers.size(), kName, "number of truths",
          static_cast<double>(truth.size()), "expected one per answer");
  require(probabilities.size() == answers.size(), kName, "number of probabilities",
          static_cast<double>(probabilities.size()), "expected one per answer");
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!truth[i]) continue;
    // The last edge at or below the probability; rounding may lead a little beyond 1.
    const auto above = std::upper_bound(kEdges.begin() + 1, kEdges.end() - 1, probabilities[i]);
    merge(bins_[static_cast<std::size_t>(above - kEdges.begin() - 1)],
          {0, 1, 1, *truth[i] == answers[i], parts(probabilities[i])});
  }
}

Calibration& Calibration::operator+=(const Calibration& other) {
  for (std::size_t i = 0; i < bins_.size(); ++i) merge(bins_[i], other.bins_[i]);
  return *this;
}

CalibrationBin Calibration::total() const {
  CalibrationBin all{kEdges.front(), kEdges.back()};
  for (const CalibrationBin& bin : bins_) merge(all, bin);
  return all;
}

std::optional<double> Calibration::expected_error() const {
  const std::uint64_t answers = total().answers;
  if (answers == 0) return {};
  double sum = 0;
  for (const CalibrationBin& bin : bins_)
    sum += std::abs(bin.expected_sum() - static_cast<double>(bin.right));
  return sum / static_cast<double>(answers);
}

}  // namespace allot::aggregate
