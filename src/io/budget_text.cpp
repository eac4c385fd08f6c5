#include "allot/io/budget_text.hpp"

#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"
#include "allot/io/number_list.hpp"
#include "base/errors.hpp"

namespace allot::io {
namespace {

/// Most labels a budget can have. At a million per second they would take an hour.
constexpr double kLargestBudget = 4e9;
/// 100 %, with room for the rounding errors of the steps of a range.
constexpr double kWholeShare = 100 + 1e-9;

/// The unit of a part of the list: labels, labels per item, or a share of all labels.
struct Unit {
  std::string_view sign;
  double labels;  // per unit
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
    return invalid(
        "budget {} {}; expected labels (500), labels per item (10x), {}lists (2x,5x) or ranges "
        "(2x..20x, 100..500:50)",
        in_quotes(text), why, label_count ? "shares of all labels (40%), " : "");
  };
  std::vector<Budget> budgets;
  for (const std::string_view part : split(text, ',')) {
    const Unit unit = unit_of(trim(part), item_count, label_count.value_or(0));
    const auto numbers = parse_number_list(part, unit.sign, 1.0);
    if (!numbers || (unit.sign == "%" && !label_count)) return refuse("is not understood");
    for (const double number : *numbers) {
      const double labels = unit.sign.empty() ? number : std::round(number * unit.labels);
      if (labels < 1) return refuse("is less than one label");
      const bool beyond_all = unit.sign == "%" && number > kWholeShare;
      if (beyond_all || (label_count && labels > static_cast<double>(*label_count)))
        return refuse(fmt::format("is more than all {} labels", *label_count));
      if (labels > kLargestBudget) return refuse("is more than 4,000,000,000 labels");
      if (labels != std::floor(labels)) return refuse("is not a whole number of labels");
      const auto budget = static_cast<std::uint64_t>(labels);
      if (std::ranges::find(budgets, budget, &Budget::labels) == budgets.end())
        budgets.push_back({budget, unit.sign == "%" ? std::optional(number) : std::nullopt});
      if (budgets.size() > 10'000) return refuse("has more than 10,000 members");
    }
  }
  return budgets;
}

namespace {

/// The cost of `number` units; an amount above the cost of all labels stays above it.
Money amount_of(double number, const Unit& unit, const LabelPrices& prices) {
  const bool one_price = prices.lowest == prices.highest;
  if (unit.sign.empty()) return Money::billionths(std::llround(number * 1e9));
  if (unit.sign == "%" && number > kWholeShare) return *prices.all + Money::billionths(1);
  if (unit.sign == "%" && !one_price) return prices.all->part(std::min(number / 100, 1.0));
  return prices.lowest * static_cast<std::uint64_t>(std::round(number * unit.labels));
}

/// Amounts, each with the share it was written as.
using Amounts = std::vector<std::pair<Money, std::optional<double>>>;

/// The amounts of a part of the list; nothing if it is malformed.
std::optional<Amounts> amounts_of(std::string_view part, std::uint32_t item_count,
                                  const LabelPrices& prices) {
  if (const auto exact = parse_money(part)) return Amounts{{*exact, std::nullopt}};
  const Unit unit = unit_of(trim(part), item_count, prices.label_count.value_or(0));
  const auto numbers = parse_number_list(part, unit.sign, 1.0);
  if (!numbers || (unit.sign == "%" && !prices.all)) return {};
  Amounts amounts;
  for (const double number : *numbers) {
    const double labels = number * unit.labels;
    if (number < 0 || labels > kLargestBudget) return {};
    const bool counts_labels = unit.sign == "x";
    if (counts_labels && labels * prices.lowest.value() > static_cast<double>(Money::kMost))
      return {};
    const auto share = unit.sign == "%" ? std::optional(number) : std::nullopt;
    amounts.emplace_back(amount_of(number, unit, prices), share);
  }
  return amounts;
}

}  // namespace

Result<std::vector<Budget>> parse_money_budgets(std::string_view text, std::uint32_t item_count,
                                                const LabelPrices& prices) {
  const bool one_price = prices.lowest == prices.highest;
  const auto refuse = [&](std::string_view why) {
    return invalid("budget {} {}; expected money (12.50), {}{}lists (5,12.50) or ranges (5..50:5)",
                   in_quotes(text), why, one_price ? "labels per item (10x), " : "",
                   prices.all ? "shares of the cost of all labels (40%), " : "");
  };
  std::vector<Budget> budgets;
  for (const std::string_view part : split(text, ',')) {
    if (!one_price && trim(part).ends_with('x'))
      return refuse("counts labels, but their prices differ");
    const auto amounts = amounts_of(part, item_count, prices);
    if (!amounts) return refuse("is not understood");
    for (const auto& [money, percent] : *amounts) {
      if (money < prices.lowest) {
        return refuse(
            fmt::format("cannot pay a label: the cheapest costs {}", money_text(prices.lowest)));
      }
      if (prices.all && money > *prices.all) {
        return refuse(
            fmt::format("is more than {}, the cost of all labels", money_text(*prices.all)));
      }
      if (std::ranges::find(budgets, money, &Budget::money) == budgets.end()) {
        const std::uint64_t labels =
            std::min(money.pays(prices.lowest), prices.label_count.value_or(UINT64_MAX));
        if (static_cast<double>(labels) > kLargestBudget)
          return refuse("buys more than 4,000,000,000 labels");
        budgets.push_back({labels, percent, money});
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
      budgets ? fmt::format("budget {} is a list", in_quotes(text))
              : budgets.error().message.substr(0, budgets.error().message.find("; expected"));
  return invalid("{}; expected one budget, in labels (15) or labels per item (3x)", why);
}

}  // namespace allot::io
