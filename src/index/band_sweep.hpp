// Backward induction over the band of states of one prior at which going on pays, a depth at a
// time; index/stopping.hpp says of what. Shared by stopping and price_table.
//
//   sweep.start(horizon);  sweep.assume_least(price);  then sweep.step(price) down to depth 0.
//
// Under a symmetric prior a state and its mirror image are one: only places up to depth / 2 are
// kept.
//
// Cost of a step: some 20 nanoseconds and one a state in the band.
#pragma once

#include <vector>

#include "index/reward_lattice.hpp"

namespace allot::index {

class BandSweep {
 public:
  /// Nobody looks further ahead for one item.
  static constexpr std::size_t kMostAhead = std::size_t{1} << 20;

  explicit BandSweep(model::Prior prior);
  BandSweep(const BandSweep&) = delete;

  const model::Prior& prior() const { return prior_; }
  RewardSpots& spots() { return spots_; }
  /// Whether labels can lead to a tie: then rewards come there and nowhere else.
  bool ties_only() const { return ties_only_; }
  bool folded() const { return prior_.is_symmetric(); }
  /// The place that stands for one of a depth.
  Place kept(Place place, std::size_t depth) const {
    return folded() ? std::min(place, static_cast<Place>(depth) - place) : place;
  }
  /// The last place of a depth that is kept.
  Place last_kept(std::size_t depth) const {
    return static_cast<Place>(folded() ? depth / 2 : depth);
  }

  /// How far to look so that what lies beyond matters less than the tolerance, under the uniform
  /// prior; see index/stopping.hpp.
  std::size_t labels_ahead(double price, double tolerance) const;

  /// At a depth, with nothing beyond it.
  void start(std::size_t horizon);
  /// Puts what lies beyond into the layer where the sweep starts, as if it were a rule of its own:
  /// no more than some rule earns, or no less than any can.
  void assume_least(double price);
  void assume_most(double price);

  /// One depth back.
  void step(double price);

  std::size_t depth() const { return depth_; }
  /// The states of this depth, and of that one label further.
  Layer& here() { return *here_; }
  Prospect at(Place place) const { return in(*here_, place, depth_); }
  Prospect in_next(Place place) const { return in(*next_, place, depth_ + 1); }
  /// One label, and then the best rule.
  Prospect going_on(Place place);
  double error_probability(Place place, std::size_t depth) const;

 private:
  template <typename Beyond>
  void assume_parabola(double price, Beyond beyond);
  void assume_any(double price);
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
