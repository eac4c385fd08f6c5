#include "allot/index/label_sequence.hpp"

#include <algorithm>
#include <cmath>

#include "allot/base/check.hpp"
#include "base/every_processor.hpp"

namespace allot::index {
namespace {

constexpr double kStep = 0.05;
constexpr std::size_t kPoints = LabelSequence::kPoints, kTop = kPoints - 1, kMiddle = 2 * kTop;

/// e^(L/2) + e^(-L/2), the scale of W, and W without labels, e^(L/2), for L >= 0.
struct Grid {
  std::array<double, 2 * kTop + 1> scale;
  std::array<double, kPoints> answer, error;

  Grid() {
    for (std::size_t i = 0; i < scale.size(); ++i) {
      const double half = kStep * static_cast<double>(i) / 2;
      scale[i] = std::exp(half) + std::exp(-half);
    }
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double odds = kStep * static_cast<double>(i);
      answer[i] = std::exp(odds / 2);
      error[i] = 1 / (1 + std::exp(odds));
    }
  }
};

const Grid& grid() {
  static const Grid one;
  return one;
}

/// Weights of two neighbouring steps, whose reliabilities have the mean of the worker's.
struct Label {
  double near, far;
};

/// The middle of `to` after a label that moves by `step` points or one more.
ALLOT_EVERY_PROCESSOR void ask(const double* from, double* to, std::size_t step, Label label,
                               double price, const double* answer, const double* scale) {
  const double *up = from + step, *down = from - step;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double asked =
        label.near * (up[i] + down[i]) + label.far * (up[i + 1] + down[i - 1]) - price * scale[i];
    to[i] = asked > answer[i] ? asked : answer[i];
  }
}

}  // namespace

/// By the probability of error, in which straight lines are upper bounds.
OddsHistogram::Place OddsHistogram::place(double log_odds) {
  require(!std::isnan(log_odds), "OddsHistogram::place", "log_odds", log_odds, "expected a number");
  const double odds = std::abs(log_odds), error = 1 / (1 + std::exp(odds));
  const auto low = static_cast<std::size_t>(std::min(odds / kStep, static_cast<double>(kTop)));
  const double from = grid().error[low], to = low == kTop ? 0 : grid().error[low + 1];
  return {low, std::clamp((from - error) / (from - to), 0.0, 1.0)};
}

OddsHistogram::OddsHistogram() : at_(kPoints) {}

void OddsHistogram::add(const Place& place, double weight) {
  const auto [low, share] = place;
  at_[low] += (1 - share) * weight;
  (low == kTop ? certain_ : at_[low + 1]) += share * weight;
}

double OddsHistogram::weight() const {
  double sum = certain_;
  for (const double one : at_) sum += one;
  return sum;
}

LabelSequence::LabelSequence() {
  const Grid& points = grid();
  for (std::size_t i = 0; i < points.scale.size(); ++i) {
    const double value = i < kPoints ? points.answer[i] : points.scale[i];
    scaled_[kMiddle + i] = scaled_[kMiddle - i] = value;
  }
}

LabelSequence LabelSequence::perfect(double price) {
  LabelSequence rest, result;
  result.put_before(rest, 1, price);
  return result;
}

void LabelSequence::put_before(const LabelSequence& rest, double reliability, double price) {
  require(reliability >= 0 && reliability <= 1, "LabelSequence::put_before", "reliability",
          reliability, "expected 0 to 1");
  require(price >= 0, "LabelSequence::put_before", "price", price, "expected 0 or more");
  const Grid& points = grid();
  const double right = std::max(reliability, 1 - reliability), wrong = 1 - right;
  double* const middle = scaled_.data() + kMiddle;
  const double steps = std::log(right / wrong) / kStep;
  if (!(steps < static_cast<double>(kTop - 1))) {
    for (std::size_t i = 0; i < kPoints; ++i) {
      middle[i] = std::max(points.answer[i], points.scale[i] * (1 - price));
    }
  } else {
    const auto step = static_cast<std::size_t>(std::max(0.0, steps));
    const double from = points.error[step], to = points.error[step + 1];
    const double far = std::clamp((from - wrong) / (from - to), 0.0, 1.0);
    ask(rest.scaled_.data() + kMiddle, middle, step,
        {(1 - far) / points.scale[step], far / points.scale[step + 1]}, price, points.answer.data(),
        points.scale.data());
  }
  for (std::size_t i = 1; i < kPoints; ++i) scaled_[kMiddle - i] = middle[i];
}

double LabelSequence::value(double log_odds) const {
  const auto [low, share] = OddsHistogram::place(log_odds);
  const auto at = [&](std::size_t i) { return scaled_[kMiddle + i] / grid().scale[i]; };
  return (1 - share) * at(low) + share * (low == kTop ? 1 : at(low + 1));
}

double LabelSequence::value(const OddsHistogram& items) const {
  double sum = items.certain_;
  for (std::size_t i = 0; i < kPoints; ++i) {
    sum += items.at_[i] * scaled_[kMiddle + i] / grid().scale[i];
  }
  return sum;
}

}  // namespace allot::index
