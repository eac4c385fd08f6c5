// Claims of the paper, and what the numbers say about them.
//
// A claim about means of runs has three outcomes. It holds, or does not hold, if that would stay so
// were the mean three standard errors lower or higher; in between there are too few runs to tell.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace allot::reproduce {

enum class Verdict { holds, fails, unclear, skipped };

/// "holds", "does not hold", "too few runs to tell", "not checked".
std::string verdict_text(Verdict verdict);

struct Claim {
  /// What is claimed, in our words.
  std::string text;
  Verdict verdict;
  /// The numbers that decide.
  std::string numbers;
  /// Why it comes out otherwise than in the paper, or what to keep in mind; mostly empty.
  std::string remark = {};
};

/// A mean over runs and its standard error; NaN for a single run.
struct Estimate {
  double mean, error;

  double low() const;
  double high() const;
};

/// Mean and standard error of these values.
Estimate estimate(std::span<const double> values);

/// "0.0123 ±0.0021".
std::string estimate_text(const Estimate& estimate, int digits = 4);

inline constexpr double kStandardErrors = 3;
/// Differences of accuracies below this are of no matter where two are said to be level.
inline constexpr double kLevel = 0.002;

/// A fact that no chance is in.
Verdict fact(bool holds);
/// The mean is at least `limit`.
Verdict at_least(const Estimate& estimate, double limit);
/// The mean lies from -margin to margin.
Verdict within(const Estimate& estimate, double margin);
/// A difference is above 0: it fails if it cannot be as much as kLevel.
Verdict above(const Estimate& difference);
/// A difference is at or above 0: it fails if it is below, and holds if it cannot be as much as
/// kLevel below.
Verdict at_or_above(const Estimate& difference);
/// All of them hold; fails if one fails.
Verdict all_of(std::span<const Verdict> verdicts);

/// An estimate and what it is of.
struct Named {
  std::string name;
  Estimate estimate;
};

/// "from (b) 0.0123 ±0.0021 to (h) 0.0456 ±0.0020": the smallest and the largest.
std::string range_text(std::span<const Named> estimates);

/// The verdict about every one of them, and about all.
template <typename Judge>
Verdict each(std::span<const Named> estimates, Judge judge) {
  std::vector<Verdict> verdicts;
  for (const Named& one : estimates) verdicts.push_back(judge(one.estimate));
  return all_of(verdicts);
}

}  // namespace allot::reproduce
