#include "io/class_order.hpp"

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

}  // namespace allot::io
