// Upper bounds for crowds whose workers label an item at most once (policy/roster_bound.hpp).
//
// Simulated items have soft labels theta, not a class that every label is about. A policy that
// knew theta up to one question could do no worse:
//   two classes   it knows |theta - 1/2|. The item is positive with log-odds
//                 log f(theta) / f(1 - theta), f the density, and a label of worker j is right
//                 with probability rho_j t + (1 - rho_j) (1 - t), t = max(theta, 1 - theta).
//   more          it knows all shares, but not which of the two largest belongs to which of their
//                 classes a and b. Labels of other classes say nothing: worker j stays silent with
//                 probability 1 - P_a - P_b, P_c = rho_j theta_c + (1-rho_j) (1-theta_c) / (C-1).
// The mean over theta is taken over quantiles with a random offset for two classes, else over
// draws.
//
// Recorded labels: an item is positive with the share of all items that the labels suggest, only
// workers who labelled it can be asked, and their coins are the means after all recorded labels.
#pragma once

#include <optional>

#include "allot/model/binary_crowd.hpp"
#include "allot/policy/roster_bound.hpp"
#include "allot/sim/experiment.hpp"

namespace allot::sim {

/// The bound with a price of 1 per label; nothing for listed soft labels.
std::optional<policy::RosterBound> crowd_bound(const Simulation& simulation);

/// The same for recorded labels; `crowd` is fitted to all of them.
policy::RosterBound crowd_bound(const model::LabelSet& labels, const model::BinaryCrowd& crowd,
                                double log_odds);

}  // namespace allot::sim
