// Answers to binary items: the mean of two models.
//
//   Pooled fits (model/multiclass_answers.hpp) ask how far workers differ and whether classes are
//     uneven, and find workers whose labels do not depend on the item.
//   Belief propagation (model/binary_fits.hpp) integrates over each worker's coins. On real crowds
//     it is a little better. Alone it can fall far below the vote: where classes are uneven and
//     workers few, or where many workers always give the same label.
// Here it therefore does without the labels of workers whom the pooled fit takes for spammers, and
// is itself a mean: of a fit that starts from even shares of classes, and one that starts from the
// shares of the labels, weighted by the odds that classes are uneven (model/uneven_classes.hpp).
// Shares that are uneven or known are believed. Clear votes decide here as they do between pooled
// fits (model/clear_votes.hpp).
//
// Cost: that of multiclass_answers, and one or two runs of belief propagation, of 20 rounds; from
// 200,000 labels on one run of 8.
#pragma once

#include "model/binary_fits.hpp"
#include "model/multiclass_answers.hpp"

namespace allot::model {

/// The labels with numbers for classes: 1 is positive.
MulticlassLabelsByWorker as_multiclass(const LabelsByWorker& labels);

/// `options` are those of the pooled fits, of two classes. `grids` hold the coins that workers may
/// have. Where there are groups, or confidences that tell something, pooled fits answer alone.
MulticlassAnswers binary_answers(const MulticlassLabelsByWorker& labels,
                                 const MulticlassFitOptions& options,
                                 const ByWorker<WorkerGrid>& grids,
                                 const KnownLabels& known = KnownLabels(2));

}  // namespace allot::model
