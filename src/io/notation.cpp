#include "io/notation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "allot/base/text.hpp"

namespace allot::io {
namespace {

/// Positions sorted by key; texts with equal keys are sorted by the text itself.
template <typename Key>
std::vector<std::uint32_t> sorted_by(const std::vector<Key>& keys,
                                     const std::vector<std::string>& texts) {
  std::vector<std::uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return keys[a] != keys[b] ? keys[a] < keys[b] : texts[a] < texts[b];
  });
  return order;
}

/// A decimal number as its digits without zeros at either end, and the power of ten after them:
/// "-0120.50" is -1205e-1. Nothing if the text is not a number.
std::optional<std::string> decimal(std::string_view text) {
  if (!class_value(text)) return {};
  if (text.front() == '+') text.remove_prefix(1);
  const bool negative = text.front() == '-';
  if (negative) text.remove_prefix(1);
  const std::size_t e = text.find_first_of("eE");
  double power = 0;
  if (e != std::string_view::npos) {
    const std::string_view exponent = text.substr(e + 1);
    power = parse_number(exponent.substr(exponent.starts_with('+') ? 1 : 0)).value_or(0);
    text = text.substr(0, e);
  }
  std::string digits;
  for (const char c : text) {
    if (c != '.') digits += c;
  }
  const std::size_t point = text.find('.');
  if (point != std::string_view::npos) power -= static_cast<double>(text.size() - point - 1);
  const std::size_t last = digits.find_last_not_of('0');
  if (last == std::string::npos) return "0";
  power += static_cast<double>(digits.size() - last - 1);
  digits = digits.substr(0, last + 1);
  digits.erase(0, digits.find_first_not_of('0'));
  return fmt::format("{}{}e{:.0f}", negative ? "-" : "", digits, power);
}

}  // namespace

std::optional<double> class_value(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  return parse_number(text.substr(plus ? 1 : 0));
}

std::string in_small_letters(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

std::vector<std::uint32_t> class_order(const std::vector<std::string>& texts) {
  std::vector<double> values;
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    if (const auto value = class_value(text)) values.push_back(*value);
    words.push_back(in_small_letters(text));
  }
  return values.size() == texts.size() ? sorted_by(values, texts) : sorted_by(words, texts);
}

std::string in_one_notation(std::string_view text) {
  if (auto number = decimal(text)) return *std::move(number);
  return in_small_letters(std::string(text));
}

Notations::Notations(const std::vector<std::string>& texts) {
  for (std::uint32_t i = 0; i < texts.size(); ++i) texts_[in_one_notation(texts[i])].push_back(i);
}

const std::vector<std::uint32_t>& Notations::of(std::string_view text) const {
  static const std::vector<std::uint32_t> kNone;
  const auto found = texts_.find(in_one_notation(text));
  return found == texts_.end() ? kNone : found->second;
}

std::vector<std::vector<std::uint32_t>> Notations::doubtful() const {
  std::vector<std::vector<std::uint32_t>> groups;
  for (const auto& [notation, texts] : texts_) {
    if (texts.size() > 1) groups.push_back(texts);
  }
  std::ranges::sort(groups);
  return groups;
}

}  // namespace allot::io
