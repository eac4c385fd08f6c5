// Teams of workers that no index can tell apart, so that one search serves all members.
//
// The members of a team have equal beliefs, prices, labels given and labels left. Where only
// recorded pairs can be asked, each worker is a team: their open items differ too much.
//
// Cost: O(M log M) to form the teams of M workers; O(log M) and two teams to move a worker.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "allot/model/crowd.hpp"
#include "allot/policy/offers.hpp"

namespace allot::policy {

class Teams {
 public:
  /// Forms all teams from the present beliefs and offers, which must outlive them.
  Teams(const model::Crowd& crowd, const Offers& offers);

  /// Numbers of teams, from 0; some may be empty.
  std::uint32_t count() const { return static_cast<std::uint32_t>(members_.size()); }
  /// In order.
  std::span<const std::uint32_t> members(std::uint32_t team) const { return members_[team]; }
  std::uint32_t of(WorkerId worker) const { return team_of_[position(worker)]; }

  /// Moves a worker into the team of their present state; the others stay where they are.
  void move(WorkerId worker);

 private:
  /// The belief about a worker, then the price, labels given and labels left.
  using Key = std::vector<double>;
  Key belief_key(WorkerId worker) const;
  Key key_of(WorkerId worker) const;
  void enter(std::uint32_t worker);

  const model::Crowd& crowd_;
  const Offers& offers_;
  std::map<Key, std::uint32_t> known_;
  std::vector<Key> keys_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<std::uint32_t> team_of_, spare_;
};

}  // namespace allot::policy
