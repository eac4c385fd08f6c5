#include "allot/index/uncertainty.hpp"

#include <cmath>

#include "allot/math/entropy.hpp"

namespace allot::index {

double lu(const model::ItemBelief& belief) { return model::error_probability(belief); }

double nlu(const model::ItemBelief& belief) {
  return -std::abs(static_cast<double>(belief.counts.positive) -
                   static_cast<double>(belief.counts.negative));
}

double eig(const model::ItemBelief& belief) {
  using math::entropy;
  const double chance = chance_positive(belief);
  return entropy(error_probability(belief)) -
         chance * entropy(error_probability(belief.after(Label::positive))) -
         (1 - chance) * entropy(error_probability(belief.after(Label::negative)));
}

}  // namespace allot::index
