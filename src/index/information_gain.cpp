#include "allot/index/information_gain.hpp"

#include <cmath>

namespace allot::index {

double entropy(double error) {
  return error <= 0 ? 0 : -error * std::log(error) - (1 - error) * std::log1p(-error);
}

double eig(const model::ItemBelief& belief) {
  const double chance = chance_positive(belief);
  return entropy(error_probability(belief)) -
         chance * entropy(error_probability(belief.after(Label::positive))) -
         (1 - chance) * entropy(error_probability(belief.after(Label::negative)));
}

}  // namespace allot::index
