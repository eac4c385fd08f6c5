// Shares of the classes among each item's labels: the majority vote, and the start of EM.
#pragma once

#include "aggregate/item_labels.hpp"

namespace allot::aggregate {

/// Per item, per class. An item without labels gets `unlabelled`.
std::vector<double> vote_shares(const ItemLabels& items, std::span<const double> unlabelled);

/// Answers every item by model::best_class.
ClassAnswers with_answers(std::vector<double> probabilities, const model::LabelSet& labels);

}  // namespace allot::aggregate
