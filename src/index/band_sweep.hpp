// Backward induction, one depth at a time, over the band of states of one prior at which going on
// pays (see index/stopping.hpp). Shared by stopping and price_table.
//
//   sweep.start(horizon);  sweep.assume_least(price);  then sweep.step(price) down to depth 0.
//
// Under a symmetric prior a state is its mirror image: places up to depth / 2 are kept.
//
// Cost of a step: some 20 nanoseconds, plus one per state in the band.
#pragma once

#include <vector>

#include "index/reward_lattice.hpp"

namespace allot::index {

class BandSweep {
 public:
  /// Longest look-ahead for one item.
  static constexpr std::size_t kMostAhead = std::size_t{1} << 20;

  explicit BandSweep(model::Prior prior);
  BandSweep(const BandSweep&) = delete;

  const model::Prior& prior() const { return prior_; }
  RewardSpots& spots() { return spots_; }
  bool folded() const { return prior_.is_symmetric(); }
  /// The kept place that stands for a place of this depth.
  Place kept(Place place, std::size_t depth) const {
    return folded() ? std::min(place, static_cast<Place>(depth) - place) : place;
  }
  /// The last place of a depth that is kept.
  Place last_kept(std::size_t depth) const {
    return static_cast<Place>(folded() ? depth / 2 : depth);
  }

  /// Look-ahead after which the rest matters less than the tolerance; see index/stopping.hpp.
  std::size_t labels_ahead(double price, double tolerance) const;

  /// Moves the sweep to a depth, with nothing beyond it.
  void start(std::size_t horizon);
  /// Sets the worth beyond the horizon, in the layer where the sweep starts: a worth that some rule
  /// earns (least), or one that no rule can exceed (most).
  void assume_least(double price);
  void assume_most(double price);

  /// Moves the sweep one depth back.
  void step(double price);

  std::size_t depth() const { return depth_; }
  /// The states of this depth, and (`next`) of the depth one label further.
  Layer& here() { return *here_; }
  Prospect at(Place place) const { return in(*here_, place, depth_); }
  Prospect in_next(Place place) const { return in(*next_, place, depth_ + 1); }
  /// The prospect of buying one label and then following the best rule.
  Prospect going_on(Place place);
  double error_probability(Place place, std::size_t depth) const;

 private:
  template <typename Beyond>
  void assume_parabola(double price, Beyond beyond);
  Prospect in(const Layer& layer, Place place, std::size_t depth) const {
    place = kept(place, depth);
    return place >= layer.first && place <= layer.last ? layer.at(place) : Prospect{};
  }
  void fill(double price, const RewardSpots::Spot& spot);

  const model::Prior prior_;
  const bool ties_only_;
  RewardSpots spots_;
  Chances chances_;
  std::size_t depth_ = 0;
  Layer one_, other_;
  Layer* here_ = &one_;
  Layer* next_ = &other_;
  std::vector<double> chance_;
};

}  // namespace allot::index
