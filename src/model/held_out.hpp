// How well settings of a pooled fit predict labels that the fit has not seen.
//
// A fit that takes noise for differences between workers explains its own labels well, and other
// labels badly. So a part of the labels is hidden, the others are fitted, and every hidden label z
// of worker j and item i has the chance
//   sum_k Pr(item i is of class k) Pr(worker j says z about class k).
// Four parts are hidden one after the other. The labels of an item go to the parts in turn, so that
// few items lose all of theirs. Which label goes where follows from the labels alone. Labels that
// cannot be predicted are passed over: those of items without another label, and of members of
// groups, who do not speak for themselves alone. Fits do without confidences.
#pragma once

#include <cstdint>
#include <vector>

#include "model/multiclass_fit.hpp"

namespace allot::model {

/// The part, from 0 to 3, of each label, worker by worker.
std::vector<std::vector<std::uint8_t>> hidden_parts(const MulticlassLabelsByWorker& labels,
                                                    std::uint32_t item_count);

/// A setting of the fit, and the logarithm of what speaks for it.
struct Contender {
  MulticlassFitOptions options;
  double log_evidence = 0;
};

/// Adds to each contender's evidence the log-likelihood of hidden labels. Ends when all parts were
/// hidden, or 50,000 labels predicted. A contender that falls behind by e^25 is out: its evidence is
/// minus infinity. Cost: at most a fit per contender and part, of which there are at most four. Does not depend on the order of labels, items or workers, but for rounding.
void predict_hidden_labels(const MulticlassLabelsByWorker& labels, int rounds,
                           const KnownLabels* known, std::vector<Contender>& contenders);

}  // namespace allot::model
