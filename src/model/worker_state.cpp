#include "allot/model/worker_state.hpp"

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

}  // namespace allot::model
