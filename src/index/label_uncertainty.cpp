#include "allot/index/label_uncertainty.hpp"

#include <cmath>

namespace allot::index {

double lu(const model::ItemBelief& belief) { return model::error_probability(belief); }

double nlu(const model::ItemBelief& belief) {
  return -std::abs(static_cast<double>(belief.counts.positive) -
                   static_cast<double>(belief.counts.negative));
}

}  // namespace allot::index
