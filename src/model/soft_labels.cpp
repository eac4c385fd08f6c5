#include "allot/model/soft_labels.hpp"

#include "allot/base/check.hpp"

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

std::vector<double> soft_labels(const SoftLabels& source, std::uint32_t count, std::uint64_t seed,
                                std::uint64_t run, Rng::Purpose purpose) {
  if (const auto* given = std::get_if<std::vector<double>>(&source)) {
    require(given->size() == count, "soft_labels", "number of soft labels",
            static_cast<double>(given->size()), "expected one an item");
    return *given;
  }
  std::vector<double> result(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Rng rng(seed, purpose, run, i);
    result[i] = draw(std::get<Prior>(source), rng);
  }
  return result;
}

}  // namespace allot::model
