// A label set as the methods walk through it: item by item.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "allot/aggregate/class_answers.hpp"

namespace allot::aggregate {

/// 8 bytes a label and 4 an item. Labels of an item keep the order in which they came.
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

/// Throws std::invalid_argument if an item, worker or class lies outside the counts of the set;
/// refuses sets without items or classes, and those whose tables (`numbers` in all) would not fit
/// 16 GiB.
Result<void> check_size(std::string_view method, const model::LabelSet& labels, double numbers);

/// Refuses sets that have not two classes.
Result<void> check_binary(std::string_view method, const model::LabelSet& labels);

/// Refuses sets that have fewer than two classes.
Result<void> check_several(std::string_view method, const model::LabelSet& labels);

/// The share of each class among all labels; equal shares if there are none.
std::vector<double> class_shares(const model::LabelSet& labels);

/// The class of the largest value; of those within a relative 1e-12 of it the one with the smallest
/// share, and of these the first.
ClassId best_class(std::span<const double> values, std::span<const double> shares);

}  // namespace allot::aggregate
