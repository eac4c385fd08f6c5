#include "policy/state_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "allot/index/knowledge_gradient.hpp"
#include "base/try.hpp"

namespace allot::policy {
namespace {

constexpr std::uint64_t kManyStates = std::uint64_t{1} << 62;
constexpr double kLargestTable = 512.0 * (1 << 20);  // bytes for the table of counts

}  // namespace

Result<void> StateSpace::check_table(const std::vector<Group>& groups, std::uint32_t items,
                                     std::uint64_t budget) {
  const bool all_mirrored = std::ranges::all_of(groups, &Group::mirrored);
  const double labels = static_cast<double>(budget) + 1;
  const double types = labels * (labels + 1) / (all_mirrored ? 4 : 2) + labels;
  const double bytes = items * labels * types * sizeof(std::uint64_t) +
                       static_cast<double>(groups.size()) * types * sizeof(ItemType);
  if (bytes <= kLargestTable) return {};
  return fail(
      ErrorCode::too_large,
      fmt::format("{} items with a budget of {} are too many for exact dynamic programming: "
                  "the table of counts needs {:.3g} GiB; expected at most 0.5 GiB",
                  items, budget, bytes / (1 << 30)));
}

Result<StateSpace> StateSpace::create(const model::Beliefs& start, std::uint64_t budget,
                                      Sharing sharing) {
  StateSpace space;
  space.budget_ = budget;
  std::vector<std::uint32_t> group_of_item(start.item_count());
  for (std::uint32_t i = 0; i < start.item_count(); ++i) {
    const model::ItemBelief belief = start[ItemId{i}];
    const auto same = [&](const Group& group) {
      return sharing.items && group.start == belief.counts && group.prior == *belief.prior;
    };
    const auto found = std::ranges::find_if(space.groups_, same);
    group_of_item[i] = static_cast<std::uint32_t>(found - space.groups_.begin());
    if (found == space.groups_.end()) {
      const bool mirrored = sharing.labels && belief.prior->is_symmetric() &&
                            belief.counts.positive == belief.counts.negative;
      space.groups_.push_back({*belief.prior, belief.counts, mirrored, {}, {}});
    }
  }
  TRY(check_table(space.groups_, start.item_count(), budget));
  std::vector<std::uint32_t> order(start.item_count());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t item) { return group_of_item[item]; });
  for (const std::uint32_t item : order) {
    space.group_of_.push_back(group_of_item[item]);
    space.item_at_.push_back(ItemId{item});
  }
  for (Group& group : space.groups_) space.add_types(group);
  space.count_states();
  return space;
}

std::uint32_t StateSpace::type_of(const Group& group, model::Counts since_start) {
  const auto [fewer, more] = std::minmax(since_start.positive, since_start.negative);
  const std::uint32_t offset = group.mirrored ? fewer : since_start.negative;
  return group.first_with[since_start.total()] + offset;
}

void StateSpace::add_types(Group& group) const {
  std::uint32_t count = 0;
  for (std::uint32_t labels = 0; labels <= budget_ + 1; ++labels) {
    group.first_with.push_back(count);
    count += group.mirrored ? labels / 2 + 1 : labels + 1;
  }
  for (std::uint32_t labels = 0; labels <= budget_; ++labels) {
    const std::uint32_t most_negative = group.mirrored ? labels / 2 : labels;
    for (std::uint32_t negative = 0; negative <= most_negative; ++negative) {
      const model::Counts since{labels - negative, negative};
      const model::Counts all{group.start.positive + since.positive,
                              group.start.negative + since.negative};
      const model::ItemBelief belief{&group.prior, all};
      const index::Reward reward = index::reward(belief);
      group.types.push_back({all, labels, type_of(group, since.after(Label::positive)),
                             type_of(group, since.after(Label::negative)), reward.chance_positive,
                             1 - model::error_probability(belief), reward.expected});
    }
  }
}

