// The answer most workers gave.
//
// Every label counts the same. The probability of a class is its share of the item's labels: what a
// random worker would say, not how probably it is right.
#pragma once

#include "allot/aggregate/class_answers.hpp"

namespace allot::aggregate {

/// Of classes with equally many labels the one with fewer labels in the whole set wins (workers
/// lean to the others, so a vote for it says more), then the first. An item without labels has the
/// shares of the whole set. A worker's reliability is the share of labels that agree with the
/// answers. O(labels + items * classes).
Result<Aggregation> majority(const model::LabelSet& labels);

}  // namespace allot::aggregate
