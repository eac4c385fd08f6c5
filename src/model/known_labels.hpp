// Counts of the labels of known items: all that a fit needs of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allot/base/bytes.hpp"

namespace allot::model {

/// One table of counts per worker, with a row per true class. Workers beyond the last one who gave
/// such a label have none.
class KnownLabels {
 public:
  explicit KnownLabels(std::uint32_t class_count) : classes_(class_count) {}

  void record(std::uint32_t worker, std::uint32_t truth, std::uint32_t label) {
    const std::size_t table = std::size_t{classes_} * classes_;
    if (counts_.size() < (worker + 1) * table) counts_.resize((worker + 1) * table, 0);
    ++counts_[worker * table + truth * classes_ + label];
  }

  /// Replaces one of the labels; returns false if there is none.
  bool revise(std::uint32_t worker, std::uint32_t truth, std::uint32_t before,
              std::uint32_t label) {
    const std::size_t table = std::size_t{classes_} * classes_;
    if (of(worker).empty()) return false;
    std::uint32_t& count = counts_[worker * table + truth * classes_ + before];
    if (count == 0) return false;
    --count;
    ++counts_[worker * table + truth * classes_ + label];
    return true;
  }

  /// The worker's table; empty if there is none.
  std::span<const std::uint32_t> of(std::size_t worker) const {
    const std::size_t table = std::size_t{classes_} * classes_;
    if ((worker + 1) * table > counts_.size()) return {};
    return {&counts_[worker * table], table};
  }

  void save(ByteWriter& to) const { to.array(counts_); }
  void load(ByteReader& from) { from.array(counts_); }

 private:
  std::uint32_t classes_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace allot::model
