// The lattice of an item's states on which optimal stopping is solved: the places of its rewards,
// the chances of its labels, and one step of backward induction. Shared by gittins and stopping.
//
// At most one state of each depth has R > 0 (see gittins.hpp): its spot.
#pragma once

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "allot/model/belief.hpp"

namespace allot::index {

/// Position of a state in its layer: the number of positive labels; ranges may start at -1.
using Place = std::int64_t;

inline model::ItemBelief belief_at(const model::Prior& prior, Place place, std::size_t depth) {
  const auto positive = static_cast<std::uint32_t>(place);
  return {&prior, {positive, static_cast<std::uint32_t>(depth) - positive}};
}

/// The states from which a label can change the answer, one per depth.
class RewardSpots {
 public:
  explicit RewardSpots(const model::Prior& prior) : prior_(prior) {}

  struct Spot {
    Place place = -1;
    double reward = 0;
  };

  const Spot& at(std::size_t depth) {
    while (spots_.size() <= depth) extend();
    return spots_[depth];
  }

  /// Whether no reward from this depth on is above the fee; rewards fall, every other may be 0.
  bool rewards_end_below(double fee, std::size_t depth) {
    return at(depth).reward <= fee && at(depth + 1).reward <= fee;
  }

 private:
  bool answered_positive(Place place, std::size_t depth) const;
  void extend();

  const model::Prior& prior_;
  /// The fewest positive labels with a positive answer, depth + 1 if there are none.
  Place threshold_ = 0;
  std::vector<Spot> spots_;
};

/// Chances of a positive label, depth by depth; those of a mixture are computed once and kept.
class Chances {
 public:
  explicit Chances(const model::Prior& prior)
      : prior_(prior), a_(prior.components()[0].a), b_(prior.components()[0].b) {}

  /// Writes the chances of the places from `low` to `high` of one depth.
  void fill(std::size_t depth, Place low, Place high, double* chances);

 private:
  /// Places of one depth from `first` on; unknown chances are negative.
  struct Window {
    Place first = 0;
    std::vector<double> chances;
  };

  double kept(Place place, std::size_t depth);

  const model::Prior& prior_;
  const double a_, b_;
  std::vector<Window> known_;
};

/// Gain and time, both discounted, of going on as long as it pays; both are 0 where the rule stops.
struct Prospect {
  double gain = 0;
  double time = 0;
};

/// The prospects of the states of one depth at which going on pays, from place `first` to `last`;
/// all other states have none. The arrays cover all places of a sweep. Entries outside the range
/// are undefined, except for one zero on each side.
struct Layer {
  std::vector<double> gain, time;
  Place first = 0, last = -1;

  bool empty() const { return last < first; }
  void forget(Place low, Place high) {
    for (Place place = low; place <= high; ++place) set(place, {});
  }
  void set(Place place, Prospect prospect) {
    gain[static_cast<std::size_t>(place)] = prospect.gain;
    time[static_cast<std::size_t>(place)] = prospect.time;
  }
  Prospect at(Place place) const {
    return {gain[static_cast<std::size_t>(place)], time[static_cast<std::size_t>(place)]};
  }

  /// Spans the places up to `most` from which a label can lead into the next layer, and the spot if
  /// it pays. Clears the neighbours in the next layer. Returns whether there is any place.
  bool span_before(Layer& next, Place spot, bool spot_pays, Place most) {
    first = next.empty() ? spot : std::max<Place>(0, next.first - 1);
    last = next.empty() ? spot - 1 : std::min(next.last, most);
    if (spot_pays) {
      first = std::min(first, spot);
      last = std::max(last, spot);
    }
    if (empty()) return false;
    if (next.empty()) {
      next.forget(first, last + 1);
    } else {
      next.forget(first, next.first - 1);
      next.forget(next.last + 1, last + 1);
    }
    return true;
  }
  /// Narrows the layer to the states where going on pays.
  void narrow() {
    while (!empty() && at(first).gain == 0) ++first;
    while (!empty() && at(last).gain == 0) --last;
  }
  /// Sets an upper bound of going on under any prior, error(place) at most. `reward` is that of two
  /// depths in a row: two neighbouring margins may have rewards, each at every other depth, and
  /// together they bend the parabola of gittins.hpp. Two more labels of reach cover the unknown
  /// exact place.
  template <typename Error>
  void assume_most(Place spot, double reward, double fee, std::size_t widest, Place most,
                   Error error) {
    const double reach = reward / (2 * fee) + 2;
    const auto radius = static_cast<Place>(std::min(reach / 2, static_cast<double>(widest))) + 1;
    first = std::max<Place>(0, spot - radius);
    last = std::min(most, spot + radius);
    for (Place place = first; place <= last; ++place) {
      const double rest = std::max(0.0, reach - 2 * std::abs(static_cast<double>(place - spot)));
      set(place, {std::min(error(place), fee * rest * rest), 0.0});
    }
  }
};

/// Fee per label and discount per label.
struct StepTerms {
  double fee = 0;
  double discount = 1;
};

/// Prospects of neighbouring places as two arrays.
template <typename Number>
struct ProspectArrays {
  Number* gain;
  Number* time;
};

/// One step of backward induction for `count` neighbouring states without a reward: going on where
/// it pays, else stopping. `chance` is the chance of a positive label, which leads one place up.
/// The arrays of the next depth start at the same place.
void step_back(std::size_t count, StepTerms terms, const double* chance,
               ProspectArrays<const double> next, ProspectArrays<double> now);

struct PriorHash {
  std::size_t operator()(const model::Prior& prior) const {
    std::size_t seed = 0;
    for (const model::BetaComponent& component : prior.components()) {
      boost::hash_combine(seed, component.weight);
      boost::hash_combine(seed, component.a);
      boost::hash_combine(seed, component.b);
    }
    return seed;
  }
};

}  // namespace allot::index
