// Teams of workers that no index can tell apart, so that one search serves all members.
//
// The members of a team have equal beliefs, prices, labels given and labels left. Where only
// recorded pairs can be asked, each worker is a team: their open items differ too much.
//
// Cost: O(M log M) to form the teams of M workers; O(log M) and two teams to move a worker.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "allot/model/binary_crowd.hpp"
#include "allot/model/multiclass_crowd.hpp"
#include "allot/policy/offers.hpp"

namespace allot::policy {

class Teams {
 public:
  /// Forms all teams from the present beliefs and offers, which must outlive them.
  Teams(const model::Crowd& crowd, const Offers& offers)
      : crowd_(crowd), offers_(offers), team_of_(offers.worker_count()) {
    for (std::uint32_t j = 0; j < offers_.worker_count(); ++j) enter(j);
  }

  /// Numbers of teams, from 0; some may be empty.
  std::uint32_t count() const { return static_cast<std::uint32_t>(members_.size()); }
  /// In order.
  std::span<const std::uint32_t> members(std::uint32_t team) const { return members_[team]; }
  std::uint32_t of(WorkerId worker) const { return team_of_[position(worker)]; }

  /// Moves a worker into the team of their present state; the others stay where they are.
  void move(WorkerId worker) {
    const std::uint32_t before = of(worker);
    auto& old = members_[before];
    old.erase(std::ranges::lower_bound(old, position(worker)));
    if (old.empty()) {
      known_.erase(keys_[before]);
      spare_.push_back(before);
    }
    enter(position(worker));
  }

 private:
  /// The belief about a worker, then the price, labels given and labels left.
  using Key = std::vector<double>;
  Key belief_key(WorkerId worker) const {
    if (const model::BinaryCrowd* const binary = crowd_.binary()) {
      const model::WorkerState& state = (*binary)[worker];
      return {state.mean.sensitivity, state.mean.specificity, state.sensitivity_squared,
              state.product, state.specificity_squared};
    }
    const model::MulticlassCrowd& crowd = *crowd_.multiclass();
    const std::span<const double> table = crowd[worker];
    Key key(table.begin(), table.end());
    if (const std::uint32_t group = crowd.groups().group_of(worker); group != 0) {
      const std::span<const double> own = crowd.groups().own(worker);
      key.insert(key.end(), own.begin(), own.end());
      key.push_back(crowd.groups().repeats(worker));
      key.push_back(group);
    }
    return key;
  }
  Key key_of(WorkerId worker) const {
    if (offers_.is_recorded()) return {static_cast<double>(position(worker))};
    Key key = belief_key(worker);
    key.push_back(offers_.relative_price(worker));
    key.push_back(offers_.labels(worker));
    key.push_back(offers_.left(worker));
    return key;
  }
  void enter(std::uint32_t worker) {
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

  const model::Crowd& crowd_;
  const Offers& offers_;
  std::map<Key, std::uint32_t> known_;
  std::vector<Key> keys_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<std::uint32_t> team_of_, spare_;
};

}  // namespace allot::policy
