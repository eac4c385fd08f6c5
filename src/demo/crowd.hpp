// The simulated people of the demo: who they are, what they say, and who comes when.
//
// What a person says about a message follows from the seed, the person and the message alone, so in
// every campaign on these messages the same person gives the same answers, and a comparison of two
// policies is one of what they ask. People come in a fixed order in which nobody comes in crowds:
// two campaigns with as many labels have bought them from the same people for the same money.
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
  /// What a label of theirs costs.
  std::string_view price;
  /// How many of a hundred turns are theirs.
  int turns;
  /// How often they are right, by how a message reads.
  std::array<double, kReadings> right;
};

inline constexpr std::size_t kPeople = 12;
/// After so many turns the order of people begins again.
inline constexpr std::size_t kRound = 100;

const std::array<Person, kPeople>& people();
Money price_of(std::size_t person);

/// Whether the person says yes.
bool says_yes(std::uint64_t seed, std::size_t person, std::size_t message);

/// Whose turn it is, from 0.
std::size_t person_of_turn(std::uint64_t turn);

}  // namespace allot::demo
