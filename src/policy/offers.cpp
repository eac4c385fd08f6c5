#include "allot/policy/offers.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "allot/base/check.hpp"

namespace allot::policy {

Offers::Offers(std::uint32_t item_count, std::uint32_t worker_count, bool recorded)
    : recorded_(recorded),
      listed_(worker_count),
      item_closed_(item_count, recorded ? worker_count : 0),
      item_labels_(item_count, 0),
      worker_labels_(worker_count, 0),
      withheld_(item_count) {}

Offers Offers::everyone(std::uint32_t item_count, std::uint32_t worker_count) {
  Offers offers(item_count, worker_count, false);
  offers.left_ = std::uint64_t{item_count} * worker_count;
  return offers;
}

Offers Offers::recorded(std::uint32_t item_count, std::uint32_t worker_count,
                        std::span<const Pair> pairs) {
  Offers offers(item_count, worker_count, true);
  offers.left_ = pairs.size();
  for (const Pair& pair : pairs) {
    SortedNumbers& items = offers.listed_[position(pair.worker)];
    require(!items.contains(position(pair.item)), "Offers::recorded", "item of a repeated pair",
            position(pair.item), "expected each pair once");
    items.insert(position(pair.item));
    --offers.item_closed_[position(pair.item)];
  }
  return offers;
}

void Offers::set_prices(std::vector<Money> prices) {
  constexpr std::string_view kName = "Offers::set_prices";
  require(prices.size() == worker_count(), kName, "number of prices",
          static_cast<double>(prices.size()), "expected one per worker");
  if (prices.empty()) return;
  const Money lowest = std::ranges::min(prices);
  require(lowest > Money(), kName, "price", lowest.value(), "expected more than 0");
  prices_ = std::move(prices);
  lowest_price_ = lowest;
}

std::uint64_t Offers::affordable(Money money) const {
  const double all = std::accumulate(prices_.begin(), prices_.end(), 0.0,
                                     [](double sum, Money one) { return sum + one.value(); });
  const double mean = prices_.empty() ? kUnitPrice.value() : all / worker_count();
  return static_cast<std::uint64_t>(std::max(0.0, money.value()) / mean);
}

void Offers::set_price(WorkerId worker, Money price) {
  require(price > Money(), "Offers::set_price", "price", price.value(), "expected more than 0");
  prices_.resize(worker_count(), kUnitPrice);
  const Money before = std::exchange(prices_[position(worker)], price);
  if (price <= lowest_price_) {
    lowest_price_ = price;
  } else if (before == lowest_price_) {
    lowest_price_ = std::ranges::min(prices_);
  }
}

Offers Offers::open_ended() {
  Offers offers(0, 0, false);
  offers.open_ended_ = true;
  return offers;
}

void Offers::add_items(std::uint32_t count) {
  require(open_ended_, "Offers::add_items", "count", count, "expected open-ended offers");
  left_ += std::uint64_t{count} * (worker_count() - gone_count_);
  const std::size_t all = item_labels_.size() + count;
  item_closed_.resize(all, gone_count_);
  item_labels_.resize(all);
  withheld_.resize(all);
}

void Offers::add_workers(std::uint32_t count, Money price) {
  constexpr std::string_view kName = "Offers::add_workers";
  require(open_ended_, kName, "count", count, "expected open-ended offers");
  require(price > Money(), kName, "price", price.value(), "expected more than 0");
  if (count == 0) return;
  if (!prices_.empty() || price != kUnitPrice) {
    lowest_price_ = worker_count() == 0 ? price : std::min(lowest_price_, price);
    prices_.resize(worker_count(), kUnitPrice);
    prices_.resize(std::size_t{worker_count()} + count, price);
  }
  left_ += std::uint64_t{count} * item_count();
  listed_.resize(listed_.size() + count);
  worker_labels_.resize(listed_.size());
}

bool Offers::is_listed_open(const Pair& pair) const {
  if (is_gone(pair.worker)) return false;
  return listed_[position(pair.worker)].contains(position(pair.item)) == recorded_;
}

std::uint32_t Offers::left(WorkerId worker) const {
  const std::uint32_t listed = listed_[position(worker)].size();
  if (is_gone(worker)) return 0;
  return recorded_ ? listed : item_count() - listed;
}

ItemId Offers::open_item(WorkerId worker, std::uint32_t n) const {
  const SortedNumbers& listed = listed_[position(worker)];
  return ItemId{recorded_ ? listed[n] : listed.gap(n)};
}

void Offers::remove(const Pair& pair) {
  SortedNumbers& listed = listed_[position(pair.worker)];
  recorded_ ? listed.erase(position(pair.item)) : listed.insert(position(pair.item));
  ++item_closed_[position(pair.item)];
  --left_;
}

void Offers::close(const Pair& pair) {
  require(is_open(pair), "Offers::close", "item of the pair", position(pair.item),
          "expected a pair that can be asked");
  remove(pair);
  count(pair);
}

void Offers::hold(const Pair& pair) {
  require(is_listed_open(pair), "Offers::hold", "item of the pair", position(pair.item),
          "expected a pair that can be asked");
  remove(pair);
}

void Offers::reopen(const Pair& pair) {
  require(open_ended_ && listed_[position(pair.worker)].contains(position(pair.item)),
          "Offers::reopen", "item of the pair", position(pair.item),
          "expected a pair that is held");
  listed_[position(pair.worker)].erase(position(pair.item));
  if (is_gone(pair.worker)) return;
  --item_closed_[position(pair.item)];
  ++left_;
}

void Offers::count(const Pair& pair) {
  ++item_labels_[position(pair.item)];
  ++worker_labels_[position(pair.worker)];
}

void Offers::exclude(ItemId item) {
  for (std::uint32_t worker = 0; worker < worker_count(); ++worker) {
    if (is_listed_open({item, WorkerId{worker}})) remove({item, WorkerId{worker}});
  }
}

void Offers::exclude(WorkerId worker) {
  const std::uint32_t open = left(worker);
  for (std::uint32_t n = 0; n < open; ++n) ++item_closed_[position(open_item(worker, n))];
  left_ -= open;
  if (recorded_) {
    listed_[position(worker)] = {};
  } else if (!is_gone(worker)) {
    gone_.resize(worker_count());
    gone_[position(worker)] = true;
    ++gone_count_;
  }
}

void Offers::restore(WorkerId worker) {
  require(is_gone(worker), "Offers::restore", "worker", position(worker),
          "expected one who was excluded");
  gone_[position(worker)] = false;
  --gone_count_;
  const std::uint32_t open = left(worker);
  for (std::uint32_t n = 0; n < open; ++n) --item_closed_[position(open_item(worker, n))];
  left_ += open;
}

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
