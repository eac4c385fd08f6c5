#include "allot/index/knowledge_gradient.hpp"

#include <algorithm>

#include "allot/base/check.hpp"

namespace allot::index {

Reward reward(const model::Outlook& outlook) {
  const bool positive = outlook.answer == Label::positive;
  const double along = positive ? outlook.rise : outlook.fall;
  const double against = positive ? outlook.fall : outlook.rise;
  const double chance_against = positive ? 1 - outlook.chance_positive : outlook.chance_positive;
  // A label against the answer lowers h by `against`, except that beyond 1/2 the other answer gains
  // what this one loses.
  const double if_against =
      outlook.overshoot == against ? against : 2 * outlook.overshoot - against;
  return {positive ? along : if_against, positive ? if_against : along,
          2 * chance_against * outlook.overshoot, outlook.chance_positive};
}

double kg(const model::ItemBelief& belief) { return reward(belief).expected; }

double opt_kg(const model::ItemBelief& belief) {
  const Reward r = reward(belief);
  return std::max(r.if_positive, r.if_negative);
}

double pessimistic_kg(const model::ItemBelief& belief) {
  const Reward r = reward(belief);
  return std::min(r.if_positive, r.if_negative);
}

double cvar_kg(const model::ItemBelief& belief, double alpha) {
  require(alpha >= 0 && alpha <= 1, "cvar_kg", "alpha", alpha, "expected 0 to 1");
  const Reward r = reward(belief);
  const bool positive_better = r.if_positive >= r.if_negative;
  const auto [worse, better] = std::minmax(r.if_positive, r.if_negative);
  const double chance = positive_better ? r.chance_positive : 1 - r.chance_positive;
  if (chance >= alpha) return better;
  // q = chance/alpha on the better outcome; written from R, whose zeros are exact.
  return r.expected + (chance / alpha - chance) * (better - worse);
}

}  // namespace allot::index
