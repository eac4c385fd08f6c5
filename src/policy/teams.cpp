#include "policy/teams.hpp"

#include <algorithm>

#include "allot/model/binary_crowd.hpp"
#include "allot/model/multiclass_crowd.hpp"

namespace allot::policy {

Teams::Teams(const model::Crowd& crowd, const Offers& offers)
    : crowd_(crowd), offers_(offers), team_of_(offers.worker_count()) {
  for (std::uint32_t j = 0; j < offers_.worker_count(); ++j) enter(j);
}

void Teams::move(WorkerId worker) {
  const std::uint32_t before = of(worker);
  auto& old = members_[before];
  old.erase(std::ranges::lower_bound(old, position(worker)));
  if (old.empty()) {
    known_.erase(keys_[before]);
    spare_.push_back(before);
  }
  enter(position(worker));
}

Teams::Key Teams::belief_key(WorkerId worker) const {
  if (const model::BinaryCrowd* const binary = crowd_.binary()) {
    const model::WorkerState& state = (*binary)[worker];
    return {state.mean.sensitivity, state.mean.specificity, state.sensitivity_squared,
            state.product, state.specificity_squared};
  }
  const std::span<const double> table = (*crowd_.multiclass())[worker];
  return {table.begin(), table.end()};
}

Teams::Key Teams::key_of(WorkerId worker) const {
  if (offers_.is_recorded()) return {static_cast<double>(position(worker))};
  Key key = belief_key(worker);
  key.push_back(offers_.relative_price(worker));
  key.push_back(offers_.labels(worker));
  key.push_back(offers_.left(worker));
  return key;
}

void Teams::enter(std::uint32_t worker) {
  Key key = key_of(WorkerId{worker});
  auto [place, is_new] = known_.try_emplace(key, 0);
  if (is_new) {
    if (spare_.empty()) {
      spare_.push_back(count());
      members_.emplace_back();
      keys_.emplace_back();
    }
    place->second = spare_.back();
    spare_.pop_back();
    keys_[place->second] = std::move(key);
  }
  auto& team = members_[place->second];
  team.insert(std::ranges::upper_bound(team, worker), worker);
  team_of_[worker] = place->second;
}

}  // namespace allot::policy
