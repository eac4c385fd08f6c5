#include "index/reward_lattice.hpp"

#include "allot/index/knowledge_gradient.hpp"
#include "base/every_processor.hpp"

namespace allot::index {

bool RewardSpots::answered_positive(Place place, std::size_t depth) const {
  return model::favoured_label(belief_at(prior_, place, depth)) == Label::positive;
}

/// One more label leaves the threshold or raises it by one. If it stays, the place below the
/// threshold is the one whose answer can change.
void RewardSpots::extend() {
  const std::size_t depth = spots_.size();
  if (depth == 0) threshold_ = answered_positive(0, 0) ? 0 : 1;
  const Place below_all = static_cast<Place>(depth) + 1;
  const bool same = threshold_ <= below_all && answered_positive(threshold_, depth + 1);
  const Place place = same ? threshold_ - 1 : threshold_;
  Spot spot{place, 0};
  if (place >= 0 && place <= static_cast<Place>(depth)) {
    spot.reward = kg(belief_at(prior_, place, depth));
  }
  spots_.push_back(spot);
  if (!same) ++threshold_;
}

void Chances::fill(std::size_t depth, Place low, Place high, double* chances) {
  if (prior_.is_mixture()) {
    if (known_.size() <= depth) known_.resize(depth + 1);
    for (Place place = low; place <= high; ++place) *chances++ = kept(place, depth);
    return;
  }
  const double total = a_ + b_ + static_cast<double>(depth);
  if (!(total > 0)) {
    chances[0] = 0.5;  // Haldane's prior without labels: one place
    return;
  }
  const double first = a_ + static_cast<double>(low), scale = 1 / total;
  const int count = static_cast<int>(high - low) + 1;  // 32 bits convert faster
  for (int i = 0; i < count; ++i) chances[i] = (first + i) * scale;
}

double Chances::kept(Place place, std::size_t depth) {
  Window& window = known_[depth];
  if (window.chances.empty()) window.first = place;
  if (place < window.first) {
    window.chances.insert(window.chances.begin(), static_cast<std::size_t>(window.first - place),
                          -1.0);
    window.first = place;
  }
  const auto position = static_cast<std::size_t>(place - window.first);
  if (position >= window.chances.size()) window.chances.resize(position + 1, -1.0);
  double& chance = window.chances[position];
  if (chance < 0) chance = model::chance_positive(belief_at(prior_, place, depth));
  return chance;
}

ALLOT_EVERY_PROCESSOR void step_back(std::size_t count, StepTerms terms, const double* chance,
                                     ProspectArrays<const double> next,
                                     ProspectArrays<double> now) {
  const auto [fee, discount] = terms;
  const auto [next_gain, next_time] = next;
  const auto [gain, time] = now;
  for (std::size_t i = 0; i < count; ++i) {
    const double up = discount * chance[i], down = discount - up;
    const double g = up * next_gain[i + 1] + down * next_gain[i];
    const double t = 1 + (up * next_time[i + 1] + down * next_time[i]);
    const bool pays = g > fee * t;
    gain[i] = pays ? g : 0.0;
    time[i] = pays ? t : 0.0;
  }
}

}  // namespace allot::index
