// The answer most workers gave.
//
// Every label counts the same. The probability of a class is its share of the item's labels: the
// prediction of a random worker's label, not the chance that the class is right.
#pragma once

#include "allot/aggregate/class_answers.hpp"

namespace allot::aggregate {

/// Ties follow model/best_class.hpp. An item without labels has the shares of the whole set. A
/// worker's reliability is the share of labels that agree with the answers.
Result<Aggregation> majority(const model::LabelSet& labels);

}  // namespace allot::aggregate
