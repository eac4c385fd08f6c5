// The stop rules of a campaign (policy/stop_rules.hpp), checked item by item.
//
// The result depends only on the present beliefs and settled items, not on the order in which they
// came, so that a decision can be repeated: error probabilities are summed as multiples of 2^-40.
//
// Cost: O(log items) when the belief about one item changes.
#pragma once

#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "allot/base/ids.hpp"
#include "allot/policy/stop_rules.hpp"

namespace allot::campaign {

class StopWatch {
 public:
  explicit StopWatch(const policy::StopRules& rules) : rules_(rules) {}

  enum class Part : std::uint8_t {
    none,     // its answer is known, or it was never set
    settled,  // nobody is asked about it any more; it counts for the accuracy
    open,
  };
  /// Sets the part of the item and the probability that its answer is wrong: by the model, and as
  /// the rule `accuracy` reads it. O(1) more for each item that was never set before.
  void set(ItemId item, Part part, double error, double stated_error) {
    const std::uint32_t number = position(item);
    if (number >= items_.size()) items_.resize(number + 1);
    leave(number);
    items_[number] = {part, error, stated_error};
    enter(number);
  }

  /// Whether the answers of all items that have a part are good enough for the rule `accuracy`.
  bool is_accurate() const {
    if (!rules_.accuracy || answers_ == 0) return false;
    const double wrong = std::ldexp(static_cast<double>(errors_), -kBits) / answers_;
    return 1 - wrong >= *rules_.accuracy;
  }
  /// Whether there are items and the rule `settled` has left none open.
  bool all_settled() const { return rules_.settled && answers_ > 0 && open_ == 0; }
  bool any_open() const { return open_ > 0; }

  /// Open items whose answers are sure enough for the rule `settled`, in order.
  const std::set<std::uint32_t>& sure() const { return sure_; }

  struct Doubt {
    double error;
    std::uint32_t item;
    auto operator<=>(const Doubt&) const = default;
  };
  /// Open items, the surest first; only kept for the rule `worth`.
  const std::set<Doubt>& by_doubt() const { return by_doubt_; }

 private:
  static constexpr int kBits = 40;
  static std::uint64_t in_parts(double error) {
    return static_cast<std::uint64_t>(std::llround(std::ldexp(error, kBits)));
  }

  void enter(std::uint32_t item) {
    const auto& [part, error, stated_error] = items_[item];
    if (part == Part::none) return;
    ++answers_;
    errors_ += in_parts(stated_error);
    if (part == Part::settled) return;
    ++open_;
    if (rules_.settled && 1 - error >= *rules_.settled) sure_.insert(item);
    if (rules_.worth) by_doubt_.insert({error, item});
  }

  void leave(std::uint32_t item) {
    const auto& [part, error, stated_error] = items_[item];
    if (part == Part::none) return;
    --answers_;
    errors_ -= in_parts(stated_error);
    if (part == Part::settled) return;
    --open_;
    sure_.erase(item);
    by_doubt_.erase({error, item});
  }

  struct Item {
    Part part = Part::none;
    double error = 0, stated_error = 0;
  };
  const policy::StopRules rules_;
  std::vector<Item> items_;
  std::uint32_t answers_ = 0, open_ = 0;
  std::uint64_t errors_ = 0;  // their sum, in units of 2^-40
  std::set<std::uint32_t> sure_;
  std::set<Doubt> by_doubt_;
};

}  // namespace allot::campaign
