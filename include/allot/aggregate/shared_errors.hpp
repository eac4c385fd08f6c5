// Pairs of workers who agree more than independent workers would: copies, shared accounts.
//
// Given the class of an item, independent workers label it independently. Let p be the
// probabilities of the classes by the labels of everybody but worker k, and T_k the table of k,
// fitted to p and the labels of k alone. The chance that k gives the label z_j of worker j is then
//   a_i = sum_y p_i(y) T_k(y, z_j).
// With A_i = 1 where they agree, the excess of k over j is, with a correction for continuity,
//   Z = (sum_i (A_i - a_i) - 1/2 - m sum_i v_i) / sqrt(sum_i v_i),   v_i = a_i (1 - a_i).
// m is d more than the median of sum (A_i - a_i) / sum v_i over all pairs, or than 0: on hard items
// everybody errs together, and a pair is suspect only if it agrees more than other pairs do. With W
// workers d = 2.25 / (W - 1)^1.25. Few workers leave classes and tables unsure, above all where one
// class is common; a copy among five is still found (a test checks it). A pair has the
// smaller of its two excesses. Its p-value is the normal tail, times the number of pairs
// (Bonferroni): at most a share `false_alarms` of crowds of independent workers has any pair
// reported, however many pairs there are. A test checks that share by simulation.
//
// Leaving k out matters: two copies confirm each other, and in a fit with both they look perfect.
// They also spoil what is believed of all others. So only the pair with the largest excess is
// taken; the search then begins again with that pair as a group (model/group_views.hpp).
//
// Three copies or more still confirm each other where one is left out, and can stay hidden.
// A small p-value is no proof of copying: workers who share a bad instruction agree too.
// Cost: one pooled fit of model/multiclass_fit.hpp per worker, and again for every pair found:
// about 0.1 microseconds per label, worker and class.
#pragma once

#include <cstdint>
#include <vector>

#include "allot/aggregate/class_answers.hpp"
#include "allot/model/label_set.hpp"

namespace allot::aggregate {

/// Settings of find_shared_errors.
struct SharedErrorOptions {
  /// Chance to report any pair where all workers are independent, in (0, 1).
  double false_alarms = 0.05;
  /// Pairs of workers with fewer shared items are left out; at least 1.
  std::uint32_t least_shared = 10;
  /// The search ends after this many pairs.
  std::uint32_t most_suspects = UINT32_MAX;
  /// Group of each worker who is known to err together with others, from 1 on; 0 for workers alone.
  /// Pairs within a group are not reported. Empty if there are no groups.
  std::vector<std::uint32_t> groups = {};
};

/// A pair of workers who agree more than others.
struct SuspectPair {
  WorkerId first;            ///< worker with the smaller number
  WorkerId second;           ///< the other worker
  std::uint32_t shared = 0;  ///< items that both labelled
  double agreement = 0;      ///< share of these items that they agree on
  double expected = 0;       ///< share that independent workers with their tables agree on
  double excess = 0;         ///< Z: standard errors above what other pairs show
  double p_value = 1;        ///< chance of such an excess in any pair of independent workers
};

/// The result of find_shared_errors.
struct SharedErrors {
  std::uint64_t pairs = 0;            ///< pairs that were compared
  std::vector<SuspectPair> suspects;  ///< reported pairs, in the order found
  /// Groups of the workers that the reported pairs connect, and declared ones: from 1 on, 0 for
  /// workers alone.
  std::vector<std::uint32_t> groups;
};

/// Looks for pairs of workers who are not independent. Refuses sets of fewer than two classes.
/// Throws std::invalid_argument for options out of range.
Result<SharedErrors> find_shared_errors(const model::LabelSet& labels,
                                        const SharedErrorOptions& options = {});

}  // namespace allot::aggregate
