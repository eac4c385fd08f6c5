#include "allot/index/stopping.hpp"

#include <algorithm>
#include <numeric>

#include "allot/base/check.hpp"
#include "index/band_sweep.hpp"

namespace allot::index {

using model::Counts;

class StoppingLattice::Solver {
 public:
  BandSweep sweep;
  std::vector<std::size_t> order = {};  // of the states, deepest first

  /// The prospects of the states, by steps back from the horizon to the first of them.
  std::vector<Prospect> go_back(double price, std::span<const Counts> states) {
    std::vector<Prospect> prospects(states.size());
    for (auto asked = order.begin(); asked != order.end() && sweep.depth() > 0;) {
      sweep.step(price);
      for (; asked != order.end() && states[*asked].total() == sweep.depth(); ++asked) {
        prospects[*asked] = sweep.at(states[*asked].positive);
      }
    }
    return prospects;
  }
};

StoppingLattice::StoppingLattice(model::Prior prior)
    : solver_(new Solver{BandSweep(std::move(prior))}) {}
StoppingLattice::~StoppingLattice() = default;
StoppingLattice::StoppingLattice(StoppingLattice&&) noexcept = default;

std::vector<StoppingValue> StoppingLattice::values(double price, std::span<const Counts> states,
                                                   double tolerance) {
  require(price > 0, "StoppingLattice::values", "price", price, "expected more than 0");
  auto& [sweep, order] = *solver_;
  order.resize(states.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::greater{}, [&](std::size_t i) { return states[i].total(); });
  const std::size_t deepest = states.empty() ? 0 : states[order.front()].total();
  for (std::size_t ahead = sweep.labels_ahead(price, tolerance);; ahead *= 2) {
    const std::size_t horizon = deepest + ahead;
    const bool ended = sweep.spots().rewards_end_below(price, horizon);
    sweep.start(horizon);
    sweep.assume_least(price);
    const std::vector<Prospect> least = solver_->go_back(price, states);
    std::vector<Prospect> most;
    if (!ended) {
      sweep.start(horizon);
      sweep.assume_most(price);
      most = solver_->go_back(price, states);
    }
    std::vector<StoppingValue> found;
    double slack = 0;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const double gain = least[i].gain - price * least[i].time;
      const double above = ended ? 0 : most[i].gain - price * most[i].time - gain;
      found.push_back({gain, least[i].time, std::max(0.0, above)});
      slack = std::max(slack, above);
    }
    if (ended || slack <= tolerance || ahead >= BandSweep::kMostAhead) return found;
  }
}

std::vector<StoppingBand> StoppingLattice::bands(double price, double tolerance) {
  require(price > 0, "StoppingLattice::bands", "price", price, "expected more than 0");
  require(tolerance > 0, "StoppingLattice::bands", "tolerance", tolerance, "expected more than 0");
  BandSweep& sweep = solver_->sweep;
  sweep.start(sweep.labels_ahead(price, tolerance));
  sweep.assume_least(price);
  std::vector<StoppingBand> found(sweep.depth());
  while (sweep.depth() > 0) {
    sweep.step(price);
    const Layer& here = sweep.here();
    if (here.empty()) continue;
    const auto labels = static_cast<Place>(sweep.depth());
    found[sweep.depth()] = {here.first, sweep.folded() ? labels - here.first : here.last};
  }
  return found;
}

}  // namespace allot::index
