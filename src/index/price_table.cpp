#include "allot/index/price_table.hpp"

#include <algorithm>
#include <cmath>

#include "allot/base/check.hpp"
#include "index/band_sweep.hpp"

namespace allot::index {
namespace {

/// The worth of going on at the places of a band, after paying the price, and its expected labels.
struct Worth {
  double worth = 0, labels = 0;
};

struct WorthBand {
  Place first = 0;
  std::vector<Worth> worths;

  Place last() const { return first + static_cast<Place>(worths.size()) - 1; }
  Worth at(Place place) const {
    return place < first || place > last() ? Worth{}
                                           : worths[static_cast<std::size_t>(place - first)];
  }
};

/// Hermite's cubic between two prices, from values and from labels as downward slopes.
class PriceCubic {
 public:
  PriceCubic(double low, const Worth& from, double high, const Worth& to)
      : low_(low), apart_(high - low), start_(from.worth), slope_(-from.labels * apart_) {
    const double rise = to.worth - from.worth, end_slope = -to.labels * apart_;
    square_ = 3 * rise - 2 * slope_ - end_slope;
    cube_ = slope_ + end_slope - 2 * rise;
  }
  Worth at(double price) const {
    const double x = (price - low_) / apart_;
    return {start_ + x * (slope_ + x * (square_ + x * cube_)),
            -(slope_ + x * (2 * square_ + 3 * x * cube_)) / apart_};
  }

 private:
  double low_, apart_, start_, slope_, square_, cube_;
};

/// The cubic through four values at -1, 0, 1 and 2.
template <typename At>
double cubic(At at, double x) {
  return -at(-1) * x * (x - 1) * (x - 2) / 6 + at(0) * (x + 1) * (x - 1) * (x - 2) / 2 -
         at(1) * (x + 1) * x * (x - 2) / 2 + at(2) * (x + 1) * x * (x - 1) / 6;
}

/// The result of a sweep at one depth far ahead, for falling prices.
class FarAhead {
 public:
  FarAhead(BandSweep& sweep, std::size_t depth, double tolerance)
      : sweep_(sweep), depth_(depth), tolerance_(tolerance) {}

  std::size_t depth() const { return depth_; }

  /// Starts the sweep at the far depth.
  void start(double price) {
    const bool ended = sweep_.spots().rewards_end_below(price, depth_);
    // A price that is tried again, nearer to the one before, can lie above all nodes.
    if (!ended && !nodes_.empty() && nodes_.front().price <= price) nodes_.clear();
    while (!ended && (nodes_.empty() || nodes_.back().price > price)) add_node(price);
    sweep_.start(depth_);
    if (!ended) put_between(price);
  }

 private:
  /// Number of steps to half the price.
  static constexpr std::size_t kHalf = 14;

  struct Node {
    double price;
    WorthBand far, half;  // at depth_ and at half of it
  };

  /// Adds a price. The first node lies above the first price, so that the price is enclosed.
  void add_node(double price) {
    const double ratio = std::exp2(-1.0 / kHalf);
    Node node{nodes_.empty() ? price / ratio : nodes_.back().price * ratio, {}, {}};
    if (node.price >= 4e3 * tolerance_ || nodes_.size() < kHalf) {
      sweep_.start(depth_ +
                   sweep_.labels_ahead(node.price, 0.3 * tolerance_ / std::min(1.0, node.price)));
      sweep_.assume_least(node.price);
    } else {
      sweep_.start(depth_);
      put_scaled(nodes_[nodes_.size() - kHalf].half, node.price);
    }
    while (sweep_.depth() > depth_) sweep_.step(node.price);
    node.far = band(node.price);
    while (sweep_.depth() > depth_ / 2) sweep_.step(node.price);
    node.half = band(node.price);
    nodes_.push_back(std::move(node));
  }

  WorthBand band(double price) {
    const Layer& here = sweep_.here();
    WorthBand found{here.first, {}};
    for (Place place = here.first; place <= here.last; ++place) {
      const auto [gain, time] = here.at(place);
      found.worths.push_back({gain - price * time, time});
    }
    return found;
  }

