// Exact amounts of money, counted in billionths of the unit in which prices are written.
//
// Ten prices of 0.1 sum to exactly 1, so a budget can be spent to the last label it can pay. The
// caller chooses the unit (dollars, points, an expert's seconds). Where nothing has a price, a
// label costs 1.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"

namespace allot {

/// An amount of money. It can be negative, such as a difference of two amounts.
class Money {
 public:
  /// Largest amount `parse_money` accepts. Sums have room above it.
  static constexpr std::uint64_t kMost = 9'000'000'000;

  /// Zero.
  constexpr Money() = default;
  /// An amount of `count` billionths.
  static constexpr Money billionths(std::int64_t count) { return Money(count); }
  /// An amount of whole units. Throws std::invalid_argument beyond 9223372036.
  static Money whole(std::uint64_t units) { return Money(kUnit) * units; }

  /// The amount in billionths.
  constexpr std::int64_t in_billionths() const { return count_; }
  /// The nearest double.
  constexpr double value() const { return static_cast<double>(count_) / kUnit; }

  /// Amounts compare by value.
  constexpr auto operator<=>(const Money&) const = default;

  /// The sum. Throws std::invalid_argument beyond 9223372036.
  Money operator+(Money other) const;
  /// The difference. Throws std::invalid_argument beyond 9223372036.
  Money operator-(Money other) const;
  /// The multiple. Throws std::invalid_argument beyond 9223372036.
  Money operator*(std::uint64_t times) const;
  /// Adds to the amount.
  Money& operator+=(Money other) { return *this = *this + other; }
  /// Subtracts from the amount.
  Money& operator-=(Money other) { return *this = *this - other; }

  /// Number of times the amount can pay a price; the price must be positive.
  std::uint64_t pays(Money price) const;
  /// The given share of the amount, rounded to the nearest billionth; `share` is 0 to 1.
  Money part(double share) const;

 private:
  static constexpr std::int64_t kUnit = 1'000'000'000;
  constexpr explicit Money(std::int64_t count) : count_(count) {}

  std::int64_t count_ = 0;
};

/// `amount` in multiples of `unit`; `unit` must not be 0.
constexpr double ratio(Money amount, Money unit) {
  return static_cast<double>(amount.in_billionths()) / static_cast<double>(unit.in_billionths());
}

/// Price of a label where no price is given.
inline constexpr Money kUnitPrice = Money::billionths(1'000'000'000);

/// Parses an amount of 0 or more: digits and up to nine decimals ("12", "0.05", "12.50"). Error
/// messages name the text and the accepted form.
Result<Money> parse_money(std::string_view text);
/// Parses an amount above 0.
Result<Money> parse_price(std::string_view text);

/// The shortest text of the amount: "12.5", "0.05", "-3".
std::string money_text(Money amount);

}  // namespace allot
