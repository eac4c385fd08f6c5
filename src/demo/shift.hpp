// The crowd at work in one campaign.
//
// A person whose turn it is answers the item at hand and takes the next, and has it until their
// next turn: so at any time most people are busy with an item. A turn without an answer (the first,
// or there is nothing for this one) takes no time, the next person comes at once. The crowd has an
// amount of its own to work for, whatever else the campaign may spend.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "allot/base/money.hpp"
#include "allot/base/result.hpp"
#include "demo/crowd.hpp"

namespace allot::demo {

/// Where items are handed out and answers taken.
class Desk {
 public:
  virtual ~Desk() = default;
  /// An item for the worker, or nothing.
  using Item = std::optional<std::string>;
  virtual Result<Item> ask(const std::string& worker) = 0;
  /// The answer, and the next item if one is wanted.
  virtual Result<Item> give(const std::string& worker, const std::string& item,
                            const std::string& label, bool next) = 0;
};

class Shift {
 public:
  /// What was done before, if it goes on where it was.
  struct Before {
    /// What the crowd may still earn, beyond the items at hand.
    Money left = {};
    std::array<Desk::Item, kPeople> at_hand = {};
    std::uint64_t labels = 0;
  };
  Shift(std::uint64_t seed, Desk& desk, Before before);

  /// Turns until somebody answers; false if in a whole round nobody can. After a refusal the shift
  /// does not know where it is.
  Result<bool> next_label();
  /// Answers of the crowd so far.
  std::uint64_t labels() const { return labels_; }

 private:
  /// Whether there was an answer.
  Result<bool> take_turn();

  const std::uint64_t seed_;
  Desk& desk_;
  Money left_;
  std::array<Desk::Item, kPeople> at_hand_;
  std::uint64_t labels_, turn_;
};

}  // namespace allot::demo
