// A multi-class crowd with given beliefs. A label moves the item, and the worker's table a little.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "allot/model/multiclass_crowd.hpp"

namespace allot::test {

class FixedMulticlassCrowd final : public model::MulticlassCrowd {
 public:
  FixedMulticlassCrowd(std::uint32_t classes, bool soft, std::vector<double> items,
                       std::vector<double> tables)
      : MulticlassCrowd(classes, soft) {
    items_ = std::move(items);
    tables_ = std::move(tables);
  }

  /// Replaces all beliefs, as a refit does.
  void refit(std::vector<double> items, std::vector<double> tables) {
    items_ = std::move(items);
    tables_ = std::move(tables);
  }

  bool record(ItemId item, WorkerId worker, ClassId label) override {
    const std::size_t y = position(label);
    const std::span<double> p(&items_[std::size_t{position(item)} * classes_], classes_);
    double* const table = &tables_[std::size_t{position(worker)} * classes_ * classes_];
    if (soft_) {
      p[y] += 1;
    } else {
      std::vector<double> joint;
      for (std::size_t k = 0; k < classes_; ++k) joint.push_back(p[k] * table[k * classes_ + y]);
      const double all = std::accumulate(joint.begin(), joint.end(), 0.0);
      if (all > 0) std::ranges::transform(joint, p.begin(), [&](double one) { return one / all; });
    }
    const auto row = static_cast<std::size_t>(std::ranges::max_element(p) - p.begin()) * classes_;
    for (std::size_t k = 0; k < classes_; ++k) table[row + k] *= 0.9;
    table[row + y] += 0.1;
    return false;
  }

  void record_known(WorkerId, ClassId, ClassId) override {}
  void revise(ItemId, WorkerId, ClassId, float) override {}
  void revise_known(WorkerId, ClassId, ClassId, ClassId) override {}
  bool review(std::span<const model::KnownChange>) override { return false; }
  /// New items are as the first one, new workers too.
  void grow(std::uint32_t item_count, std::uint32_t worker_count,
            std::shared_ptr<const model::Design>, std::span<const model::Prior>) override {
    for (std::size_t at = items_.size(); at < std::size_t{item_count} * classes_; ++at)
      items_.push_back(items_[at % classes_]);
    const std::size_t cells = std::size_t{classes_} * classes_;
    for (std::size_t at = tables_.size(); at < worker_count * cells; ++at)
      tables_.push_back(tables_[at % cells]);
  }
  void save(ByteWriter&) const override {}
  void load(ByteReader&) override {}
  std::vector<double> final_probabilities() const override { return items_; }
};

}  // namespace allot::test
