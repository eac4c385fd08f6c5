#include "demo/shift.hpp"

#include <algorithm>

namespace allot::demo {

Shift::Shift(std::uint64_t seed, Desk& desk, Before before)
    : seed_(seed),
      desk_(desk),
      left_(before.left),
      at_hand_(std::move(before.at_hand)),
      labels_(before.labels) {
  // Every turn so far brought an answer or was the first of somebody who has an item since.
  turn_ = labels_ + static_cast<std::uint64_t>(std::ranges::count_if(
                        at_hand_, [](const Desk::Item& item) { return item.has_value(); }));
}

Result<bool> Shift::next_label() {
  for (std::size_t n = 0; n < kRound; ++n) {
    const auto answered = take_turn();
    if (!answered || *answered) return answered;
  }
  return false;
}

Result<bool> Shift::take_turn() {
  const std::size_t person = person_of_turn(turn_++);
  const std::string worker(people()[person].name);
  Desk::Item& item = at_hand_[person];
  const auto message = item ? message_at(*item) : std::nullopt;
  const bool answers = message.has_value();
  const Money price = price_of(person);
  const bool goes_on = price <= left_;
  Result<Desk::Item> next = Desk::Item();
  if (answers) {
    next = desk_.give(worker, *item, kClasses[says_yes(seed_, person, *message)], goes_on);
  } else if (goes_on) {
    next = desk_.ask(worker);
  }
  if (!next) return tl::unexpected(next.error());
  item = *std::move(next);
  if (item) left_ -= price;
  if (answers) ++labels_;
  return answers;
}

}  // namespace allot::demo
