#include "aggregate/vote_shares.hpp"

#include <algorithm>

#include "allot/model/best_class.hpp"

namespace allot::aggregate {

std::vector<double> vote_shares(const ItemLabels& items, std::span<const double> unlabelled) {
  const std::size_t classes = unlabelled.size();
  std::vector<double> shares(items.item_count() * classes);
  for (std::uint32_t i = 0; i < items.item_count(); ++i) {
    const std::span<double> row(shares.data() + i * classes, classes);
    for (const auto& [worker, label] : items.of(i)) ++row[label];
    const auto count = static_cast<double>(items.of(i).size());
    for (double& share : row) share /= count;
    if (count == 0) std::ranges::copy(unlabelled, row.begin());
  }
  return shares;
}

ClassAnswers with_answers(std::vector<double> probabilities, const model::LabelSet& labels) {
  ClassAnswers answers{labels.class_count, {}, std::move(probabilities)};
  answers.answers.reserve(labels.item_count);
  for (std::uint32_t i = 0; i < labels.item_count; ++i)
    answers.answers.push_back(model::best_class(answers.of(ItemId{i})));
  return answers;
}

}  // namespace allot::aggregate
