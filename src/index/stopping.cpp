#include "allot/index/stopping.hpp"

#include <algorithm>
#include <numeric>

#include "allot/base/check.hpp"
#include "index/band_sweep.hpp"

namespace allot::index {

using model::Counts;

class StoppingLattice::Solver {
 public:
  explicit Solver(model::Prior prior) : sweep_(std::move(prior)) {}

  std::vector<StoppingBand> bands(double price, double tolerance) {
    sweep_.start(sweep_.labels_ahead(price, tolerance));
    sweep_.assume_least(price);
    std::vector<StoppingBand> found(sweep_.depth());
    while (sweep_.depth() > 0) {
      sweep_.step(price);
      const Layer& here = sweep_.here();
      if (here.empty()) continue;
      const auto labels = static_cast<Place>(sweep_.depth());
      found[sweep_.depth()] = {here.first, sweep_.folded() ? labels - here.first : here.last};
    }
    return found;
  }

  std::vector<StoppingValue> values(double price, std::span<const Counts> states,
                                    double tolerance) {
    order_.resize(states.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, std::greater{}, [&](std::size_t i) { return states[i].total(); });
    const std::size_t deepest = states.empty() ? 0 : states[order_.front()].total();
    for (std::size_t ahead = sweep_.labels_ahead(price, tolerance);; ahead *= 2) {
      const std::size_t horizon = deepest + ahead;
      std::vector<Prospect> least(states.size()), most(states.size());
      const bool ended = sweep_.spots().rewards_end_below(price, horizon);
      sweep_.start(horizon);
      sweep_.assume_least(price);
      go_back(price, states, least);
      if (!ended) {
        sweep_.start(horizon);
        sweep_.assume_most(price);
        go_back(price, states, most);
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

 private:
  /// Steps back from the horizon to the first of the states.
  void go_back(double price, std::span<const Counts> states, std::vector<Prospect>& prospects) {
    for (auto asked = order_.begin(); asked != order_.end() && sweep_.depth() > 0;) {
      sweep_.step(price);
      for (; asked != order_.end() && states[*asked].total() == sweep_.depth(); ++asked) {
        prospects[*asked] = sweep_.at(states[*asked].positive);
      }
    }
  }

  BandSweep sweep_;
  std::vector<std::size_t> order_;  // of the states, deepest first
};

StoppingLattice::StoppingLattice(model::Prior prior)
    : solver_(std::make_unique<Solver>(std::move(prior))) {}
StoppingLattice::~StoppingLattice() = default;
StoppingLattice::StoppingLattice(StoppingLattice&&) noexcept = default;

std::vector<StoppingValue> StoppingLattice::values(double price, std::span<const Counts> states,
                                                   double tolerance) {
  require(price > 0, "StoppingLattice::values", "price", price, "expected more than 0");
  return solver_->values(price, states, tolerance);
}

std::vector<StoppingBand> StoppingLattice::bands(double price, double tolerance) {
  require(price > 0, "StoppingLattice::bands", "price", price, "expected more than 0");
  require(tolerance > 0, "StoppingLattice::bands", "tolerance", tolerance, "expected more than 0");
  return solver_->bands(price, tolerance);
}

}  // namespace allot::index
