#include "reproduce/claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace allot::reproduce {

std::string verdict_text(Verdict verdict) {
  constexpr std::array<const char*, 4> kTexts{"holds", "does not hold", "too few runs to tell",
                                              "not checked"};  // in the order of Verdict
  return kTexts[static_cast<std::size_t>(verdict)];
}

std::string verdict_text(const Claim& claim) {
  if (!claim.enough_runs) return verdict_text(claim.verdict);
  return fmt::format("{}; about {} would decide", verdict_text(claim.verdict), *claim.enough_runs);
}

double Estimate::low() const { return mean - kStandardErrors * error; }
double Estimate::high() const { return mean + kStandardErrors * error; }

Estimate operator-(const Estimate& left, const Estimate& right) {
  return {left.mean - right.mean, std::hypot(left.error, right.error)};
}

Estimate estimate(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};  // 0/0 for a single value
}

std::string estimate_text(const Estimate& estimate, int digits) {
  const std::string error =
      std::isnan(estimate.error) ? "" : fmt::format(" ±{:.{}f}", estimate.error, digits);
  return fmt::format("{:.{}f}{}", estimate.mean, digits, error);
}

Verdict fact(bool holds) { return holds ? Verdict::holds : Verdict::fails; }

Verdict at_least(const Estimate& estimate, double limit) {
  if (estimate.low() >= limit) return Verdict::holds;
  return estimate.high() < limit ? Verdict::fails : Verdict::unclear;
}

Verdict within(const Estimate& estimate, double margin) {
  if (estimate.low() >= -margin && estimate.high() <= margin) return Verdict::holds;
  const bool outside = estimate.low() > margin || estimate.high() < -margin;
  return outside ? Verdict::fails : Verdict::unclear;
}

Verdict above(const Estimate& difference) {
  if (difference.low() > 0) return Verdict::holds;
  return difference.high() < kLevel ? Verdict::fails : Verdict::unclear;
}

Verdict at_or_above(const Estimate& difference) {
  if (difference.high() < 0) return Verdict::fails;
  return difference.low() > -kLevel ? Verdict::holds : Verdict::unclear;
}

Verdict all_of(const std::vector<Verdict>& verdicts) {
  for (const Verdict worst : {Verdict::fails, Verdict::unclear, Verdict::skipped}) {
    if (std::ranges::find(verdicts, worst) != verdicts.end()) return worst;
  }
  return Verdict::holds;
}

std::string range_text(std::span<const Named> estimates) {
  const auto mean = [](const Named& named) { return named.estimate.mean; };
  const auto [low, high] = std::ranges::minmax_element(estimates, {}, mean);
  const auto text = [](const Named& named) {
    return fmt::format("{} {}", named.name, estimate_text(named.estimate));
  };
  if (low == high) return text(*low);
  return fmt::format("from {} to {}", text(*low), text(*high));
}

}  // namespace allot::reproduce
