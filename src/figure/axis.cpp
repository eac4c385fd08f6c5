#include "allot/figure/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/base/check.hpp"
#include "figure/text.hpp"

namespace allot::figure {
namespace {

/// The distance between ticks: digit * 10^exponent.
struct Step {
  double digit;
  int exponent;

  static double power(int exponent) {
    double product = 1;
    for (int i = 0; i < std::abs(exponent); ++i) product *= 10;
    return product;
  }
  double times(double count) const {
    const double scaled = count * digit, unit = power(exponent);
    return exponent < 0 ? scaled / unit : scaled * unit;
  }
  double size() const { return times(1); }
  Step next() const {
    if (digit == 5) return {1, exponent + 1};
    return {digit == 1 ? 2.0 : 5.0, exponent};
  }
};

/// A step far below the needed one.
Step small_step(double span) {
  int exponent = 0;
  while (Step{1, exponent}.size() > span / 1000) --exponent;
  while (Step{1, exponent + 1}.size() <= span / 1000) ++exponent;
  return {1, exponent};
}

/// First and last tick, as multiples of the step; tolerates a rounding error of a millionth step.
Range multiples(Range data, const Step& step, Ends ends) {
  constexpr double kSlack = 1e-6;
  const double low = data.low / step.size(), high = data.high / step.size();
  return ends == Ends::at_ticks ? Range{std::floor(low + kSlack), std::ceil(high - kSlack)}
                                : Range{std::ceil(low - kSlack), std::floor(high + kSlack)};
}

/// Widens the range so that ten digits can tell its ticks apart.
Range widened(Range data) {
  const double size = std::max(std::abs(data.low), std::abs(data.high));
  if (data.high - data.low > std::max(size * 1e-7, 1e-90)) return data;
  const double room = size > 1e-80 ? size / 10 : 1;
  return {data.low - room, data.high + room};
}

Range clipped(Range data, Range limits) {
  return {std::clamp(data.low, limits.low, limits.high),
          std::clamp(data.high, limits.low, limits.high)};
}

std::string tick_text(double value, int decimals) {
  const bool plain = decimals <= 6 && std::abs(value) < 1e12;
  return plain ? grouped(value, decimals) : fmt::format("{:.10g}", value);
}

}  // namespace

bool drawable(double value) { return std::abs(value) <= 1e100; }

Axis nice_axis(Range data, std::size_t most_ticks, Ends ends, Range limits) {
  require(drawable(data.low) && drawable(data.high) && data.low <= data.high, "nice_axis",
          "data.low", data.low, "expected a range of drawable numbers");
  require(most_ticks >= 3, "nice_axis", "most_ticks", static_cast<double>(most_ticks),
          "expected at least 3");
  require(limits.low < limits.high, "nice_axis", "limits.low", limits.low,
          "expected less than limits.high");
  data = clipped(widened(clipped(data, limits)), limits);
  Step step = small_step(data.high - data.low);
  Range ticks = multiples(data, step, ends);
  while (ticks.high - ticks.low + 1 > static_cast<double>(most_ticks)) {
    step = step.next();
    ticks = multiples(data, step, ends);
  }
  const Range covered = ends == Ends::at_data
                            ? data
                            : clipped({std::min(data.low, step.times(ticks.low)),
                                       std::max(data.high, step.times(ticks.high))},
                                      limits);
  Axis axis{covered.low, covered.high, {}, std::max(0, -step.exponent)};
  const double slack = step.size() * 1e-6;
  for (double count = ticks.low; count <= ticks.high; ++count) {
    const double value = step.times(count) + 0.0;  // turns -0 into 0
    if (value < limits.low - slack || value > limits.high + slack) continue;
    axis.ticks.push_back({value, tick_text(value, axis.decimals)});
  }
  return axis;
}

double Scale::operator()(double value) const {
  const double share = (std::clamp(value, low_, high_) - low_) / (high_ - low_);
  return from_ + share * (to_ - from_);
}

}  // namespace allot::figure
