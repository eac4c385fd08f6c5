// Labels by worker, as refits read them, and counts of the labels of known items.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/base/ids.hpp"

namespace allot::model {

/// `Class` is Label for binary items, else the number of the class.
template <typename Class>
struct LabelOfItem {
  std::uint32_t item;
  Class label;
};
using WorkerLabel = LabelOfItem<Label>;
using WorkerClassLabel = LabelOfItem<std::uint32_t>;
using LabelsByWorker = std::vector<std::vector<WorkerLabel>>;
using MulticlassLabelsByWorker = std::vector<std::vector<WorkerClassLabel>>;

/// One table of counts per worker, with a row per true class. Workers beyond the last one who gave
/// such a label have none.
class KnownLabels {
 public:
  explicit KnownLabels(std::uint32_t class_count) : classes_(class_count) {}

  void record(std::uint32_t worker, std::uint32_t truth, std::uint32_t label) {
    if (counts_.size() < (worker + 1) * table_) counts_.resize((worker + 1) * table_, 0);
    ++counts_[place(worker, truth, label)];
  }

  /// Replaces one of the labels; returns false if there is none.
  bool revise(std::uint32_t worker, std::uint32_t truth, std::uint32_t before,
              std::uint32_t label) {
    if (of(worker).empty() || counts_[place(worker, truth, before)] == 0) return false;
    --counts_[place(worker, truth, before)];
    ++counts_[place(worker, truth, label)];
    return true;
  }

  /// The worker's table; empty if there is none.
  std::span<const std::uint32_t> of(std::size_t worker) const {
    if ((worker + 1) * table_ > counts_.size()) return {};
    return {&counts_[worker * table_], table_};
  }

  void save(ByteWriter& to) const { to.array(counts_); }
  void load(ByteReader& from) { from.array(counts_); }

 private:
  std::size_t place(std::uint32_t worker, std::uint32_t truth, std::uint32_t label) const {
    return worker * table_ + truth * classes_ + label;
  }

  std::size_t classes_, table_ = classes_ * classes_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace allot::model
