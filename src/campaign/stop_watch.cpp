#include "campaign/stop_watch.hpp"

#include <cmath>

namespace allot::campaign {
namespace {

constexpr int kBits = 40;

}  // namespace

std::uint64_t StopWatch::in_parts(double error) {
  return static_cast<std::uint64_t>(std::llround(std::ldexp(error, kBits)));
}

void StopWatch::set(ItemId item, Part part, double error) {
  const std::uint32_t number = position(item);
  if (number >= items_.size()) items_.resize(number + 1);
  leave(number);
  items_[number] = {part, error};
  enter(number);
}

void StopWatch::enter(std::uint32_t item) {
  const auto& [part, error] = items_[item];
  if (part == Part::none) return;
  ++answers_;
  errors_ += in_parts(error);
  if (part == Part::settled) return;
  ++open_;
  if (rules_.settled && 1 - error >= *rules_.settled) sure_.insert(item);
  if (rules_.worth) by_doubt_.insert({error, item});
}

void StopWatch::leave(std::uint32_t item) {
  const auto& [part, error] = items_[item];
  if (part == Part::none) return;
  --answers_;
  errors_ -= in_parts(error);
  if (part == Part::settled) return;
  --open_;
  sure_.erase(item);
  by_doubt_.erase({error, item});
}

bool StopWatch::is_accurate() const {
  if (!rules_.accuracy || answers_ == 0) return false;
  const double wrong = std::ldexp(static_cast<double>(errors_), -kBits) / answers_;
  return 1 - wrong >= *rules_.accuracy;
}

}  // namespace allot::campaign
