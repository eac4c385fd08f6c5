// Amounts of money, exact: whole billionths of the unit in which prices are written.
//
// Ten prices of 0.1 are 1, not a bit less, so a budget is spent to the last label it can pay. The
// unit itself (dollars, points, seconds of an expert) is the caller's; where nothing has a price, a
// label costs 1.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot {

class Money {
 public:
  /// Amounts that can be written: up to nine billion, so that sums of many have room.
  static constexpr std::uint64_t kMost = 9'000'000'000;

  /// Nothing.
  constexpr Money() = default;
  static constexpr Money billionths(std::int64_t count) { return Money(count); }
  /// Throws std::invalid_argument beyond 9223372036.
  static Money whole(std::uint64_t units) { return Money(kUnit) * units; }

  constexpr std::int64_t in_billionths() const { return count_; }
  /// The nearest double.
  constexpr double value() const { return static_cast<double>(count_) / kUnit; }

  constexpr auto operator<=>(const Money&) const = default;

  /// Sums, differences and multiples throw std::invalid_argument if they are beyond 9223372036.
  Money operator+(Money other) const;
  Money operator-(Money other) const;
  Money operator*(std::uint64_t times) const;
  Money& operator+=(Money other) { return *this = *this + other; }
  Money& operator-=(Money other) { return *this = *this - other; }

  /// How many times a positive price can be paid from the amount.
  std::uint64_t pays(Money price) const;
  /// The part of the amount, rounded to the nearest billionth; `share` from 0 to 1.
  Money part(double share) const;

 private:
  static constexpr std::int64_t kUnit = 1'000'000'000;
  constexpr explicit Money(std::int64_t count) : count_(count) {}

  std::int64_t count_ = 0;
};

/// One amount in terms of another that is not 0.
constexpr double ratio(Money amount, Money unit) {
  return static_cast<double>(amount.in_billionths()) / static_cast<double>(unit.in_billionths());
}

/// What a label costs where nothing else is said.
inline constexpr Money kUnitPrice = Money::billionths(1'000'000'000);

/// The text as an amount that is not negative: digits, and up to nine decimals ("12", "0.05",
/// "12.50"). Refusals name the text and what would be accepted.
Result<Money> parse_money(std::string_view text);
/// The same for what must not be 0.
Result<Money> parse_price(std::string_view text);

/// The shortest text of the amount: "12.5", "0.05", "-3".
std::string money_text(Money amount);

}  // namespace allot
