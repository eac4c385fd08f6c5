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
//   - levels: the next is 5 % lower (1.5 to 3 % for opt-kg); between two of them labels come
//     evenly;
//   - the sum, which is convolved in 1,024 cells for up to 200 items. The loss against a campaign
//     with infinitely many items falls as 1 / items: for more than 200 items it is scaled, from
//     20,000 on left out.
// With many items the chance is a step, and the accuracy is that of the level which the budget pays
// for; for label-price this is the bound of bound.hpp. The expected labels should be T / K; the
// part that rounding lost is added at the worth of the last label. Levels end at 3e-5 (1e-4 for
// opt-kg): labels beyond are assumed to add nothing.
//
// The levels of equal splitting are numbers of labels, which is exact.
//
// Within 2e-4 of simulations (oracle/forecast_reference_test), within .002 of exact values for two
// to four items.
//
// Cost: levels are computed when first needed and kept. Under the uniform prior, 20 labels per
// item, 5 ms for a million items, 0.1 s for up to 20,000; under skewed priors, where levels are
// low, up to some seconds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "allot/model/prior.hpp"

namespace allot::policy {

/// One policy on items with one prior, which is assumed to be right. Threads must not share one
/// object.
class Forecast {
 public:
  /// `policy` is opt-kg, label-price or least-labelled (equal splitting). The prior must be
  /// proper.
  Forecast(std::string_view policy, model::Prior prior, std::uint64_t items);
  /// Moves the levels computed so far; the source can only be destroyed.
  Forecast(Forecast&&) noexcept;
  ~Forecast();

  /// Expected share of right answers with `budget` labels in total.
  double accuracy(double budget);

  /// Expected right answers from one more label: the slope over 2 % of the budget on either side,
  /// because single labels differ.
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

}  // namespace allot::policy
