// Uneven classes, or a crowd that leans to some of them: the labels' shares alone cannot tell.
//
// But crowds lean only so far. Let n_k be the labels of class k. The logarithm of n_k, less the
// mean over the classes, is u_k less the mean, where
//   a crowd leans:        u_k ~ N(0, .42^2 + s^2 / W + 1 / n_k),
//   classes are uneven:   u_k ~ N(0, 1.5^2 + s^2 / W + 1 / n_k).
// 1 / n_k is the error of counting. W workers lean less together than each of them alone: W =
// (sum_j l_j)^2 / sum_j l_j^2 for workers with l_j labels. s is how far workers differ from the
// crowd, as their labels show; before any label it is 1.2, with the weight of half a worker. A few
// workers who all name a class equally often thus speak for a common class. Crowds that lean are
// taken to be twice as common. The spreads are near those of real crowds with known answers.
#pragma once

#include "model/by_worker.hpp"

namespace allot::model {

/// The logarithm of the odds that classes are uneven. O(labels + classes).
double log_odds_of_uneven_classes(const MulticlassLabelsByWorker& labels, std::uint32_t classes);

}  // namespace allot::model
