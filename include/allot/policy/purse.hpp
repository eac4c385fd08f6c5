// The rest of a budget in money, and the workers that it can still pay.
//
//   Purse purse(budget, offers);  then after every label purse.pay(worker);
//   while (worker = purse.unpayable()) desk.exclude(worker).
// The rest may still pay a cheaper worker; a campaign ends when nobody is left.
//
// Cost: O(M log M) to make for M workers, O(1) per label.
#pragma once

#include <optional>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/policy/offers.hpp"

namespace allot::policy {

/// The remaining budget in money; finds workers that it cannot pay any more.
class Purse {
 public:
  /// Takes the prices from the offers, which must outlive the purse.
  Purse(Money budget, const Offers& offers);

  /// Money that is not spent yet.
  Money left() const { return left_; }
  /// Total price of the labels paid so far.
  Money spent() const { return budget_ - left_; }

  /// Pays a label of the worker. Throws std::invalid_argument if the rest is too small.
  void pay(WorkerId worker);

  /// The next worker who cannot be paid any more, each once, the most expensive first.
  std::optional<WorkerId> unpayable();

 private:
  const Money budget_;
  Money left_;
  const Offers& offers_;
  std::vector<WorkerId> by_price_;  // the most expensive first
  std::size_t next_ = 0;
};

}  // namespace allot::policy
