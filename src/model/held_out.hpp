// How well settings of a pooled fit predict labels that the fit has not seen.
//
// A fit that takes noise for differences between workers explains its own labels well, and other
// labels badly. So a part of the labels is hidden, the others are fitted, and every hidden label z
// of worker j and item i has the chance
//   sum_k Pr(item i is of class k) Pr(worker j says z about class k).
// Four parts are hidden one after the other. The labels of an item go to the parts in turn, so that
// few items lose all of theirs. Labels that cannot be predicted are passed over: those of items
// without another label, and of members of groups, who do not speak for themselves alone. Fits do
// without confidences.
#pragma once

#include <vector>

#include "model/multiclass_fit.hpp"

namespace allot::model {

/// A setting of the fit, and the logarithm of what speaks for it.
struct Contender {
  MulticlassFitOptions options;
  double log_evidence = 0;
};

/// Adds to each contender's evidence the log-likelihood of hidden labels. A contender that falls
/// e^20 times behind the best one is out, with an evidence of minus infinity. Ends when one is
/// left, when all parts were hidden, or when 20,000 labels were predicted. Cost: a fit per
/// contender and part, of which there are at most four. Deterministic; depends on the order of
/// items and workers.
void predict_hidden_labels(const MulticlassLabelsByWorker& labels, int rounds,
                           const KnownLabels* known, std::vector<Contender>& contenders);

}  // namespace allot::model
