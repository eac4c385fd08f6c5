#include "allot/model/soft_labels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "allot/base/check.hpp"
#include "base/gamma_variate.hpp"

namespace allot::model {

double draw(const Prior& distribution, Rng& rng) {
  require(distribution.is_proper(), "draw", "a", 0,
          "expected a distribution with positive parameters");
  const auto components = distribution.components();
  std::size_t chosen = 0;
  if (components.size() > 1) {
    double rest = uniform(rng);
    while (chosen + 1 < components.size() && rest >= components[chosen].weight) {
      rest -= components[chosen++].weight;
    }
  }
  return beta(rng, components[chosen].a, components[chosen].b);
}

std::vector<double> draw(const DirichletPrior& distribution, Rng& rng) {
  std::vector<double> theta;
  for (const double alpha : distribution.alpha()) theta.push_back(log_gamma_variate(rng, alpha));
  const double largest = std::ranges::max(theta);
  for (double& share : theta) share = std::exp(share - largest);
  const double sum = std::accumulate(theta.begin(), theta.end(), 0.0);
  for (double& share : theta) share /= sum;
  return theta;
}

std::vector<double> soft_labels(const SoftLabels& source, std::uint32_t count, std::uint64_t seed,
                                std::uint64_t run, Rng::Purpose purpose) {
  if (const auto* given = std::get_if<std::vector<double>>(&source)) {
    require(given->size() == count, "soft_labels", "number of soft labels",
            static_cast<double>(given->size()), "expected one per item");
    return *given;
  }
  std::vector<double> result(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Rng rng(seed, purpose, run, i);
    result[i] = draw(std::get<Prior>(source), rng);
  }
  return result;
}

std::vector<double> soft_labels(std::span<const Prior> sources, std::uint64_t seed,
                                std::uint64_t run, Rng::Purpose purpose) {
  std::vector<double> result;
  for (const Prior& source : sources) {
    Rng rng(seed, purpose, run, static_cast<std::uint32_t>(result.size()));
    result.push_back(draw(source, rng));
  }
  return result;
}

std::vector<double> soft_labels(const DirichletPrior& source, std::uint32_t count,
                                std::uint64_t seed, std::uint64_t run) {
  std::vector<double> result;
  result.reserve(std::size_t{count} * source.class_count());
  for (std::uint32_t i = 0; i < count; ++i) {
    Rng rng(seed, Rng::Purpose::soft_label, run, i);
    const std::vector<double> theta = draw(source, rng);
    result.insert(result.end(), theta.begin(), theta.end());
  }
  return result;
}

}  // namespace allot::model
