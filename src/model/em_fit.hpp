// Items and workers fitted to all labels by expectation-maximisation [DS79].
//
// Every fit starts from the shares of votes: a start from the last result can stay in a bad
// optimum. The worker prior is added to the counts as pseudo-labels, and labels of known items as
// they are.
#pragma once

#include "allot/math/beta_match.hpp"
#include "allot/model/worker_state.hpp"
#include "model/by_worker.hpp"
#include "model/worker_labels.hpp"

namespace allot::model {

struct EmFit {
  std::vector<double> log_odds;
  std::vector<math::BetaShape> sensitivity, specificity;  // by worker
};

EmFit em_fit(const LabelsByWorker& labels, std::uint32_t item_count, Coins coins,
             const ByWorker<math::BetaShape>& worker_prior, double prior_share, int rounds,
             const KnownLabels& known = KnownLabels(2));

}  // namespace allot::model
