#include "allot/io/stop_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "allot/base/money.hpp"
#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::io {
namespace {

constexpr std::array<std::string_view, 4> kRules{"accuracy", "settled", "worth", "certified"};

tl::unexpected<Error> refuse_stop(std::string_view rule, std::string_view why) {
  return invalid(
      "rule {} {}; expected accuracy:X (the expected accuracy is at least X), settled:X (items "
      "right with probability X get no more labels), worth:W (no label is worth its price if a "
      "right answer is worth W) or, in campaigns, certified:X (an audit proves X)",
      in_quotes(rule), why);
}

Result<double> parse_probability(std::string_view rule, std::string_view text, double above) {
  const auto number = parse_number(text);
  if (number && *number > above && *number <= 1) return *number;
  return refuse_stop(rule, fmt::format("is not above {} and at most 1", above));
}

Result<void> read_rule(std::string_view rule, policy::StopRules& rules) {
  const std::size_t colon = rule.find(':');
  const std::string_view name = rule.substr(0, colon);
  const std::string_view value =
      colon == std::string_view::npos ? std::string_view() : rule.substr(colon + 1);
  const bool known = std::ranges::find(kRules, name) != kRules.end();
  if (!known) return refuse_stop(rule, "is unknown" + suggestion(name, kRules));
  if (value.empty()) return refuse_stop(rule, "has no value");
  const auto once = [&](auto& target, const auto& read) -> Result<void> {
    if (!read) return tl::unexpected(read.error());
    if (target) return refuse_stop(rule, "repeats an earlier rule");
    target = *read;
    return {};
  };
  if (name == "accuracy") return once(rules.accuracy, parse_probability(rule, value, 0));
  if (name == "settled") return once(rules.settled, parse_probability(rule, value, 0.5));
  if (name == "certified") {
    const auto share = parse_probability(rule, value, 0);
    if (share && *share == 1) return refuse_stop(rule, "is 1, which no audit can prove");
    return once(rules.certified, share);
  }
  const auto worth = parse_price(value);
  if (!worth) return refuse_stop(rule, "has no amount above 0");
  return once(rules.worth, worth);
}

}  // namespace

Result<policy::StopRules> parse_stop_rules(std::string_view text) {
  policy::StopRules rules;
  for (const std::string_view rule : split(text, ',')) {
    TRY(read_rule(trim(rule), rules));
  }
  return rules;
}

std::vector<std::string> stop_texts(const policy::StopRules& rules) {
  std::vector<std::string> texts;
  if (rules.accuracy) texts.push_back(fmt::format("accuracy:{}", *rules.accuracy));
  if (rules.settled) texts.push_back(fmt::format("settled:{}", *rules.settled));
  if (rules.certified) texts.push_back(fmt::format("certified:{}", *rules.certified));
  if (rules.worth) texts.push_back(fmt::format("worth:{}", money_text(*rules.worth)));
  return texts;
}

}  // namespace allot::io
