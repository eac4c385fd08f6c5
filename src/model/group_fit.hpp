// Groups of workers who err together, as a part of the pooled fit (model/multiclass_fit.hpp).
//
// The model is that of model/group_views.hpp. A view is fitted like the table of one more worker,
// whose label of an item is not seen but follows from the labels of the group. In every round
//   - the labels of a group about an item are read one after the other, which gives Pr(labels | y)
//     and Pr(view | y, labels). The tables of the view and of the members leave out what these
//     labels themselves contributed in the round before (cavity updates);
//   - a label then counts for the member's own table as far as it does not repeat the view, and the
//     view counts for the table of the group;
//   - the chance r_j that a member repeats the view is the mean of its posterior on a grid. The
//     likelihood of an item's labels is linear in r_j, so the posterior is exact, given the other
//     members. Its prior is a Beta around the chance that the members would share if they were all
//     alike, which itself has a uniform prior.
//
// A view that is always right explains independent members too, whatever their r_j. So r_j alone
// does not say whether a group errs together. After kRoundsTogether rounds its labels are compared
// with those of independent members who have the same tables T_j = r_j V_g + (1 - r_j) P_j:
//   E_g = - sum_i log sum_y Pr(y | all labels) prod_j T_j(y, z_ij) / Pr(labels of g about i | y).
// If this evidence stays below kEvidence, the members are read as workers alone from then on. The
// group is believed as declared while there is little to see: fewer than kCheckedRepeats labels
// that follow another one of the group, about items that somebody outside it labelled too.
//
// Votes, from which a fit starts, count once per group and item, because nine members who repeat
// one view would outvote everybody else before anything is learned about them. Labels of known
// items have no item here: each is split between view and member by r_j.
//
// Cost of a round: O(C^2) per label of a member, and per item and group.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/math/beta_match.hpp"
#include "model/by_worker.hpp"

namespace allot::model {

/// Rounds after which a group must show that it errs together, and the evidence that it takes.
inline constexpr int kRoundsTogether = 4;
inline constexpr double kEvidence = 8;
inline constexpr std::uint32_t kCheckedRepeats = 50;

/// Chance that a member repeats the view before anything is learned: the mean of a uniform prior.
inline constexpr double kRepeatsBefore = 0.5;

struct WorkerTables;

/// What a fit learned about groups.
struct FittedGroups {
  std::vector<double> repeats;  // r_j by worker; 0 for workers alone
  std::vector<double> tables;   // V_g, group by group
  /// Groups and items with a view, and Pr(view | class, labels) of each.
  struct Place {
    std::uint32_t group, item;  // groups from 1
  };
  std::vector<Place> places;
  std::vector<double> views;
};

class GroupFit {
 public:
  /// `groups` as in GroupViews. The labels must outlive the object.
  GroupFit(const MulticlassLabelsByWorker& labels, std::span<const std::uint32_t> groups,
           std::uint32_t item_count, std::uint32_t classes, const KnownLabels* known);

  bool has(std::size_t worker) const { return group_of(worker) != 0; }
  /// Weight of a member's n-th label as a vote.
  double vote(std::size_t worker, std::size_t n) const;
  /// Begins with the items as the votes leave them.
  void start(const std::vector<double>& probabilities);
  /// Adds the labels of members, as far as they speak for themselves, to the counts of all workers.
  void count(std::vector<double>& counts);
  /// Chance that the worker repeats the view of their group; 0 for workers alone.
  double repeats(std::size_t worker) const { return repeats_[worker]; }
  /// Counts of views, group by group, since the last `count`.
  const std::vector<double>& view_counts() const { return view_counts_; }
  /// Adds the logarithms of Pr(labels of the group | class) of each item. `priors` are those of the
  /// workers; views have the prior of the tables.
  void add_labels(const WorkerTables& tables, const std::vector<math::BetaShape>& priors,
                  const std::vector<double>& counts, std::vector<double>& log_probabilities);
  /// Takes the items as believed now for the next round, and learns who repeats.
  void learn(const std::vector<double>& probabilities);

  FittedGroups result(const WorkerTables& tables) &&;

 private:
  /// One label of a member.
  struct Voice {
    std::uint32_t worker, label;
  };
  /// The labels of one group about one item: voices from `begin` to `end`.
  struct Cluster {
    std::uint32_t group, item, begin, end;
  };

  std::uint32_t group_of(std::size_t worker) const {
    return worker < groups_.size() ? groups_[worker] : 0;
  }
  void make_clusters(std::uint32_t item_count);
  bool is_weighed() const { return rounds_ + 1 == kRoundsTogether; }
  void weigh(const std::vector<double>& probabilities);
  std::vector<std::uint32_t> checked_repeats() const;
  void count_known(std::size_t worker, double* own, double* view) const;
  void learn_repeats();
  void set_repeats(const std::vector<double>& likelihood);

  const MulticlassLabelsByWorker& labels_;
  const std::span<const std::uint32_t> groups_;
  const std::size_t classes_, cells_;
  const KnownLabels* const known_;
  std::uint32_t group_count_ = 0;
  std::vector<std::uint32_t> first_voice_, cluster_of_;  // by worker; by label of a member
  std::vector<Cluster> clusters_;
  std::vector<Voice> voices_;
  std::vector<double> own_chance_;         // P_j(y, z) by voice and class, without this item
  std::vector<double> own_weight_;         // Pr(y, speaks for themselves) by voice
  std::vector<double> views_, view_mass_;  // Pr(s | y) and Pr(y, s) by cluster
  std::vector<double> view_counts_;        // by group
  std::vector<double> repeats_;            // by worker
  int rounds_ = 0;                         // learned from
  std::vector<double> apart_;              // prod_j T_j(y, z) / Pr(labels | y) by cluster and class
  std::vector<bool> independent_;          // by group: whether its members are read as alone
};

}  // namespace allot::model
