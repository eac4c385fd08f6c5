// The expected accuracy of a policy before the first label, without simulating it.
//
// An index policy asks the item with the largest index. So the lowest index it has asked so far is
// a level that only falls, and every item has been asked until its index was not above that level.
// The labels N and the accuracy of one item at any level follow from its prior: probability is
// pushed forward over the lattice of its states, level by level. In a campaign of K items and T
// labels, the next label of an item is worth its reward if the budget lasts until then:
//   E accuracy = h(P) + E sum over the labels of an item  R(S) Pr( N_others(level) + n < T ),
// where n counts the labels this item has had and N_others is the sum of K - 1 independent copies
// of N at that level. This is exact but for
//   - levels: the next is 5 % lower (1.5 to 3 % for opt-kg; exact for equal splitting, where a
//   level
//     is a number of labels), and they end at 3e-5 (1e-4 for opt-kg): labels beyond add nothing;
//   - the sum, which is convolved in 1,024 cells for up to 200 items. The loss against a campaign
//     with infinitely many items falls as 1 / items: for more than 200 items it is scaled, from
//     20,000 on left out. The part of the labels that rounding lost is added at the worth of the
//     last label.
// With many items the chance is a step, and the accuracy is that of the level which the budget pays
// for; for label-price this is the bound of bound.hpp. Within 2e-4 of simulations
// (oracle/forecast_reference_test), within .002 of exact values for two to four items.
//
// Cost: levels are computed when first needed and kept. Under the uniform prior, 20 labels per
// item, 5 ms for a million items, 0.1 s for up to 20,000; under skewed priors up to some seconds.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "allot/model/multiclass_belief.hpp"
#include "allot/model/prior.hpp"

namespace allot::policy {

/// One policy on items with one prior, assumed to be right. Threads must not share one object.
class Forecast {
 public:
  /// `policy` is opt-kg, label-price or least-labelled (equal splitting). The prior is proper.
  Forecast(std::string_view policy, model::Prior prior, std::uint64_t items);
  /// Moves the levels computed so far; the source can only be destroyed.
  Forecast(Forecast&&) noexcept;
  ~Forecast();

  /// Expected share of right answers with `budget` labels in total.
  double accuracy(double budget);

  /// Expected right answers from one more label: the slope over 2 % of the budget either side.
  double label_value(double budget);

  /// The smallest whole budget that reaches the accuracy (0 to 1); infinite if more than `most`.
  double budget_for_accuracy(double target, double most);

 private:
  class Course;
  bool is_equal() const;
  Course& course(std::unique_ptr<Course>& kept, std::uint64_t items, double budget);

  std::string policy_;
  model::Prior prior_;
  std::uint64_t items_;
  std::unique_ptr<Course> few_, many_;
};

/// Multi-class items that belong to one of the classes beyond doubt: theta ~ Dirichlet, 40 r of it
/// for the right class and 40 (1 - r) in equal parts for the others. Workers are right a share r of
/// the time, on some items more often than on others. After n_c labels of each class
///   Pr(z | n) ~ prod_(j < n_z) (40 r + j) / (40 (1 - r) / (C - 1) + j).
struct ClearItems {
  /// Number of classes, each as likely to be right; at least 2.
  std::uint32_t class_count = 2;
  /// How often workers are right: above 1 / class_count and below 1.
  double reliability = 0.8;
};

/// Expected shares of right answers.
struct MulticlassForecast {
  double opt_kg = 0,  ///< if Opt-KG chooses the items
      equal = 0;      ///< if every item gets the same number of labels
};

/// The expected accuracy of multi-class items before the first label: of clear items, or under a
/// Dirichlet prior, where the class with the largest share is right [CLZ sec:multi].
///
/// The state of an item is one count per class, in any order. Labels are drawn by the chances that
/// follow from it, so that no truth is needed; the mean probability of the answers replaces the
/// share of right ones. Opt-KG and equal splitting meet the same labels. Campaigns of up to 300
/// items are played in full, larger ones on 300 items, which costs some ten-thousandths, until
/// 6,000 items were played (a standard error below .003) or the work limit is reached: 3,000,000
/// labels, where one that leads to a new state counts as 60 or, for an unclear item, 100. The seed
/// is fixed, so that the same question has the same answer on any machine. Opt-KG stops asking
/// where a label promises less than 1e-4. Cost: up to a second and 50 MB.
///
/// One row per budget, in the order given. A budget is a number of labels in total, not below the
/// one before, at most 100 per item (more count as 100). Throws std::invalid_argument for 0 items.
std::vector<MulticlassForecast> multiclass_forecast(
    const std::variant<model::DirichletPrior, ClearItems>& labels, std::uint64_t items,
    std::span<const double> budgets);

}  // namespace allot::policy
