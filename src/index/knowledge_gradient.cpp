#include "allot/index/knowledge_gradient.hpp"

#include "allot/base/check.hpp"

namespace allot::index {

Reward reward(const model::Outlook& outlook) {
  const bool positive = outlook.answer == Label::positive;
  const double along = positive ? outlook.rise : outlook.fall;
  const double against = positive ? outlook.fall : outlook.rise;
  const double chance_against = positive ? 1 - outlook.chance_positive : outlook.chance_positive;
  // A label against the answer lowers h; beyond 1/2 the other answer gains what this one loses.
  const double if_against =
      outlook.overshoot == against ? against : 2 * outlook.overshoot - against;
  return {positive ? along : if_against, positive ? if_against : along,
          2 * chance_against * outlook.overshoot, outlook.chance_positive};
}

double kg(const model::ItemBelief& belief) { return kg(reward(belief)); }
double opt_kg(const model::ItemBelief& belief) { return opt_kg(reward(belief)); }
double pessimistic_kg(const model::ItemBelief& belief) { return pessimistic_kg(reward(belief)); }
double cvar_kg(const model::ItemBelief& belief, double alpha) {
  return cvar_kg(reward(belief), alpha);
}

double cvar_kg(const Reward& reward, double alpha) {
  require(alpha >= 0 && alpha <= 1, "cvar_kg", "alpha", alpha, "expected 0 to 1");
  const bool positive_better = reward.if_positive >= reward.if_negative;
  const double chance = positive_better ? reward.chance_positive : 1 - reward.chance_positive;
  if (chance >= alpha) return opt_kg(reward);
  // q = chance/alpha on the better outcome; written in terms of R, whose zeros are exact.
  return reward.expected + (chance / alpha - chance) * (opt_kg(reward) - pessimistic_kg(reward));
}

}  // namespace allot::index
