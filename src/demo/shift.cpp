#include "demo/shift.hpp"

#include <algorithm>

namespace allot::demo {

Shift::Shift(std::uint64_t seed, Workplace& workplace, Progress progress)
    : seed_(seed),
      workplace_(workplace),
      left_(progress.left),
      leased_(std::move(progress.leased)),
      labels_(progress.labels) {
  // Every turn so far gave a label, or was the first turn of a person who still has an item.
  turn_ = labels_ + static_cast<std::uint64_t>(std::ranges::count_if(
                        leased_, [](const Workplace::Item& item) { return item.has_value(); }));
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
  Workplace::Item& item = leased_[person];
  const auto message = item ? message_at(*item) : std::nullopt;
  const bool answers = message.has_value();
  const Money price = price_of(person);
  const bool goes_on = price <= left_;
  Result<Workplace::Item> next = Workplace::Item();
  if (answers) {
    next = workplace_.give(worker, *item, kClasses[says_yes(seed_, person, *message)], goes_on);
  } else if (goes_on) {
    next = workplace_.ask(worker);
  }
  if (!next) return tl::unexpected(next.error());
  item = *std::move(next);
  if (item) left_ -= price;
  if (answers) ++labels_;
  return answers;
}

}  // namespace allot::demo
