#include "allot/index/stopping.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "allot/base/check.hpp"
#include "index/reward_lattice.hpp"

namespace allot::index {
namespace {

using model::Counts;

/// Nobody looks further ahead for one item.
constexpr std::size_t kMostAhead = std::size_t{1} << 20;

/// Where the band of the uniform prior ends, or where its slack is below the tolerance (see the
/// header).
std::size_t first_horizon(double price, double tolerance, bool ties_only) {
  const double end = 0.018 / (price * price);
  const double close = ties_only ? std::pow(5e-4 / (std::pow(price, 4) * tolerance), 2 / 9.0)
                                 : std::pow(0.003 / (price * price * tolerance), 0.4);
  return static_cast<std::size_t>(std::min({end, close, double{kMostAhead}})) + 16;
}

/// Whether labels can lead to a tie: then rewards come there and nowhere else.
bool has_ties(const model::Prior& prior) {
  const double apart = prior.components()[0].a - prior.components()[0].b;
  return !prior.is_mixture() && apart == std::round(apart) && std::abs(apart) < 1e6;
}

/// What going on from the horizon is worth at margins d = 0, 1, ... from the tie, in units of the
/// price: j (j + beta) scale, j = last - d, where that is positive.
struct Parabola {
  double last = 0, beta = 0, scale = 0;
  double at(double margin) const {
    const double j = last - margin;
    return j > 0 ? scale * std::max(0.0, j * (j + beta)) : 0.0;
  }
};

/// The solution if rewards stayed as they are and labels had no drift: with m = R / (2 lambda),
///   (m - d)^2 - (m - D)^2  for d < D, the whole number nearest to m.
/// Rewards fall and labels drift away from the tie, so it is never too low.
Parabola most_beyond(double m) { return {std::round(m), 2 * (m - std::round(m)), 1}; }

/// The same, flatter: W(n,d) = A j (j + 2 (w(n) - D)) with w(n) ~ 1 / sqrt(n) is never above what
/// going on is worth, if  W <= -1 + p W(next, out) + (1-p) W(next, in)  wherever W > 0. With
/// p = (1 + d/n) / 2, w(n) - w(n+1) <= w / (2n) and D <= m + 1/2 that takes
///   (A - 1) / A >= (w j + d (2j + 1)) / n, for which 1.5 D^2 + D over n is enough,
/// and at the tie, where R falls by no more than 1 / sqrt(n),  2 A w (1 + D/n) <= R / lambda.
Parabola least_beyond(double m, double n) {
  const double last = std::round(m), most = m + 0.5;
  const double drift = (1.5 * most * most + most) / n;
  if (!(drift < 0.5)) return {};
  const double scale = 1 / (1 - drift);
  return {last, 2 * (m / (scale * (1 + last / n)) - last), scale};
}

}  // namespace

class StoppingLattice::Sweep {
 public:
  explicit Sweep(model::Prior prior)
      : prior_(std::move(prior)), ties_only_(has_ties(prior_)), spots_(prior_), chances_(prior_) {}
  Sweep(const Sweep&) = delete;

  std::vector<double> label_prices(std::size_t depth, double lowest, double tolerance) {
    std::vector<double> prices((depth + 1) * (depth + 2) / 2, 0.0);
    std::vector<Found> found;
    edges_.assign(depth + 1, {});
    double above = 0.5, ratio = 0.9;  // no reward is above 1/2
    find_prices(above, 1, tolerance, found);
    std::swap(edges_, new_edges_);
    while (above > lowest) {
      const double price = std::max(lowest, above * ratio);
      const double doubt = find_prices(price, above, tolerance, found);
      if (doubt > tolerance && above - price > tolerance) {
        ratio = 1 - (1 - ratio) * std::clamp(0.9 * std::sqrt(tolerance / doubt), 0.1, 0.7);
        continue;
      }
      for (const auto& [place, value] : found) prices[place] = value;
      std::swap(edges_, new_edges_);
      above = price;
      ratio = 1 - std::min(0.1, (1 - ratio) * 1.1);
    }
    return prices;
  }

  std::vector<StoppingValue> values(double price, std::span<const Counts> states,
                                    double tolerance) {
    order_.resize(states.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, std::greater{}, [&](std::size_t i) { return states[i].total(); });
    const std::size_t deepest = states.empty() ? 0 : states[order_.front()].total();
    for (std::size_t ahead = first_horizon(price, tolerance, ties_only_);; ahead *= 2) {
      const std::size_t horizon = deepest + ahead;
      std::vector<Prospect> least(states.size()), most(states.size());
      const bool ended = spots_.rewards_end_below(price, horizon);
      prepare(horizon);
      if (!ended && ties_only_) assume(price, horizon, least_beyond);
      go_back(price, horizon, states, least);
      if (!ended) {
        prepare(horizon);
        if (ties_only_) {
          assume(price, horizon, [](double m, double) { return most_beyond(m); });
        } else {
          assume_the_most(price, horizon);
        }
        go_back(price, horizon, states, most);
      }
      std::vector<StoppingValue> found;
      double slack = 0;
      for (std::size_t i = 0; i < states.size(); ++i) {
        const double gain = least[i].gain - price * least[i].time;
        const double above = ended ? 0 : most[i].gain - price * most[i].time - gain;
        found.push_back({gain, least[i].time, std::max(0.0, above)});
        slack = std::max(slack, above);
      }
      if (ended || slack <= tolerance || ahead >= kMostAhead) return found;
    }
  }

