// Shares of the classes among each item's labels: the majority vote, and where EM starts.
#pragma once

#include "aggregate/item_labels.hpp"

namespace allot::aggregate {

/// Item by item, class by class. An item without labels gets `unlabelled`.
std::vector<double> vote_shares(const ItemLabels& items, std::span<const double> unlabelled);

/// The most probable class of every item by best_class.
ClassAnswers with_answers(std::vector<double> probabilities, const model::LabelSet& labels);

}  // namespace allot::aggregate
