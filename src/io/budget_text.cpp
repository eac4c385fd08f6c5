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

/// A part of the list by its unit: labels, labels an item, or a share of all labels.
struct Unit {
  std::string_view sign;
  double labels;  // that one unit stands for
};

Unit unit_of(std::string_view part, std::uint32_t item_count, std::uint64_t label_count) {
  if (part.ends_with('x')) return {"x", static_cast<double>(item_count)};
  if (part.ends_with('%')) return {"%", static_cast<double>(label_count) / 100};
  return {"", 1};
}

}  // namespace

Result<std::vector<Budget>> parse_budgets(std::string_view text, std::uint32_t item_count,
                                          std::optional<std::uint64_t> label_count) {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("budget '{}' {}; expected labels (500), labels an item (10x), {}lists "
                            "(2x,5x) or ranges (2x..20x, 100..500:50)",
                            text, why, label_count ? "shares of all labels (40%), " : ""));
  };
  std::vector<Budget> budgets;
  for (const std::string_view part : split(text, ',')) {
    const Unit unit = unit_of(trim(part), item_count, label_count.value_or(0));
    const auto numbers = parse_number_list(part, unit.sign, 1.0);
    if (!numbers || (unit.sign == "%" && !label_count)) return refuse("is not understood");
    for (const double number : *numbers) {
      const double labels = unit.sign.empty() ? number : std::round(number * unit.labels);
      if (labels < 1) return refuse("is less than one label");
      const bool beyond_all =
          unit.sign == "%" && number > 100 + 1e-9;  // room for the steps of a range
      if (beyond_all || (label_count && labels > static_cast<double>(*label_count))) {
        return refuse(fmt::format("is more than the {} labels there are", *label_count));
      }
      if (labels > kLargestBudget) return refuse("is more than 4,000,000,000 labels");
      if (labels != std::floor(labels)) return refuse("is not a whole number of labels");
      const auto budget = static_cast<std::uint64_t>(labels);
      if (std::ranges::find(budgets, budget, &Budget::labels) == budgets.end()) {
        budgets.push_back({budget, unit.sign == "%" ? std::optional(number) : std::nullopt});
      }
      if (budgets.size() > 10'000) return refuse("has more than 10,000 members");
    }
  }
  return budgets;
}

Result<std::uint64_t> parse_budget(std::string_view text, std::uint32_t item_count) {
  const auto budgets = parse_budgets(text, item_count);
  if (budgets && budgets->size() == 1) return budgets->front().labels;
  const std::string why =
      budgets ? fmt::format("budget '{}' is a list", text)
              : budgets.error().message.substr(0, budgets.error().message.find("; expected"));
  return fail(ErrorCode::invalid_argument,
              fmt::format("{}; expected one budget, in labels (15) or labels an item (3x)", why));
}

}  // namespace allot::io
