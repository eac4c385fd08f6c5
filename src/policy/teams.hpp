// Workers whom no index can tell apart, so that one search serves them all.
//
// Of the members of a team the same is believed, they cost the same, gave as many labels and have
// as many left to give. Where only recorded pairs may be asked each worker is alone: what is open
// for them differs too much.
//
// Cost: forming takes O(M log M) steps for M workers, moving one O(log M) and the size of its
// teams.
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
  /// The crowd and the offers must outlive the teams.
  Teams(const model::Crowd& crowd, const Offers& offers);

  /// Numbers of teams, from 0; some may be empty.
  std::uint32_t count() const { return static_cast<std::uint32_t>(members_.size()); }
  /// In order.
  std::span<const std::uint32_t> members(std::uint32_t team) const { return members_[team]; }
  std::uint32_t of(WorkerId worker) const { return team_of_[position(worker)]; }

  /// Anew, from what is believed and offered now.
  void form();
  /// After a worker's label: into the team of the new state. The others stay where they are.
  void move(WorkerId worker);

 private:
  /// What is believed of a worker, then the price and labels given and left.
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
