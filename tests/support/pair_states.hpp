// Items, channels and workers drawn from everywhere they may be, extremes included.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "allot/base/rng.hpp"
#include "allot/model/item_state.hpp"
#include "allot/model/worker_state.hpp"

namespace allot::test {

inline double log_uniform(Rng& rng, double low, double high) {
  return low * std::exp(uniform(rng) * std::log(high / low));
}

inline double sign(Rng& rng) { return below(rng, 2) == 0 ? -1 : 1; }

/// Whole counts, counts from 1e-3 to 1e6, and pairs of counts that are close.
inline model::ItemState random_soft_item(Rng& rng) {
  const auto item = [](double a, double b) { return model::ItemState::soft_label(a, b); };
  switch (below(rng, 4)) {
    case 0:
      return item(static_cast<double>(1 + below(rng, 20)), static_cast<double>(1 + below(rng, 20)));
    case 1:
      return item(log_uniform(rng, 0.1, 100), log_uniform(rng, 0.1, 100));
    case 2: {
      const double a = log_uniform(rng, 1e-3, 1e6);
      return item(a, a * (1 + sign(rng) * log_uniform(rng, 1e-12, 0.9)));
    }
    default: {
      const double a = log_uniform(rng, 1e-3, 1e6);
      return item(a, std::max(a + 3 * (uniform(rng) - 0.5), a / 10));
    }
  }
}

/// Log-odds from 1e-17 to 200, and none at all.
inline model::ItemState random_class_item(Rng& rng) {
  if (below(rng, 20) == 0) return model::ItemState::hard_odds(0);
  return model::ItemState::hard_odds(
      sign(rng) * (below(rng, 2) == 0 ? log_uniform(rng, 1e-17, 200) : 4 * uniform(rng)));
}

inline model::ItemState random_item(Rng& rng) {
  return below(rng, 2) == 0 ? random_soft_item(rng) : random_class_item(rng);
}

/// Anywhere, close to 1/2, to 0 or to 1, and the round numbers at which cells of workers end.
inline double random_coin(Rng& rng) {
  switch (below(rng, 6)) {
    case 0:
      return uniform(rng);
    case 1:
      return 0.5 + sign(rng) * log_uniform(rng, 1e-17, 0.5);
    case 2:
      return static_cast<double>(below(rng, 33)) / 32;
    case 3:
      return log_uniform(rng, 1e-300, 1);
    case 4:
      return 1 - log_uniform(rng, 1e-17, 1);
    default:
      return static_cast<double>(below(rng, 21)) / 20;
  }
}

/// One coin, two coins, spammers up to rounding, and those who are nearly spammers.
inline model::Channel random_channel(Rng& rng) {
  const double s = random_coin(rng);
  switch (below(rng, 4)) {
    case 0:
      return model::Channel::one_coin(s);
    case 1:
      return {s, random_coin(rng)};
    case 2:
      return {s, 1 - s};
    default:
      return {s, std::clamp(1 - s + sign(rng) * log_uniform(rng, 1e-17, 1), 0.0, 1.0)};
  }
}

/// The worker may be any of the given channels.
inline model::WorkerState worker_among(const std::vector<std::pair<double, model::Channel>>& all) {
  model::WorkerState worker{{0, 0}, 0, 0, 0};
  double total = 0;
  for (const auto& [weight, channel] : all) total += weight;
  for (const auto& [weight, channel] : all) {
    const auto [s, t] = channel;
    const double share = weight / total;
    worker.mean.sensitivity += share * s;
    worker.mean.specificity += share * t;
    worker.sensitivity_squared += share * s * s;
    worker.product += share * s * t;
    worker.specificity_squared += share * t * t;
  }
  for (double* moment :
       {&worker.mean.sensitivity, &worker.mean.specificity, &worker.sensitivity_squared,
        &worker.product, &worker.specificity_squared}) {
    *moment = std::min(*moment, 1.0);  // rounding
  }
  return worker;
}

/// Quite certain, or one of up to four channels.
inline model::WorkerState random_worker(Rng& rng) {
  std::vector<std::pair<double, model::Channel>> all;
  for (std::uint64_t n = 1 + below(rng, 4); n > 0; --n) {
    all.emplace_back(0.001 + uniform(rng), random_channel(rng));
  }
  return worker_among(all);
}

}  // namespace allot::test
