#include "allot/policy/purse.hpp"

#include <algorithm>
#include <functional>

#include "allot/base/check.hpp"

namespace allot::policy {

Purse::Purse(Money budget, const Offers& offers) : budget_(budget), left_(budget), offers_(offers) {
  for (std::uint32_t j = 0; j < offers.worker_count(); ++j) by_price_.push_back(WorkerId{j});
  std::ranges::stable_sort(by_price_, std::greater(),
                           [&](WorkerId worker) { return offers.price(worker); });
}

void Purse::pay(WorkerId worker) {
  const Money price = offers_.price(worker);
  require(price <= left_, "Purse::pay", "price", price.value(), "expected at most what is left");
  left_ -= price;
}

std::optional<WorkerId> Purse::unpayable() {
  if (next_ == by_price_.size() || offers_.price(by_price_[next_]) <= left_) return {};
  return by_price_[next_++];
}

}  // namespace allot::policy
