#include "allot/io/number_list.hpp"

#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"

namespace allot::io {
namespace {

/// Relative error up to which the last step of a range still reaches its end.
constexpr double kRounding = 1e-12;

constexpr std::size_t kMostNumbers = 1'000'000;

std::optional<double> parse_with_unit(std::string_view text, std::string_view unit) {
  text = trim(text);
  if (!text.ends_with(unit)) return {};
  text.remove_suffix(unit.size());
  return parse_number(text);
}

bool append_range(std::string_view text, std::size_t dots, std::string_view unit,
                  std::optional<double> step, std::vector<double>& numbers) {
  std::string_view end = text.substr(dots + 2);
  if (const std::size_t colon = end.find(':'); colon != std::string_view::npos) {
    step = parse_with_unit(end.substr(colon + 1), unit);
    end = end.substr(0, colon);
  }
  const std::optional<double> low = parse_with_unit(text.substr(0, dots), unit);
  const std::optional<double> high = parse_with_unit(end, unit);
  if (!low || !high || !step || *step <= 0 || *low > *high) return false;
  const double steps = std::floor((*high - *low) / *step * (1 + kRounding));
  if (steps >= static_cast<double>(kMostNumbers - numbers.size())) return false;
  for (double i = 0; i <= steps; ++i) numbers.push_back(std::min(*low + i * *step, *high));
  return true;
}

}  // namespace

std::optional<std::vector<double>> parse_number_list(std::string_view text, std::string_view unit,
                                                     std::optional<double> step) {
  std::vector<double> numbers;
  for (const std::string_view part : split(text, ',')) {
    if (const std::size_t dots = part.find(".."); dots != std::string_view::npos) {
      if (!append_range(part, dots, unit, step, numbers)) return {};
    } else if (const auto number = parse_with_unit(part, unit);
               number && numbers.size() < kMostNumbers) {
      numbers.push_back(*number);
    } else {
      return {};
    }
  }
  return numbers;
}

}  // namespace allot::io
