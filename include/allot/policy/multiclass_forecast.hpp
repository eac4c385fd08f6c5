// The expected accuracy of multi-class items before the first label.
//
// The state of an item is one count per class, in any order. It gives the probability of the
// answer, the Opt-KG index of the next label and the chances of its class. Labels are drawn by
// these chances, so that no truth is needed. The mean probability of the answers replaces the share
// of right ones: it has the same mean and varies less. Opt-KG and equal splitting meet the same
// labels. There are two models of labels:
//   unclear items   theta ~ Dirichlet(alpha), a label is class c with chance theta_c, and the class
//                   with the largest theta is right [CLZ sec:multi];
//   clear items     every class is as likely to be right; theta ~ Dirichlet, 40 r of it for the
//                   right class and 40 (1 - r) in equal parts for the others: workers are right a
//                   share r of the time, on some items more often than on others.
// The class z of a clear item has, after n_c labels of each class,
//   Pr(z | n) ~ prod_(j < n_z) (40 r + j) / (40 (1 - r) / (C - 1) + j).
//
// Campaigns of up to 300 items are played in full, larger ones on 300 items, which costs some
// ten-thousandths. Runs continue until 6,000 items were played, which leaves a standard error below
// .003, or the work limit is reached: 3,000,000 labels, where a label that leads to a new state
// counts as 60 or, for an unclear item, 100. The seed is fixed and work is counted, so that the
// same question has the same answer on any machine. Opt-KG stops asking where a label promises less
// than 1e-4.
//
// Cost: up to a second and 50 MB for 20 classes and 100 labels per item; some hundredths of a
// second for few of either.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "allot/model/multiclass_belief.hpp"

namespace allot::policy {

/// Items that belong to one of the classes beyond doubt.
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

/// One row per budget, in the order given. A budget is a number of labels in total, not below the
/// one before, at most 100 per item (more count as 100). Throws std::invalid_argument for 0 items.
std::vector<MulticlassForecast> multiclass_forecast(
    const std::variant<model::DirichletPrior, ClearItems>& labels, std::uint64_t items,
    std::span<const double> budgets);

}  // namespace allot::policy
