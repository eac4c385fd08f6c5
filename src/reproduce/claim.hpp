// Claims of the paper, and our verdicts.
//
// A claim about means of runs has three outcomes. It holds, or does not hold, if the verdict would
// be the same with the mean three standard errors lower or higher. In between there are too few
// runs to tell.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace allot::reproduce {

enum class Verdict { holds, fails, unclear, skipped };

/// "holds", "does not hold", "too few runs to tell", "not checked".
std::string verdict_text(Verdict verdict);

struct Claim {
  /// The claim, in our words.
  std::string text;
  Verdict verdict;
  /// The numbers behind the verdict.
  std::string numbers;
  /// The reason for a difference from the paper, or a caveat; mostly empty.
  std::string remark = {};
  /// Runs that would decide an unclear claim if the means stayed as they are; nothing if unknown.
  std::optional<std::uint64_t> enough_runs = {};
};

/// The verdict, and for unclear claims the number of runs that would decide.
std::string verdict_text(const Claim& claim);

/// A mean over runs and its standard error; NaN for a single run.
struct Estimate {
  double mean, error;

  double low() const;
  double high() const;
  Estimate operator-() const { return {-mean, error}; }
};

/// The difference of independent estimates.
Estimate operator-(const Estimate& left, const Estimate& right);

/// Mean and standard error of these values.
Estimate estimate(std::span<const double> values);

/// "0.0123 ±0.0021".
std::string estimate_text(const Estimate& estimate, int digits = 4);

inline constexpr double kStandardErrors = 3;
/// Differences of accuracies below this count as level.
inline constexpr double kLevel = 0.002;

/// A fact without randomness.
Verdict fact(bool holds);
/// The claim that the mean is at least `limit`.
Verdict at_least(const Estimate& estimate, double limit);
/// The claim that the mean lies from -margin to margin.
Verdict within(const Estimate& estimate, double margin);
/// The claim that a difference is above 0. It fails if the difference cannot be as much as kLevel.
Verdict above(const Estimate& difference);
/// The claim that a difference is at or above 0. It fails if the difference is below 0, and holds
/// if it cannot be as much as kLevel below.
Verdict at_or_above(const Estimate& difference);
/// The claim that all hold; it fails if one fails.
Verdict all_of(const std::vector<Verdict>& verdicts);

/// An estimate and its name.
struct Named {
  std::string name;
  Estimate estimate;
};

/// "from (b) 0.0123 ±0.0021 to (h) 0.0456 ±0.0020": the smallest and the largest.
std::string range_text(std::span<const Named> estimates);

/// The verdict about all of them, from the verdict about each.
template <typename Judge>
Verdict each(std::span<const Named> estimates, Judge judge) {
  std::vector<Verdict> verdicts;
  for (const Named& named : estimates) verdicts.push_back(judge(named.estimate));
  return all_of(verdicts);
}

}  // namespace allot::reproduce
