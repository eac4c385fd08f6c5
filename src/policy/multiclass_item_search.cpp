#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "allot/policy/ties.hpp"
#include "policy/item_search.hpp"

namespace allot::policy {
namespace {

constexpr double kNoClassGain = -std::numeric_limits<double>::infinity();

/// PairValues of one worker; caches those of the states met last.
class PairValues {
 public:
  PairValues(const index::MulticlassPairIndex& index, std::span<const double> table)
      : index_(index), table_(table) {}

  double operator()(const index::MulticlassItemView& item, double potential) {
    Known& place = known_[std::hash<double>{}(potential) % known_.size()];
    if (place.classes.empty() || place.labels != item.labels ||
        !std::ranges::equal(place.classes, item.classes)) {
      place = {item.classes, item.labels, quantised(index_.value(item, table_))};
    }
    return place.value;
  }

 private:
  struct Known {
    std::span<const double> classes;
    std::uint32_t labels = 0;
    double value = 0;
  };

  const index::MulticlassPairIndex& index_;
  const std::span<const double> table_;
  std::array<Known, 32> known_;
};

}  // namespace

MulticlassItemSearch::MulticlassItemSearch(const model::MulticlassCrowd& crowd,
                                           const Offers& offers, index::MulticlassPairIndex index)
    : OpenItemSearch(offers), crowd_(crowd), index_(std::move(index)) {
  refresh_all();
}

index::MulticlassItemView MulticlassItemSearch::view(ItemId item) const {
  return {crowd_[item], crowd_.has_soft_labels(), offers_.labels(item)};
}

/// The potential, raised so that rounding cannot break the bound.
double MulticlassItemSearch::potential_of(ItemId item) const {
  const double potential = index_.potential(view(item));
  return potential + 1e-12 * std::abs(potential);
}

double MulticlassItemSearch::value(const Pair& pair) const {
  return quantised(index_.value(view(pair.item), crowd_[pair.worker]));
}

void MulticlassItemSearch::update(ItemId item) {
  double& potential = potential_[position(item)];
  in_order_.erase({potential, position(item)});
  potential = potential_of(item);
  if (is_listed(item)) in_order_.insert({potential, position(item)});
}

bool MulticlassItemSearch::is_listed(ItemId item) const {
  return !offers_.is_recorded() && !offers_.is_finished(item);
}

void MulticlassItemSearch::grow() {
  while (potential_.size() < crowd_.item_count()) {
    const ItemId item{static_cast<std::uint32_t>(potential_.size())};
    potential_.push_back(potential_of(item));
    if (is_listed(item)) in_order_.insert({potential_.back(), position(item)});
  }
}

void MulticlassItemSearch::refresh_all() {
  potential_.clear();
  in_order_.clear();
  grow();
}

void MulticlassItemSearch::exclude(ItemId item) {
  in_order_.erase({potential_[position(item)], position(item)});
}

template <typename Visit>
void MulticlassItemSearch::walk(Team team, const double& least, Visit visit) const {
  const WorkerId worker{team.front()};
  PairValues values(index_, crowd_[worker]);
  if (offers_.is_recorded()) {
    for (std::uint32_t n = 0; n < offers_.left(worker); ++n) {
      const ItemId item = offers_.open_item(worker, n);
      const double potential = potential_[position(item)];
      if (potential >= least) visit(item, values(view(item), potential));
    }
    return;
  }
  for (auto place = in_order_.rbegin(); place != in_order_.rend() && place->first >= least;
       ++place) {
    const ItemId item{place->second};
    if (any_open(team, item)) visit(item, values(view(item), place->first));
  }
}

std::optional<MulticlassItemSearch::Best> MulticlassItemSearch::best(Team team) {
  if (offers_.left(WorkerId{team.front()}) == 0) return {};
  Best best{kNoClassGain, ItemId{0}};
  walk(team, best.value, [&](ItemId item, double value) {
    if (value > best.value) best = {value, item};
  });
  return best.value == kNoClassGain ? std::nullopt : std::optional(best);
}

std::optional<ItemId> MulticlassItemSearch::first_at_least(Team team, double threshold,
                                                           std::uint32_t from) {
  std::optional<ItemId> first;
  walk(team, threshold, [&](ItemId item, double value) {
    if (value < threshold) return;
    if (!first || distance(position(item), from) < distance(position(*first), from)) first = item;
  });
  return first;
}

std::optional<ItemId> MulticlassItemSearch::first_of_the_best(Team team, std::uint32_t from) {
  const auto most = best(team);
  return most ? first_at_least(team, tie_threshold(most->value), from) : std::nullopt;
}

}  // namespace allot::policy