void StateSpace::count_states() {
  stride_ = 0;
  for (const Group& group : groups_) {
    stride_ = std::max<std::uint64_t>(stride_, group.types.size() + 1);
  }
  const std::uint32_t places = item_count();
  ways_.assign(places * (budget_ + 1) * stride_, 0);
  for (std::uint32_t place = places; place-- > 0;) {
    const std::vector<ItemType>& types = groups_[group_of_[place]].types;
    for (std::uint64_t t = 0; t <= budget_; ++t) {
      std::uint64_t* row = &ways_[(place * (budget_ + 1) + t) * stride_];
      for (std::size_t type = types.size(); type-- > 0;) {
        row[type] = row[type + 1];
        if (types[type].labels > t) continue;
        const std::uint64_t rest = t - types[type].labels;
        const bool last = place + 1 == places;
        const std::uint32_t from =
            !last && continues_group(place + 1) ? static_cast<std::uint32_t>(type) : 0;
        row[type] += last ? rest == 0 : count(place + 1, rest, from);
        row[type] = std::min(row[type], kManyStates);
      }
    }
  }
}

std::uint64_t StateSpace::rank(const State& state, std::uint64_t t) const {
  std::uint64_t smaller = 0;
  for (std::uint32_t place = 0; place < state.size(); ++place) {
    const std::uint32_t from = continues_group(place) ? state[place - 1] : 0;
    smaller += count(place, t, from) - count(place, t, state[place]);
    t -= type(place, state).labels;
  }
  return smaller;
}

std::uint64_t StateSpace::rank_after(const State& state, std::uint64_t t, std::uint32_t place,
                                     std::uint32_t type) const {
  // Types with more labels come later, so the changed item moves to the right within its group.
  thread_local State changed;
  changed = state;
  while (place + 1 < state.size() && continues_group(place + 1) && changed[place + 1] < type) {
    changed[place] = changed[place + 1];
    ++place;
  }
  changed[place] = type;
  return rank(changed, t + 1);
}

StateSpace::State StateSpace::state_of(std::span<const model::Counts> counts,
                                       std::vector<std::uint32_t>& place_of) const {
  State types(item_count());
  for (std::uint32_t place = 0; place < types.size(); ++place) {
    const Group& group = groups_[group_of_[place]];
    const model::Counts now = counts[position(item_at_[place])];
    types[place] =
        type_of(group, {now.positive - group.start.positive, now.negative - group.start.negative});
  }
  std::vector<std::uint32_t> order(types.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, {}, [&](std::uint32_t place) { return std::pair(group_of_[place], types[place]); });
  State sorted(types.size());
  place_of.resize(types.size());
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    sorted[place] = types[order[place]];
    place_of[position(item_at_[order[place]])] = place;
  }
  return sorted;
}

void StateSpace::fill(State& state, std::uint32_t place, std::uint64_t t) const {
  for (; place < state.size(); ++place) {
    const std::uint32_t from = continues_group(place) ? state[place - 1] : 0;
    // The smallest type that leaves a way to go on: where the count of ways is about to fall.
    const std::uint64_t* row = &ways_[(place * (budget_ + 1) + t) * stride_];
    const std::uint64_t all = row[from];
    std::uint32_t type = from;
    while (row[type + 1] == all) ++type;
    state[place] = type;
    t -= this->type(place, state).labels;
  }
}

StateSpace::State StateSpace::first(std::uint64_t t) const {
  State state(item_count());
  fill(state, 0, t);
  return state;
}

bool StateSpace::next(State& state) const {
  std::uint64_t rest = 0;  // labels at the places from `place` on
  for (std::uint32_t place = item_count(); place-- > 0;) {
    rest += type(place, state).labels;
    const std::uint64_t* row = &ways_[(place * (budget_ + 1) + rest) * stride_];
    if (row[state[place] + 1] == 0) continue;
    std::uint32_t type = state[place] + 1;
    while (row[type + 1] == row[type]) ++type;
    state[place] = type;
    fill(state, place + 1, rest - this->type(place, state).labels);
    return true;
  }
  return false;
}

}  // namespace allot::policy
