// How far the members of a group err together, and what their labels are worth.
//
// For two members j and k and the items that both labelled, e_j = 1 if the label of j is wrong.
// Items are believed with probabilities p, so that
//   E e_j = 1 - p(z_j),   E e_j e_k = Pr(neither z_j nor z_k is the class).
// The correlation of errors is the covariance of e_j and e_k over the items, divided by the
// standard deviations, both summed over all pairs of members with their numbers of shared items:
//   phi = sum_jk n_jk cov_jk / sum_jk n_jk sqrt(var_j var_k).
// n members with this correlation are worth n / (1 + (n - 1) phi) votes of independent workers.
//
// The interval is phi +- t s: s is the jackknife error over 40 blocks of items, t the quantile of
// Student's distribution. It takes the probabilities as given. If nobody outside a group labels its
// items, they follow the group, and its errors cannot be seen: `outside` counts the items on which
// they can. An item whose class is known counts too. Groups without such an item, or with fewer
// than five expected errors, have no correlation.
//
// Cost: O(items + sum of n_i^2) for n_i labels of a group about item i.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "allot/aggregate/agreement.hpp"
#include "allot/aggregate/class_answers.hpp"
#include "allot/model/label_set.hpp"

namespace allot::aggregate {

/// Measures the errors of each group from 1 on; `groups` has the group of each worker, 0 for a
/// worker alone. The answers must have probabilities. `known` marks items whose class is known;
/// none if empty.
std::vector<GroupErrors> group_errors(const model::LabelSet& labels,
                                      std::span<const std::uint32_t> groups,
                                      const ClassAnswers& answers,
                                      const std::vector<bool>& known = {});

}  // namespace allot::aggregate
