#include "allot/model/multiclass_crowd.hpp"

#include <algorithm>
#include <numeric>

#include "allot/math/dirichlet_match.hpp"
#include "allot/math/dirichlet_win.hpp"

namespace allot::model {
namespace {

/// Labels that a worker's prior counts for in the spread of a reliability, and one more for the
/// variance of a Beta: mean (1 - mean) / (labels + kPriorLabels + 1).
constexpr double kPriorLabels = 4;

}  // namespace

/// The sum of all classes but the likeliest, the smallest first to keep its digits.
double MulticlassCrowd::error(ItemId item) const {
  std::vector<double> shares = probabilities(item);
  std::ranges::sort(shares);
  return std::accumulate(shares.begin(), shares.end() - 1, 0.0);
}

void MulticlassCrowd::probabilities(ItemId item, std::span<double> out) const {
  if (soft_) {
    std::ranges::copy(math::win_outlook((*this)[item]).win, out.begin());
  } else {
    std::ranges::copy((*this)[item], out.begin());
  }
}

void MulticlassCrowd::likelihood(WorkerId worker, ClassId label, std::span<double> out) const {
  const std::span<const double> table = (*this)[worker];
  for (std::uint32_t k = 0; k < classes_; ++k) out[k] = table[k * classes_ + position(label)];
}

double MulticlassCrowd::outcome(ItemId item, WorkerId worker, ClassId label,
                                std::span<double> out) const {
  std::vector<double> memory(groups_.group_count() > 0 ? std::size_t{classes_} * classes_ : 0);
  const std::span<const double> belief = (*this)[item], table = this->table(item, worker, memory);
  const double all = std::accumulate(belief.begin(), belief.end(), 0.0);
  double chance = 0;
  for (std::uint32_t k = 0; k < classes_; ++k) {
    chance += out[k] = belief[k] / all * table[k * classes_ + position(label)];
  }
  if (!(chance > 0)) {
    probabilities(item, out);
    return chance;
  }
  for (double& weight : out) weight /= chance;
  if (soft_) {
    std::vector<double> alpha(belief.begin(), belief.end());
    math::match_grown(alpha, out);
    std::ranges::copy(math::win_outlook(alpha).win, out.begin());
  }
  return chance;
}

Reliability MulticlassCrowd::reliability(WorkerId worker, std::uint32_t labels) const {
  const std::span<const double> table = (*this)[worker];
  double mean = 0;
  for (std::uint32_t k = 0; k < classes_; ++k) mean += table[k * classes_ + k] / classes_;
  return {mean, mean * (1 - mean) / (labels + (kPriorLabels + 1))};
}

}  // namespace allot::model
