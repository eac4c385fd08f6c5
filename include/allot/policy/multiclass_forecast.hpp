// What a budget will buy where items have several classes, before any label is there.
//
// What is known of an item is a number a class, in whatever order (a state); it says how sure the
// answer is, what the next label would be worth at best (the index of Opt-KG), and of which class
// it will be. Labels are drawn by these chances, so that no truth is needed, and the sureness of
// answers stands for the share of right ones, which has the same mean and spreads less. Opt-KG and
// equal splitting meet the same labels. Two ways in which labels may come about:
//   unclear items   theta ~ Dirichlet(alpha), a label is class c with chance theta_c, and the class
//                   with the largest theta is right [CLZ sec:multi];
//   clear items     every class is as likely to be right; theta ~ Dirichlet, 40 r of it for the
//                   right class and 40 (1 - r) in equal parts for the others: workers are right a
//                   share r of the time, on some items more often than on others.
// The class z of a clear item has, after n_c labels of each class,
//   Pr(z | n) ~ prod_(j < n_z) (40 r + j) / (40 (1 - r) / (C - 1) + j).
//
// Campaigns of up to 300 items are played as they are, larger ones on 300, which costs some
// ten-thousandths. Runs go on until 6,000 items were played, which leaves a standard error below
// .003, or the work is done: 3,000,000 labels, of which one that leads to a new state counts as 60
// or, of an unclear item, 100. The seed is fixed and work is counted, so that the same question has
// the same answer on any machine. Opt-KG asks no more where a label promises less than 1e-4.
//
// Cost: up to a second and 50 MB for 20 classes and 100 labels an item; some hundredths of a second
// for few of either.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "allot/model/multiclass_belief.hpp"

namespace allot::policy {

/// Items that belong to one of the classes beyond doubt.
struct ClearItems {
  std::uint32_t class_count = 2;
  /// How often workers are right: above 1 / class_count and below 1.
  double reliability = 0.8;
};

/// Expected shares of right answers.
struct MulticlassForecast {
  double opt_kg = 0, equal = 0;
};

/// One row a budget, in the order given: labels in all, which must not fall from one to the next,
/// at most 100 an item (more count as 100). `items` at least 1; throws std::invalid_argument.
std::vector<MulticlassForecast> multiclass_forecast(
    const std::variant<model::DirichletPrior, ClearItems>& labels, std::uint64_t items,
    std::span<const double> budgets);

}  // namespace allot::policy
