#include "index/band_sweep.hpp"

#include <algorithm>
#include <cmath>

namespace allot::index {
namespace {

bool has_ties(const model::Prior& prior) {
  const double apart = prior.components()[0].a - prior.components()[0].b;
  return !prior.is_mixture() && apart == std::round(apart) && std::abs(apart) < 1e6;
}

/// The worth of going on from the horizon at margins d = 0, 1, ... from the tie, in units of the
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

/// A flatter parabola: W(n,d) = A j (j + 2 (w(n) - D)) with w(n) ~ 1 / sqrt(n) is never above the
/// worth of going on, if  W <= -1 + p W(next, out) + (1-p) W(next, in)  wherever W > 0. With p = (1
/// + d/n) / 2, w(n) - w(n+1) <= w / (2n) and D <= m + 1/2 that takes
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

BandSweep::BandSweep(model::Prior prior)
    : prior_(std::move(prior)), ties_only_(has_ties(prior_)), spots_(prior_), chances_(prior_) {}

std::size_t BandSweep::labels_ahead(double price, double tolerance) const {
  const double end = 0.018 / (price * price);
  const double close = ties_only_ ? std::pow(5e-4 / (std::pow(price, 4) * tolerance), 2 / 9.0)
                                  : std::pow(0.003 / (price * price * tolerance), 0.4);
  return static_cast<std::size_t>(std::min({end, close, double{kMostAhead}})) + 16;
}

void BandSweep::start(std::size_t horizon) {
  for (Layer* layer : {here_, next_}) {
    if (layer->gain.size() < horizon + 4) {
      layer->gain.resize(horizon + 4);
      layer->time.resize(horizon + 4);
    }
  }
  chance_.resize(here_->gain.size());
  here_->first = 0;
  here_->last = -1;
  depth_ = horizon;
}

void BandSweep::assume_least(double price) {
  if (ties_only_ && !spots_.rewards_end_below(price, depth_)) assume_parabola(price, least_beyond);
}

void BandSweep::assume_most(double price) {
  if (spots_.rewards_end_below(price, depth_)) return;
  if (ties_only_) {
    assume_parabola(price, [](double m, double) { return most_beyond(m); });
  } else {
    const RewardSpots::Spot spot = spots_.at(depth_);
    here_->assume_most(spot.place, spot.reward + spots_.at(depth_ + 1).reward, price, depth_,
                       last_kept(depth_),
                       [&](Place place) { return error_probability(place, depth_); });
  }
}

template <typename Beyond>
void BandSweep::assume_parabola(double price, Beyond beyond) {
  const auto [weight, a, b] = prior_.components()[0];
  const auto horizon = static_cast<double>(depth_);
  const double reward = std::max(spots_.at(depth_).reward, spots_.at(depth_ + 1).reward);
  const Parabola parabola = beyond(reward / (2 * price), a + b + horizon);
  // margin = |a - b + 2 place - horizon|
  const double tie = (horizon - (a - b)) / 2;
  here_->first = std::max<Place>(0, static_cast<Place>(std::ceil(tie - parabola.last / 2)));
  here_->last =
      std::min(last_kept(depth_), static_cast<Place>(std::floor(tie + parabola.last / 2)));
  for (Place place = here_->first; place <= here_->last; ++place) {
    here_->set(place, {price * parabola.at(2 * std::abs(static_cast<double>(place) - tie)), 0.0});
  }
}

void BandSweep::step(double price) {
  std::swap(here_, next_);
  --depth_;
  const RewardSpots::Spot& spot = spots_.at(depth_);
  const Place last = last_kept(depth_);
  const bool possible = spot.place >= 0 && spot.place <= last;
  if (!here_->span_before(*next_, spot.place, possible && spot.reward > price, last)) return;
  const Place beyond = here_->last + 1;
  if (beyond > last_kept(depth_ + 1)) next_->set(beyond, in_next(beyond));  // its mirror image
  fill(price, spot);
}

/// Fills the layer from the next one and narrows it to the states where going on pays.
void BandSweep::fill(double price, const RewardSpots::Spot& spot) {
  const auto low = static_cast<std::size_t>(here_->first);
  const std::size_t count = static_cast<std::size_t>(here_->last) - low + 1;
  chances_.fill(depth_, here_->first, here_->last, chance_.data());
  step_back(count, {.fee = price}, chance_.data(), {&next_->gain[low], &next_->time[low]},
            {&here_->gain[low], &here_->time[low]});
  if (spot.reward > 0 && spot.place >= here_->first && spot.place <= here_->last) {
    const double up = chance_[static_cast<std::size_t>(spot.place) - low], down = 1 - up;
    const Prospect positive = next_->at(spot.place + 1), negative = next_->at(spot.place);
    const Prospect on{spot.reward + up * positive.gain + down * negative.gain,
                      1 + up * positive.time + down * negative.time};
    here_->set(spot.place, on.gain > price * on.time ? on : Prospect{});
  }
  here_->narrow();
}

Prospect BandSweep::going_on(Place place) {
  double up = 0;
  chances_.fill(depth_, place, place, &up);
  const RewardSpots::Spot& spot = spots_.at(depth_);
  const Prospect positive = in_next(place + 1), negative = in_next(place);
  const double now = place == spot.place ? spot.reward : 0;
  return {now + up * positive.gain + (1 - up) * negative.gain,
          1 + up * positive.time + (1 - up) * negative.time};
}

double BandSweep::error_probability(Place place, std::size_t depth) const {
  return model::error_probability(belief_at(prior_, place, depth));
}

}  // namespace allot::index