 private:
  /// A state just outside the band: what one label and then the band are worth, and their labels.
  struct Outside {
    Place place;
    double worth, labels;
  };
  /// The band of one depth, and the states beside it from which a label can lead into it.
  struct Edge {
    Place first = 0, last = -1;
    std::vector<Outside> beside;
  };
  struct Found {
    std::size_t place;
    double value;
  };

  /// The label prices between two prices of which the upper's edges are known: of all states that
  /// are in the band of the lower only. What going on is worth is convex in the price and falls by
  /// the expected labels: its zero lies above those of both tangents and below that of the chord.
  /// Returns by how much the middle can be wrong.
  double find_prices(double price, double above, double tolerance, std::vector<Found>& found) {
    const std::size_t depth = edges_.size() - 1;
    const std::size_t horizon = depth + first_horizon(price, tolerance, ties_only_);
    prepare(horizon);
    if (ties_only_ && !spots_.rewards_end_below(price, horizon)) {
      assume(price, horizon, least_beyond);
    }
    found.clear();
    new_edges_.resize(depth + 1);
    double doubt = 0;
    for (std::size_t labels = horizon; labels-- > 0; std::swap(current_, next_)) {
      step(price, labels);
      if (labels > depth) continue;
      const Edge& edge = edges_[labels];
      note_edge(price, labels, new_edges_[labels]);
      for (Place place = current_.first; place <= current_.last; ++place) {
        if (place >= edge.first && place <= edge.last) continue;
        const auto [gain, time] = current_.at(place);
        if (time == 0) continue;
        const double worth = gain - price * time;
        const auto beside = std::ranges::find(edge.beside, place, &Outside::place);
        const Outside outside = beside == edge.beside.end() ? Outside{place, -above, 1} : *beside;
        const double least = std::max(price + worth / time, above + outside.worth / outside.labels);
        const double most = price + worth / (worth - outside.worth) * (above - price);
        doubt = std::max(doubt, (most - least) / 2);
        const auto row = labels * (labels + 1) / 2;
        found.push_back({row + static_cast<std::size_t>(place), (least + most) / 2});
      }
    }
    return doubt;
  }

  void note_edge(double price, std::size_t depth, Edge& edge) {
    edge.first = current_.first;
    edge.last = current_.last;
    edge.beside.clear();
    const RewardSpots::Spot& spot = spots_.at(depth);
    const auto note = [&](Place low, Place high) {
      for (Place place = std::max<Place>(low, 0);
           place <= std::min(high, static_cast<Place>(depth)); ++place) {
        double up = 0;
        chances_.fill(depth, place, place, &up);
        const Prospect positive = in_next(place + 1), negative = in_next(place);
        const double now = place == spot.place ? spot.reward : 0;
        const double gain = now + up * positive.gain + (1 - up) * negative.gain;
        const double time = 1 + up * positive.time + (1 - up) * negative.time;
        edge.beside.push_back({place, gain - price * time, time});
      }
    };
    if (current_.empty()) {
      note(spot.place, spot.place + 1);
    } else {
      note(current_.first - 1, current_.first - 1);
      note(current_.last + 1, current_.last + 1);
    }
  }

  Prospect in_next(Place place) const {
    return place >= next_.first && place <= next_.last ? next_.at(place) : Prospect{};
  }

  void prepare(std::size_t horizon) {
    for (Layer* layer : {&next_, &current_}) {
      if (layer->gain.size() < horizon + 4) {
        layer->gain.resize(horizon + 4);
        layer->time.resize(horizon + 4);
      }
    }
    chance_.resize(current_.gain.size());
    next_.first = 0;
    next_.last = -1;
  }

  /// Puts what lies beyond the horizon into the layer there, as if it were a rule of its own.
  template <typename Beyond>
  void assume(double price, std::size_t horizon, Beyond beyond) {
    const auto [weight, a, b] = prior_.components()[0];
    const double apart = a - b, n = a + b + static_cast<double>(horizon);
    const double reward = std::max(spots_.at(horizon).reward, spots_.at(horizon + 1).reward);
    const Parabola parabola = beyond(reward / (2 * price), n);
    // margin = |apart + 2 place - horizon|
    const double tie = (static_cast<double>(horizon) - apart) / 2;
    next_.first = std::max<Place>(0, static_cast<Place>(std::ceil(tie - parabola.last / 2)));
    next_.last = std::min(static_cast<Place>(horizon),
                          static_cast<Place>(std::floor(tie + parabola.last / 2)));
    for (Place place = next_.first; place <= next_.last; ++place) {
      next_.set(place, {price * parabola.at(2 * std::abs(static_cast<double>(place) - tie)), 0.0});
    }
  }

