#include "allot/base/money.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "allot/base/check.hpp"
#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot {
namespace {

constexpr std::size_t kDecimals = 9;
constexpr std::string_view kRange = "expected an amount within 9223372036";

bool all_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

tl::unexpected<Error> refuse(std::string_view text, std::string_view why,
                             std::string_view expected) {
  return invalid("amount {} {}; expected {} such as 12.50 or 0.001", in_quotes(text), why,
                 expected);
}

Result<Money> parse(std::string_view text, std::string_view expected) {
  const std::string_view number = trim(text);
  const std::size_t dot = std::min(number.find('.'), number.size());
  const std::string_view units = number.substr(0, dot);
  const std::string_view decimals = number.substr(std::min(dot + 1, number.size()));
  if (number.starts_with('-') && parse_number(number)) return refuse(text, "is negative", expected);
  const bool written =
      all_digits(units) && all_digits(decimals) && !(units.empty() && decimals.empty());
  if (!written) return refuse(text, "is not understood", expected);
  if (decimals.find_last_not_of('0') + 1 > kDecimals) {  // npos + 1 is 0
    return refuse(text, "has more than nine decimals", expected);
  }
  const auto whole = units.empty() ? std::optional<std::uint64_t>(0) : parse_whole(units);
  std::string padded(decimals.substr(0, kDecimals));
  padded.resize(kDecimals, '0');
  const std::uint64_t fraction = *parse_whole(padded);
  if (!whole || *whole > Money::kMost || (*whole == Money::kMost && fraction > 0))
    return refuse(text, "is more than 9,000,000,000", expected);
  return Money::whole(*whole) + Money::billionths(static_cast<std::int64_t>(fraction));
}

}  // namespace

Money Money::operator+(Money other) const {
  Money sum;
  require(!__builtin_add_overflow(count_, other.count_, &sum.count_), "Money", "sum",
          value() + other.value(), kRange);
  return sum;
}

Money Money::operator-(Money other) const {
  Money difference;
  require(!__builtin_sub_overflow(count_, other.count_, &difference.count_), "Money", "difference",
          value() - other.value(), kRange);
  return difference;
}

Money Money::operator*(std::uint64_t times) const {
  Money product;
  require(!__builtin_mul_overflow(count_, times, &product.count_), "Money", "multiple",
          value() * static_cast<double>(times), kRange);
  return product;
}

std::uint64_t Money::pays(Money price) const {
  require(price.count_ > 0, "Money::pays", "price", price.value(), "expected more than 0");
  return count_ <= 0 ? 0 : static_cast<std::uint64_t>(count_ / price.count_);
}

Money Money::part(double share) const {
  require(share >= 0 && share <= 1, "Money::part", "share", share, "expected 0 to 1");
  // A long double has 64 bits, so it holds every amount exactly.
  return Money(std::llround(static_cast<long double>(count_) * static_cast<long double>(share)));
}

Result<Money> parse_money(std::string_view text) { return parse(text, "an amount"); }

Result<Money> parse_price(std::string_view text) {
  constexpr std::string_view kExpected = "a price above 0";
  return parse(text, kExpected).and_then([&](Money price) -> Result<Money> {
    if (price > Money()) return price;
    return refuse(text, "is not a price", kExpected);
  });
}

std::string money_text(Money amount) {
  const std::int64_t count = amount.in_billionths();
  const std::uint64_t size =
      count < 0 ? -static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  std::string text =
      fmt::format("{}{}.{:09}", count < 0 ? "-" : "", size / 1'000'000'000, size % 1'000'000'000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace allot