  /// Interpolates between the nodes on both sides.
  void put_between(double price) {
    const auto after =
        std::ranges::find_if(nodes_, [&](const Node& n) { return n.price <= price; });
    const Node &low = *after, &high = *std::prev(after);
    put(price, low.far.first, low.far.last(), [&](Place place) {
      return PriceCubic(low.price, low.far.at(place), high.price, high.far.at(place)).at(price);
    });
  }

  /// Scales the worth from half the depth. Worth plus accuracy is smooth across the tie.
  void put_scaled(const WorthBand& half, double price) {
    if (half.worths.size() < 4) return;
    const double tie = tie_at(depth_), half_tie = tie_at(depth_ / 2);
    const Place half_last =
        sweep_.folded() ? static_cast<Place>(depth_ / 2) - half.first : half.last();
    std::vector<double> smooth;
    for (Place place = half.first; place <= half_last; ++place) {
      smooth.push_back(at_half(half, place).worth - sweep_.error_probability(place, depth_ / 2));
    }
    const double reach = std::sqrt(2.0) * (half_tie - static_cast<double>(half.first));
    const double far_reach = std::sqrt(2.0) * (static_cast<double>(half_last) - half_tie);
    const auto first = std::max<Place>(0, static_cast<Place>(std::ceil(tie - reach)));
    const auto last =
        std::min(sweep_.last_kept(depth_), static_cast<Place>(std::floor(tie + far_reach)));
    put(price, first, last, [&](Place place) {
      const double at = half_tie + (static_cast<double>(place) - tie) / std::sqrt(2.0);
      const auto below =
          std::clamp(static_cast<Place>(std::floor(at)), half.first + 1, half_last - 2);
      const double x = at - static_cast<double>(below);
      const double worth = cubic(
          [&](Place i) { return smooth[static_cast<std::size_t>(below + i - half.first)]; }, x);
      const double labels = cubic([&](Place i) { return at_half(half, below + i).labels; }, x);
      return Worth{worth + sweep_.error_probability(place, depth_), 2 * labels};
    });
  }

  Worth at_half(const WorthBand& half, Place place) const {
    return half.at(sweep_.kept(place, depth_ / 2));
  }

  /// The fractional place where both answers are equally likely.
  double tie_at(std::size_t depth) {
    const model::Prior& prior = sweep_.prior();
    if (!prior.is_mixture()) {
      const auto& [weight, a, b] = prior.components()[0];
      return (static_cast<double>(depth) - (a - b)) / 2;
    }
    const Place place = sweep_.spots().at(depth).place;
    const auto advantage = [&](Place at) {  // of the positive answer
      const model::ItemBelief belief = belief_at(prior, at, depth);
      const double lead = 0.5 - model::error_probability(belief);
      return model::favoured_label(belief) == Label::positive ? lead : -lead;
    };
    const double before = advantage(place), after = advantage(place + 1);
    return static_cast<double>(place) - before / (after - before);
  }

  template <typename At>
  void put(double price, Place first, Place last, At at) {
    Layer& here = sweep_.here();
    here.first = first;
    here.last = last;
    for (Place place = first; place <= last; ++place) {
      const auto [worth, labels] = at(place);
      const bool pays = worth > 0 && labels > 0;
      here.set(place, pays ? Prospect{worth + price * labels, labels} : Prospect{});
    }
    here.narrow();
  }

  BandSweep& sweep_;
  const std::size_t depth_;
  const double tolerance_;
  std::vector<Node> nodes_;  // prices fall
};

class StatePrices {
 public:
  StatePrices(const model::Prior& prior, std::size_t depth, double tolerance)
      : sweep_(prior),
        far_(sweep_, depth + 1000, tolerance),
        tolerance_(tolerance),
        edges_(depth + 1),
        prices_((depth + 1) * (depth + 2) / 2, 0.0) {}

