#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/study.hpp"

namespace allot::reproduce {
namespace {

std::vector<Study> in_order() {
  std::vector<Study> all;
  for (const auto family : {toy_studies, surface_studies, consistency_studies,
                            neutral_prior_studies, count_studies, prior_studies, comparison_studies,
                            recorded_studies, time_studies, pessimistic_surface_studies}) {
    for (Study& study : family()) all.push_back(std::move(study));
  }
  return all;
}

// Standard errors fall as 1 / sqrt(runs). Claims follow from the tables alone, so judging tables
// with smaller standard errors tells how many runs would decide, if the means stayed as they are.
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
      scaled.add_texts(std::move(cells));
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

}  // namespace

std::vector<Part> panel_parts(
    std::span<const double> milliseconds, double milliseconds_a_run,
    const std::function<Result<Tables>(std::size_t, const Settings&, Meter&)>& compute) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < milliseconds.size(); ++i)
    parts.push_back(
        {panel_name(i), milliseconds[i], milliseconds_a_run, std::bind_front(compute, i)});
  return parts;
}

std::string panel_name(std::size_t n) {
  return fmt::format("({})", static_cast<char>('a' + static_cast<char>(n)));
}

std::vector<figure::Point> points(const Data& data, Data::Where rows, std::string_view x,
                                  std::string_view y) {
  std::vector<figure::Point> result;
  for (const std::size_t row : data.where(rows)) {
    const auto [mean, error] = data.estimate(row, y);
    result.push_back({data.number(row, x), mean, error});
  }
  return result;
}

std::string file_name(const Study& study) {
  std::string name = study.label;
  std::ranges::replace(name, ':', '_');
  return name;
}

std::string data_file(const Study& study, const std::string& table) {
  return file_name(study) + (table.empty() ? "" : "-" + table) + ".csv";
}

std::span<const Study> studies() {
  static const std::vector<Study> kAll = in_order();
  return kAll;
}

std::vector<const Study*> studies_named(std::string_view label) {
  std::vector<const Study*> found;
  for (const Study& study : studies()) {
    const bool other = std::ranges::find(study.other_labels, label) != study.other_labels.end();
    if (other || study.label == label) found.push_back(&study);
  }
  return found;
}

bool limits_its_runs(const Study& study) {
  return std::ranges::find(study.parameters, "runs", &Parameter::name) != study.parameters.end();
}

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
