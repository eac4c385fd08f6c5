// What is left of a budget in money, and whom it can still pay.
//
//   Purse purse(budget, offers);  then after every label purse.pay(worker);
//   while (worker = purse.unpayable()) leave the worker out of offers and chooser.
// What is left may still pay a cheaper worker; a campaign ends when nobody is left.
//
// Cost: O(M log M) to make for M workers, O(1) a label.
#pragma once

#include <optional>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/policy/offers.hpp"

namespace allot::policy {

class Purse {
 public:
  /// The offers, which must outlive it, have their prices.
  Purse(Money budget, const Offers& offers);

  Money left() const { return left_; }
  Money spent() const { return budget_ - left_; }

  /// For a label of the worker. Throws std::invalid_argument if there is not so much left.
  void pay(WorkerId worker);

  /// The next of those who can no longer be paid, each once, the dearest first.
  std::optional<WorkerId> unpayable();

 private:
  const Money budget_;
  Money left_;
  const Offers& offers_;
  std::vector<WorkerId> dearest_;  // first
  std::size_t next_ = 0;
};

}  // namespace allot::policy
