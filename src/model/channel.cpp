#include "allot/model/channel.hpp"

#include <algorithm>

namespace allot::model {

double dominating_reliability(const Channel& channel) {
  const double s = channel.sensitivity, t = channel.specificity;
  // The odds that each label is right.
  const auto share = [](double x, double y) { return x + y == 0 ? 0.5 : std::max(x, y) / (x + y); };
  return std::max(share(s, 1 - t), share(1 - s, t));
}

}  // namespace allot::model
