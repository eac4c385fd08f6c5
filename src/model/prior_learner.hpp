// The prior of a campaign, learned on a schedule counted in labels.
#pragma once

#include "allot/model/prior_fit.hpp"
#include "model/refit_schedule.hpp"

namespace allot::model {

class PriorLearner {
 public:
  PriorLearner(const PriorLearning& learning, std::uint32_t item_count)
      : learning_(learning), schedule_(learning.every, item_count) {}

  /// Must be called once per label. Returns whether the prior has changed; the caller must then
  /// read all items again.
  bool after_label(Beliefs& beliefs) {
    if (!schedule_.is_due()) return false;
    Prior prior = learned_prior(beliefs, learning_);
    if (beliefs.priors().size() == 1 && prior == beliefs.priors().front()) return false;
    beliefs.set_prior(std::move(prior));
    return true;
  }

 private:
  PriorLearning learning_;
  RefitSchedule schedule_;
};

}  // namespace allot::model
