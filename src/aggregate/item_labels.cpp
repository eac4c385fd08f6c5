#include "aggregate/item_labels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/check.hpp"
#include "allot/base/text.hpp"
#include "allot/model/best_class.hpp"

namespace allot::aggregate {

using model::GivenLabel;
using model::LabelSet;

ItemLabels::ItemLabels(const LabelSet& labels)
    : begin_(std::size_t{labels.item_count} + 1), entries_(labels.labels.size()) {
  for (const GivenLabel& label : labels.labels) ++begin_[position(label.item) + 1];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  std::vector<std::uint64_t> next(begin_.begin(), begin_.end() - 1);
  for (const GivenLabel& label : labels.labels)
    entries_[next[position(label.item)]++] = {position(label.worker), position(label.label)};
}

Result<void> check_size(std::string_view method, const LabelSet& labels, double numbers) {
  for (const auto& [item, worker, label] : labels.labels) {
    require(position(item) < labels.item_count, method, "item", position(item),
            "expected less than item_count");
    require(position(worker) < labels.worker_count, method, "worker", position(worker),
            "expected less than worker_count");
    require(position(label) < labels.class_count, method, "label", position(label),
            "expected less than class_count");
  }
  if (labels.item_count == 0 || labels.class_count == 0) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("method '{}' has no labels to work on ({}, {}); expected at least one item "
                    "and one class",
                    method, count_text(labels.item_count, "item"),
                    count_text(labels.class_count, "class", "classes")));
  }
  constexpr double kMostBytes = 16.0 * (1 << 30);
  if (numbers * sizeof(double) <= kMostBytes) return {};
  return fail(
      ErrorCode::too_large,
      fmt::format(
          "method '{}' needs {:.0f} GiB for {}, {} and {}; expected at most 16 GiB (check the "
          "column of labels)",
          method, numbers * sizeof(double) / (1 << 30), count_text(labels.item_count, "item"),
          count_text(labels.worker_count, "worker"),
          count_text(labels.class_count, "class", "classes")));
}

Result<void> check_binary(std::string_view method, const LabelSet& labels) {
  if (labels.class_count == 2) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("method '{}' needs two classes, but the labels have {}; expected pooled, "
                          "majority, posterior, one-coin or dawid-skene",
                          method, labels.class_count));
}

Result<void> check_several(std::string_view method, const LabelSet& labels) {
  if (labels.class_count >= 2) return {};
  return fail(
      ErrorCode::invalid_argument,
      fmt::format("method '{}' needs two or more classes, but the labels have {}; use --classes "
                  "to name classes without labels",
                  method, labels.class_count));
}

std::vector<double> class_shares(const LabelSet& labels) {
  std::vector<double> shares(labels.class_count);
  for (const GivenLabel& label : labels.labels) ++shares[position(label.label)];
  const auto count = static_cast<double>(labels.labels.size());
  for (double& share : shares) share = count > 0 ? share / count : 1.0 / labels.class_count;
  return shares;
}

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

Aggregation by_agreement(ClassAnswers answers, const model::LabelSet& labels) {
  Aggregation result{std::move(answers), {}, {}};
  result.workers.reliability = agreement(labels, result.answers);
  return result;
}

}  // namespace allot::aggregate
