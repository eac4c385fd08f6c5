#include "demo/crowd.hpp"

#include <algorithm>

#include "allot/base/rng.hpp"

namespace allot::demo {

const std::array<Person, kPeople>& people() {
  // Careful ones are dear and come seldom; Max has understood the question the wrong way round.
  static constexpr std::array<Person, kPeople> kAll{{
      {"Ines", "0.08", 5, {.99, .93, .75}},
      {"Tomas", "0.06", 5, {.98, .90, .70}},
      {"Mei", "0.06", 6, {.98, .88, .70}},
      {"Kofi", "0.05", 6, {.96, .82, .62}},
      {"Sara", "0.05", 6, {.95, .80, .60}},
      {"Jonas", "0.04", 7, {.94, .76, .58}},
      {"Lucia", "0.04", 7, {.92, .72, .56}},
      {"Amir", "0.04", 8, {.90, .70, .55}},
      {"Pia", "0.03", 12, {.78, .62, .52}},
      {"Rufus", "0.03", 12, {.72, .58, .51}},
      {"Max", "0.03", 10, {.35, .42, .48}},
      {"language-model", "0.02", 16, {.95, .78, .55}},
  }};
  return kAll;
}

bool says_yes(std::uint64_t seed, std::size_t person, std::size_t message) {
  const Message& one = messages()[message];
  const double right = people()[person].right[static_cast<std::size_t>(one.reading)];
  const Rng answers(seed, Rng::Purpose::label, 0, static_cast<std::uint32_t>(person));
  return (unit_interval(answers.at(message)) < right) == one.today;
}

std::size_t person_of_turn(std::uint64_t turn) {
  // Each gathers as many points a turn as they have turns; whoever has most comes, and pays kRound.
  // With a few points to begin with, the last of a round is not the first of the next as well.
  static const auto order = [] {
    std::array<std::size_t, kRound> all{};
    std::array<int, kPeople> points{};
    for (std::size_t n = 0; n < kPeople; ++n) points[n] = 2 * static_cast<int>(n % 4);
    for (std::size_t& one : all) {
      for (std::size_t n = 0; n < kPeople; ++n) points[n] += people()[n].turns;
      one = static_cast<std::size_t>(std::ranges::max_element(points) - points.begin());
      points[one] -= static_cast<int>(kRound);
    }
    return all;
  }();
  return order[turn % kRound];
}

}  // namespace allot::demo