  /// The same for the most that can be there under any prior. Two neighbouring margins may have
  /// rewards, at every other depth each: together they bend the parabola, and two labels more of
  /// reach cover where exactly.
  void assume_the_most(double price, std::size_t horizon) {
    const RewardSpots::Spot spot = spots_.at(horizon);
    const double reward = spot.reward + spots_.at(horizon + 1).reward;
    const double reach = reward / (2 * price) + 2;
    const auto radius = static_cast<Place>(std::min(reach / 2, static_cast<double>(horizon))) + 1;
    next_.first = std::max<Place>(0, spot.place - radius);
    next_.last = std::min(static_cast<Place>(horizon), spot.place + radius);
    for (Place place = next_.first; place <= next_.last; ++place) {
      const double rest =
          std::max(0.0, reach - 2 * std::abs(static_cast<double>(place - spot.place)));
      const auto positive = static_cast<std::uint32_t>(place);
      const double error = model::error_probability(
          {&prior_, {positive, static_cast<std::uint32_t>(horizon) - positive}});
      next_.set(place, {std::min(error, price * rest * rest), 0.0});
    }
  }

  /// Backward induction from next_, the layer at the horizon, to the first of the states.
  void go_back(double price, std::size_t horizon, std::span<const Counts> states,
               std::vector<Prospect>& prospects) {
    auto asked = order_.begin();
    for (std::size_t depth = horizon; asked != order_.end() && depth-- > 0;) {
      step(price, depth);
      std::swap(current_, next_);
      for (; asked != order_.end() && states[*asked].total() == depth; ++asked) {
        const Place place = states[*asked].positive;
        if (place >= next_.first && place <= next_.last) prospects[*asked] = next_.at(place);
      }
    }
  }

  /// From next_ at depth + 1 to current_ at depth.
  void step(double price, std::size_t depth) {
    const RewardSpots::Spot& spot = spots_.at(depth);
    const bool possible = spot.place >= 0 && spot.place <= static_cast<Place>(depth);
    Place low = next_.empty() ? spot.place : std::max<Place>(0, next_.first - 1);
    Place high = next_.empty() ? spot.place - 1 : std::min(next_.last, static_cast<Place>(depth));
    if (possible && spot.reward > price) {
      low = std::min(low, spot.place);
      high = std::max(high, spot.place);
    }
    current_.first = low;
    current_.last = high;
    if (!current_.empty()) {
      if (next_.empty()) {
        next_.forget(low, high + 1);
      } else {
        next_.forget(low, next_.first - 1);
        next_.forget(next_.last + 1, high + 1);
      }
      fill_current(price, depth, spot);
    }
  }

  void fill_current(double price, std::size_t depth, const RewardSpots::Spot& spot) {
    const auto low = static_cast<std::size_t>(current_.first);
    const std::size_t count = static_cast<std::size_t>(current_.last) - low + 1;
    chances_.fill(depth, current_.first, current_.last, chance_.data());
    step_back(count, price, 1.0, chance_.data(), &next_.gain[low], &next_.time[low],
              &current_.gain[low], &current_.time[low]);
    if (spot.reward > 0 && spot.place >= current_.first && spot.place <= current_.last) {
      const double up = chance_[static_cast<std::size_t>(spot.place) - low], down = 1 - up;
      const Prospect positive = next_.at(spot.place + 1), negative = next_.at(spot.place);
      const Prospect on{spot.reward + up * positive.gain + down * negative.gain,
                        1 + up * positive.time + down * negative.time};
      current_.set(spot.place, on.gain > price * on.time ? on : Prospect{});
    }
    while (!current_.empty() && current_.at(current_.first).gain == 0) ++current_.first;
    while (!current_.empty() && current_.at(current_.last).gain == 0) --current_.last;
  }

  const model::Prior prior_;
  const bool ties_only_;
  RewardSpots spots_;
  Chances chances_;
  Layer current_, next_;
  std::vector<double> chance_;
  std::vector<Edge> edges_, new_edges_;
  std::vector<std::size_t> order_;  // of the states, deepest first
};

StoppingLattice::StoppingLattice(model::Prior prior)
    : sweep_(std::make_unique<Sweep>(std::move(prior))) {}
StoppingLattice::~StoppingLattice() = default;
StoppingLattice::StoppingLattice(StoppingLattice&&) noexcept = default;

std::vector<StoppingValue> StoppingLattice::values(double price, std::span<const Counts> states,
                                                   double tolerance) {
  require(price > 0, "StoppingLattice::values", "price", price, "expected more than 0");
  return sweep_->values(price, states, tolerance);
}

std::vector<double> StoppingLattice::label_prices(std::size_t depth, double lowest,
                                                  double tolerance) {
  require(lowest > 0, "StoppingLattice::label_prices", "lowest", lowest, "expected more than 0");
  require(tolerance > 0, "StoppingLattice::label_prices", "tolerance", tolerance,
          "expected more than 0");
  return sweep_->label_prices(depth, lowest, tolerance);
}

}  // namespace allot::index
