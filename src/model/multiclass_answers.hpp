// Answers to multi-class items, from several pooled fits.
//
// Two things decide how far answers go beyond the vote:
//   Do workers differ?  Workers who are alike look different by chance, and tables of their own
//     then cost accuracy. Fits contend with priors and rows 1, 3, 10 and 1,000 times as strong as
//     usual; with several classes the stronger ones contend twice, once with errors that go evenly
//     to all classes. Answers are their mean, weighted by how well they predict hidden labels
//     (model/held_out.hpp), so that chance does not choose where several predict equally well. A
//     handful of labels shows neither that workers differ nor that they are all the same, so
//     strengths 3 and 10 have a head start of e^2. Most real crowds do differ, and where workers
//     err together, hidden labels favour strong tables too much: usual strength gains e^.02 per
//     label, up to e^5. All fits look for workers whose labels do not depend on the item
//     (model/spammers.hpp). Where a quarter of the labels or more come from workers who give nearly
//     all items the same label, fits that leave these out from the start contend as well: such
//     workers can outvote all others, and then confirm each other. Where a class is common, workers
//     who name it are kept: e^8 and e^.003 per label speak for that.
//   Are classes uneven?  Labels alone cannot tell a common class from workers who lean to it. Where
//     the shares given are even, answers are the mean of a fit with these and a fit with the shares
//     of the labels (`voted_shares`), weighted by the odds that classes are uneven
//     (model/uneven_classes.hpp). If the second predicts labels e^8 times better, it gains weight;
//     crowds that lean were seen to favour it by less than e^5. Hidden labels do not help here:
//     they lean too. On items with a single label it weighs at most .1: nothing checks how good
//     that label is, and it would be overruled because its class is rare. Uneven shares that are
//     given are believed, and even ones that are known.
// Where the two fits disagree, and where the answer stays in doubt, a clear vote decides
// (model/clear_votes.hpp).
// Expectation-maximisation answers by a single fit.
//
// Cost: at most 28 fits of three quarters of the labels (16 with two classes), and two fits for
// each contender that counts, four if there are spammers; from 200,000 labels on 7 (4), and mostly
// two. Twice as many where workers of one label give a quarter of the labels.
#pragma once

#include "model/multiclass_fit.hpp"

namespace allot::model {

struct MulticlassAnswers {
  /// The fit with the largest weight, with the probabilities of the answers.
  MulticlassFit fit;
  /// Items with labels whose answer by this fit depends on which shares of classes are believed.
  std::uint32_t decided_by_shares = 0;
};

MulticlassAnswers multiclass_answers(const MulticlassLabelsByWorker& labels,
                                     const MulticlassFitOptions& options, int rounds,
                                     const KnownLabels* known = nullptr);

}  // namespace allot::model
