#include "allot/model/worker_state.hpp"

#include <algorithm>

namespace allot::model {

Channel mean_after(const WorkerState& worker, double positive, Label label) {
  const auto [s, t] = worker.mean;
  const double ss = worker.sensitivity_squared, st = worker.product,
               tt = worker.specificity_squared;
  const double p = positive, q = 1 - positive;
  if (label == Label::positive) {
    const double chance = p * s + q * (1 - t);
    return {(p * ss + q * (s - st)) / chance, (p * st + q * (t - tt)) / chance};
  }
  const double chance = p * (1 - s) + q * t;
  return {(p * (s - ss) + q * st) / chance, (p * (t - st) + q * tt) / chance};
}

double dominating_reliability(const Channel& channel) {
  const double s = channel.sensitivity, t = channel.specificity;
  // The odds that each label is right.
  const auto share = [](double x, double y) { return x + y == 0 ? 0.5 : std::max(x, y) / (x + y); };
  return std::max(share(s, 1 - t), share(1 - s, t));
}

}  // namespace allot::model
