#include "allot/model/group_views.hpp"

#include <algorithm>

namespace allot::model {

GroupViews::GroupViews(std::uint32_t classes, std::vector<std::uint32_t> groups)
    : classes_(classes), cells_(std::size_t{classes} * classes), groups_(std::move(groups)) {
  if (!groups_.empty()) group_count_ = *std::ranges::max_element(groups_);
  if (group_count_ == 0) groups_.clear();
  repeats_.resize(groups_.size());
  own_.resize(groups_.size() * cells_);
  tables_.resize(group_count_ * cells_);
  places_.resize(group_count_);
}

std::span<const double> GroupViews::view(std::uint32_t group, ItemId item) const {
  const std::uint32_t place = place_of(group, item);
  return {place == 0 ? &tables_[(group - 1) * cells_] : &views_[(place - 1) * cells_], cells_};
}

void GroupViews::write_table(WorkerId worker, ItemId item, std::span<double> out) const {
  const std::span<const double> shared = view(group_of(worker), item), alone = own(worker);
  const double r = repeats(worker);
  for (std::size_t n = 0; n < cells_; ++n) out[n] = r * shared[n] + (1 - r) * alone[n];
}

void GroupViews::write_table(WorkerId worker, std::span<double> out) const {
  const double* const shared = &tables_[(group_of(worker) - 1) * cells_];
  const std::span<const double> alone = own(worker);
  const double r = repeats(worker);
  for (std::size_t n = 0; n < cells_; ++n) out[n] = r * shared[n] + (1 - r) * alone[n];
}

void GroupViews::set_group(std::uint32_t group, std::span<const double> table) {
  std::ranges::copy(table, &tables_[(group - 1) * cells_]);
}

std::span<double> GroupViews::new_view(std::uint32_t group, ItemId item) {
  if (free_.empty()) {
    views_.resize(views_.size() + cells_);
    free_.push_back(static_cast<std::uint32_t>(views_.size() / cells_));
  }
  auto& places = places_[group - 1];
  if (places.size() <= position(item)) places.resize(position(item) + 1, 0);
  const std::uint32_t place = places[position(item)] = free_.back();
  free_.pop_back();
  return {&views_[(place - 1) * cells_], cells_};
}

void GroupViews::set_view(std::uint32_t group, ItemId item, std::span<const double> view) {
  const std::uint32_t place = place_of(group, item);
  std::ranges::copy(view, place == 0 ? new_view(group, item).begin()
                                     : std::span(&views_[(place - 1) * cells_], cells_).begin());
}

void GroupViews::absorb(ItemId item, WorkerId worker, ClassId label) {
  const std::uint32_t group = group_of(worker);
  if (!has_view(group, item)) {
    const std::span<double> made = new_view(group, item);
    std::copy_n(&tables_[(group - 1) * cells_], cells_, made.begin());
  }
  const std::span<double> view(&views_[(place_of(group, item) - 1) * cells_], cells_);
  std::vector<double> own_chance(classes_), chance(classes_);
  for (std::size_t k = 0; k < classes_; ++k)
    own_chance[k] = own(worker)[k * classes_ + position(label)];
  absorb_into_view(view, repeats(worker), own_chance, position(label), chance);
}

void GroupViews::forget(ItemId item) {
  for (std::uint32_t group = 1; group <= group_count_; ++group) {
    const std::uint32_t place = place_of(group, item);
    if (place == 0) continue;
    free_.push_back(place);
    places_[group - 1][position(item)] = 0;
  }
}

void GroupViews::forget_all() {
  for (auto& places : places_) places.clear();
  views_.clear();
  free_.clear();
}

void GroupViews::save(ByteWriter& to) const {
  to.array(repeats_);
  to.array(own_);
  to.array(tables_);
  for (const auto& places : places_) to.array(places);
  to.array(views_);
  to.array(free_);
}

void GroupViews::load(ByteReader& from) {
  const auto load = [&](auto& numbers) {
    const std::size_t size = numbers.size();
    from.array(numbers);
    if (numbers.size() != size) from.refuse();
  };
  load(repeats_);
  load(own_);
  load(tables_);
  for (auto& places : places_) from.array(places);
  from.array(views_);
  from.array(free_);
  const auto is_known = [&](std::uint32_t place) { return place <= views_.size() / cells_; };
  const bool sound = std::ranges::all_of(free_, [&](auto n) { return n > 0 && is_known(n); }) &&
                     std::ranges::all_of(places_, [&](const auto& places) {
                       return std::ranges::all_of(places, is_known);
                     });
  if (!sound) from.refuse();
}

void absorb_into_view(std::span<double> view, double repeats, std::span<const double> own,
                      std::uint32_t label, std::span<double> chance) {
  const std::size_t classes = own.size();
  for (std::size_t k = 0; k < classes; ++k) {
    const std::span<double> row = view.subspan(k * classes, classes);
    const double alone = (1 - repeats) * own[k];
    chance[k] = repeats * row[label] + alone;
    if (!(chance[k] > 0)) continue;  // impossible: the view stays as it is
    const double repeated = repeats * row[label];
    for (double& share : row) share *= alone / chance[k];
    row[label] += repeated / chance[k];
  }
}

}  // namespace allot::model
