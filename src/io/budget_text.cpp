#include "allot/io/budget_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"
#include "allot/io/number_list.hpp"

namespace allot::io {
namespace {

/// As many labels as one item can hold; a million a second would take an hour.
constexpr double kLargestBudget = 4e9;

tl::unexpected<Error> refuse(std::string_view text, std::string_view why) {
  return fail(
      ErrorCode::invalid_argument,
      fmt::format(
          "budget '{}' {}; expected labels (500), labels an item (10x), lists (2x,5x) or ranges "
          "(2x..20x, 100..500:50)",
          text, why));
}

}  // namespace

Result<std::vector<std::uint64_t>> parse_budgets(std::string_view text, std::uint32_t item_count) {
  std::vector<std::uint64_t> budgets;
  for (const std::string_view part : split(text, ',')) {
    const bool an_item = trim(part).ends_with('x');
    const auto numbers = parse_number_list(part, an_item ? "x" : "", 1.0);
    if (!numbers) return refuse(text, "is not understood");
    for (const double number : *numbers) {
      const double labels = an_item ? std::round(number * item_count) : number;
      if (labels < 1) return refuse(text, "is less than one label");
      if (labels > kLargestBudget) return refuse(text, "is more than 4,000,000,000 labels");
      if (labels != std::floor(labels)) return refuse(text, "is not a whole number of labels");
      const auto budget = static_cast<std::uint64_t>(labels);
      if (std::ranges::find(budgets, budget) == budgets.end()) budgets.push_back(budget);
      if (budgets.size() > 10'000) return refuse(text, "has more than 10,000 members");
    }
  }
  return budgets;
}

Result<std::uint64_t> parse_budget(std::string_view text, std::uint32_t item_count) {
  const auto budgets = parse_budgets(text, item_count);
  if (budgets && budgets->size() == 1) return budgets->front();
  const std::string why =
      budgets ? fmt::format("budget '{}' is a list", text)
              : budgets.error().message.substr(0, budgets.error().message.find("; expected"));
  return fail(ErrorCode::invalid_argument,
              fmt::format("{}; expected one budget, in labels (15) or labels an item (3x)", why));
}

}  // namespace allot::io
