#include "allot/index/information_gain.hpp"

namespace allot::index {

double eig(const model::ItemBelief& belief) {
  const double chance = chance_positive(belief);
  return entropy(error_probability(belief)) -
         chance * entropy(error_probability(belief.after(Label::positive))) -
         (1 - chance) * entropy(error_probability(belief.after(Label::negative)));
}

}  // namespace allot::index
