// A label set grouped by item, the order in which the methods walk through it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "allot/aggregate/class_answers.hpp"

namespace allot::aggregate {

/// 8 bytes per label and 4 per item. Labels of an item keep their order.
class ItemLabels {
 public:
  struct Entry {
    std::uint32_t worker;
    std::uint32_t label;
  };

  explicit ItemLabels(const model::LabelSet& labels);

  std::uint32_t item_count() const { return static_cast<std::uint32_t>(begin_.size() - 1); }
  std::span<const Entry> of(std::uint32_t item) const {
    return {entries_.data() + begin_[item], begin_[item + 1] - begin_[item]};
  }

 private:
  std::vector<std::uint64_t> begin_;
  std::vector<Entry> entries_;
};

/// Throws std::invalid_argument if an item, worker or class lies outside the counts of the set.
/// Refuses sets without items or classes, and tables of more than 16 GiB (`numbers` in all).
Result<void> check_size(std::string_view method, const model::LabelSet& labels, double numbers);

/// Refuses sets that do not have exactly two classes.
Result<void> check_binary(std::string_view method, const model::LabelSet& labels);

/// Refuses sets with fewer than two classes.
Result<void> check_several(std::string_view method, const model::LabelSet& labels);

/// The share of each class among all labels; equal shares if there are none.
std::vector<double> class_shares(const model::LabelSet& labels);

/// Per item, per class. An item without labels gets `unlabelled`.
std::vector<double> vote_shares(const ItemLabels& items, std::span<const double> unlabelled);

/// Answers every item by model::best_class.
ClassAnswers with_answers(std::vector<double> probabilities, const model::LabelSet& labels);

/// Workers are as reliable as their labels agree with the answers.
Aggregation by_agreement(ClassAnswers answers, const model::LabelSet& labels);

}  // namespace allot::aggregate
