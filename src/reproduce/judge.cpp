#include "reproduce/judge.hpp"

#include <algorithm>
#include <cmath>

namespace allot::reproduce {
namespace {

constexpr double kStep = 1.1, kMostTimes = 1e4;

/// The tables as they would be with `times` as many runs and the same means.
Tables with_more_runs(const Tables& tables, double times) {
  Tables result;
  for (const auto& [name, data] : tables) {
    Data scaled(data.columns());
    for (std::size_t row = 0; row < data.size(); ++row) {
      std::vector<std::string> cells;
      for (const std::string& column : data.columns()) {
        cells.push_back(column.ends_with("stderr")
                            ? number_text(data.number(row, column) / std::sqrt(times))
                            : data.text(row, column));
      }
      scaled.add(std::move(cells));
    }
    result.emplace(name, std::move(scaled));
  }
  return result;
}

/// Rounded up to two digits.
std::uint64_t rounded_up(double runs) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(runs)) - 1));
  return static_cast<std::uint64_t>(std::ceil(runs / unit) * unit);
}

bool limits_its_runs(const Study& study) {
  return std::ranges::find(study.parameters, "runs", &Parameter::name) != study.parameters.end();
}

}  // namespace

std::vector<Claim> judged_claims(const Study& study, const Tables& tables, std::uint32_t runs) {
  std::vector<Claim> claims = study.claims(tables);
  const auto is_open = [](const Claim& claim) {
    return claim.verdict == Verdict::unclear && !claim.enough_runs;
  };
  if (!study.random || limits_its_runs(study)) return claims;
  for (double times = kStep; times <= kMostTimes && std::ranges::any_of(claims, is_open);
       times *= kStep) {
    const std::vector<Claim> later = study.claims(with_more_runs(tables, times));
    for (std::size_t i = 0; i < claims.size(); ++i) {
      if (is_open(claims[i]) && later[i].verdict != Verdict::unclear)
        claims[i].enough_runs = rounded_up(runs * times);
    }
  }
  return claims;
}

}  // namespace allot::reproduce
