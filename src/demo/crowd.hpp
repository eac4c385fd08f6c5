// The simulated people of the demo: who they are, how they label, and in which order they work.
//
// A person's label of a message depends only on the seed, the person and the message. So the same
// person gives the same labels in every campaign, and a comparison of two policies compares what
// they ask. People come in a fixed, evenly mixed order: two campaigns with equally many labels have
// bought them from the same people at the same prices.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "allot/base/money.hpp"
#include "demo/messages.hpp"

namespace allot::demo {

struct Person {
  std::string_view name;
  /// Price of a label.
  std::string_view price;
  /// Turns out of a hundred.
  int turns;
  /// Share of right labels, per kind of message.
  std::array<double, kReadings> right;
};

inline constexpr std::size_t kPeople = 12;
/// Turns after which the order of people repeats.
inline constexpr std::size_t kRound = 100;

const std::array<Person, kPeople>& people();
Money price_of(std::size_t person);

/// True if the person says yes.
bool says_yes(std::uint64_t seed, std::size_t person, std::size_t message);

/// The person whose turn it is; turns count from 0.
std::size_t person_of_turn(std::uint64_t turn);

}  // namespace allot::demo
