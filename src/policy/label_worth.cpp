#include "allot/policy/label_worth.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "allot/base/check.hpp"
#include "allot/index/coin_price.hpp"

namespace allot::policy {
namespace {

constexpr std::size_t kDeepest = 1023;  // states with more labels are worked out one by one

const model::BinaryCrowd& binary_of(const model::Crowd& crowd) {
  require(crowd.binary() != nullptr, "PairsWorthAsking", "classes", crowd.class_count(),
          "expected a binary crowd");
  return *crowd.binary();
}

}  // namespace

WorthRegion::WorthRegion(model::Prior prior, double price)
    : prior_(std::move(prior)), price_(price), lattice_(prior_) {
  require(price > 0, "WorthRegion", "price", price, "expected more than 0");
}

bool WorthRegion::contains(const model::Counts& counts) {
  const std::size_t labels = counts.total();
  const std::lock_guard lock(mutex_);
  if (labels > kDeepest) return lattice_.values(price_, {{counts}}).front().labels > 0;
  if (labels >= depth_) learn(std::max<std::size_t>(16, std::bit_ceil(labels + 1)));
  return pays_[labels * (labels + 1) / 2 + counts.positive];
}

void WorthRegion::learn(std::size_t depth) {
  std::vector<model::Counts> states;
  for (std::uint32_t n = 0; n < depth; ++n) {
    for (std::uint32_t k = 0; k <= n; ++k) states.push_back({k, n - k});
  }
  const auto values = lattice_.values(price_, states);
  pays_.resize(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) pays_[i] = values[i].labels > 0;
  depth_ = depth;
}

ItemsWorthAsking::ItemsWorthAsking(const model::Beliefs& beliefs, double price)
    : ItemsWorthAsking(beliefs, std::make_shared<WorthRegion>(beliefs.priors().front(), price)) {}

ItemsWorthAsking::ItemsWorthAsking(const model::Beliefs& beliefs,
                                   std::shared_ptr<WorthRegion> region)
    : beliefs_(beliefs),
      usual_(std::move(region)),
      worth_(beliefs.item_count()),
      excluded_(beliefs.item_count()) {
  refresh_all();
}

bool ItemsWorthAsking::is_worth(ItemId item) const {
  return regions_[beliefs_.prior_of(item)]->contains(beliefs_.counts(item));
}

void ItemsWorthAsking::refresh(ItemId item) {
  const bool now = !excluded_[position(item)] && is_worth(item);
  count_ += now;
  count_ -= worth_[position(item)];
  worth_[position(item)] = now;
}

void ItemsWorthAsking::exclude(ItemId item) {
  excluded_[position(item)] = true;
  refresh(item);
}

void ItemsWorthAsking::refresh_all() {
  regions_.clear();
  for (const model::Prior& prior : beliefs_.priors()) {
    regions_.push_back(
        prior == usual_->prior() ? usual_ : std::make_shared<WorthRegion>(prior, usual_->price()));
  }
  for (std::uint32_t i = 0; i < beliefs_.item_count(); ++i) refresh(ItemId{i});
}

PairsWorthAsking::PairsWorthAsking(const model::Crowd& crowd, const Offers& offers, Money worth)
    : crowd_(binary_of(crowd)), offers_(offers), worth_(worth) {
  require(worth > Money(), "PairsWorthAsking", "worth", worth.value(), "expected more than 0");
  refresh_all();
}

bool is_label_worth(double error, double reliability, Money price, Money worth) {
  const double least = ratio(price, worth);
  // A label gains at most the whole error, and at most its average move of the probability,
  // 2 p (1-p) |2q-1|. Workers whose labels say next to nothing need no further computation.
  if (error < least || std::abs(reliability - 0.5) < least) return false;
  return index::coin_label_price(std::log1p(-error) - std::log(error), reliability) >= least;
}

bool PairsWorthAsking::is_worth(const Pair& pair) const {
  const model::Channel& mean = crowd_[pair.worker].mean;
  return is_label_worth(error_[position(pair.item)], (mean.sensitivity + mean.specificity) / 2,
                        offers_.price(pair.worker), worth_);
}

std::optional<ItemId> PairsWorthAsking::least_certain(WorkerId worker) const {
  if (offers_.left(worker) == 0) return {};
  if (!offers_.is_recorded()) {
    for (auto place = in_order_.rbegin(); place != in_order_.rend(); ++place) {
      if (offers_.is_open({ItemId{place->second}, worker})) return ItemId{place->second};
    }
    return {};
  }
  ItemId least = offers_.open_item(worker, 0);
  for (std::uint32_t n = 1; n < offers_.left(worker); ++n) {
    const ItemId item = offers_.open_item(worker, n);
    if (error_[position(item)] > error_[position(least)]) least = item;
  }
  return least;
}

/// The price of a label grows with the error, so the least certain item of a worker decides.
bool PairsWorthAsking::any() {
  if (found_ && offers_.is_open(*found_)) return true;
  found_.reset();
  for (std::uint32_t j = 0; j < offers_.worker_count() && !found_; ++j) {
    const auto item = least_certain(WorkerId{j});
    if (item && is_worth({*item, WorkerId{j}})) found_ = Pair{*item, WorkerId{j}};
  }
  return found_.has_value();
}

void PairsWorthAsking::refresh(const Pair& asked) {
  const std::uint32_t item = position(asked.item);
  const bool listed = in_order_.erase({error_[item], item}) > 0;
  error_[item] = error_probability(crowd_[asked.item]);
  if (listed) in_order_.insert({error_[item], item});
  const bool touched = found_ && (found_->item == asked.item || found_->worker == asked.worker);
  if (touched && !is_worth(*found_)) found_.reset();
}

void PairsWorthAsking::refresh_all() {
  found_.reset();
  in_order_.clear();
  error_.resize(crowd_.item_count());
  for (std::uint32_t i = 0; i < error_.size(); ++i) {
    error_[i] = error_probability(crowd_[ItemId{i}]);
    if (!offers_.is_recorded()) in_order_.insert({error_[i], i});
  }
}

}  // namespace allot::policy