  std::vector<double> down_to(double lowest) {
    double above = 0.5, ratio = 0.9;  // no reward is above 1/2
    find_prices(above, 1);
    std::swap(edges_, new_edges_);
    while (above > lowest) {
      const double price = std::max(lowest, above * ratio);
      const double doubt = find_prices(price, above);
      // The uncertainty grows with the square of the step.
      const double fitting = 0.95 * std::sqrt(tolerance_ / doubt);
      ratio = 1 - std::min(0.5, (1 - ratio) * std::clamp(fitting, 0.1, 1.5));
      if (doubt > tolerance_ && above - price > tolerance_) continue;
      for (const auto& [place, value] : found_) prices_[place] = value;
      std::swap(edges_, new_edges_);
      above = price;
    }
    return std::move(prices_);
  }

 private:
  /// A state just outside the band: the worth of one label followed by the band.
  struct Outside {
    Place place;
    Worth on;
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

  /// Finds the label prices between two prices: those of all states in the band of the lower price
  /// only. The edges at the upper price are known. The worth of going on is convex in the price and
  /// falls by the expected labels. So its zero lies above the zeros of both tangents and below that
  /// of the chord. Returns the largest possible error of the middle.
  double find_prices(double price, double above) {
    found_.clear();
    new_edges_.resize(edges_.size());
    double doubt = 0;
    far_.start(price);
    while (sweep_.depth() > 0) {
      sweep_.step(price);
      const std::size_t labels = sweep_.depth();
      if (labels >= edges_.size()) continue;
      const Edge& edge = edges_[labels];
      note_edge(price, new_edges_[labels]);
      const Layer& here = sweep_.here();
      for (Place place = here.first; place <= here.last; ++place) {
        if (place >= edge.first && place <= edge.last) continue;
        const auto [gain, time] = here.at(place);
        if (time == 0) continue;
        const double worth = gain - price * time;
        const auto beside = std::ranges::find(edge.beside, place, &Outside::place);
        const Worth on = beside == edge.beside.end() ? Worth{-above, 1} : beside->on;
        const double least = std::max(price + worth / time, above + on.worth / on.labels);
        const double most = price + worth / (worth - on.worth) * (above - price);
        doubt = std::max(doubt, (most - least) / 2);
        const PriceCubic worths(price, {worth, time}, above, on);
        double value = (least + most) / 2;
        for (int step = 0; step < 2; ++step) {
          const auto [rest, slope] = worths.at(value);
          value = std::clamp(value + rest / slope, least, most);
        }
        const std::size_t row = labels * (labels + 1) / 2;
        const auto positive = static_cast<std::size_t>(place);
        found_.push_back({row + positive, value});
        if (sweep_.folded()) found_.push_back({row + labels - positive, value});
      }
    }
    return doubt;
  }

  void note_edge(double price, Edge& edge) {
    const Layer& here = sweep_.here();
    edge.first = here.first;
    edge.last = here.last;
    edge.beside.clear();
    const auto note = [&](Place low, Place high) {
      for (Place place = std::max<Place>(low, 0);
           place <= std::min(high, sweep_.last_kept(sweep_.depth())); ++place) {
        const auto [gain, time] = sweep_.going_on(place);
        edge.beside.push_back({place, {gain - price * time, time}});
      }
    };
    if (here.empty()) {
      const Place spot = sweep_.spots().at(sweep_.depth()).place;
      note(spot, spot + 1);
    } else {
      note(here.first - 1, here.first - 1);
      note(here.last + 1, here.last + 1);
    }
  }

  BandSweep sweep_;
  FarAhead far_;
  const double tolerance_;
  std::vector<Edge> edges_, new_edges_;  // by depth
  std::vector<Found> found_;
  std::vector<double> prices_;
};

}  // namespace

std::vector<double> label_price_table(const model::Prior& prior, std::size_t depth,
                                      double tolerance, double lowest) {
  constexpr const char* kName = "label_price_table";
  require(tolerance >= 1e-10, kName, "tolerance", tolerance, "expected 1e-10 or more");
  require(lowest >= 1e-9, kName, "lowest", lowest, "expected 1e-9 or more");
  return StatePrices(prior, depth, tolerance).down_to(lowest);
}

}  // namespace allot::index
