// A crowd whose workers are known: their labels move items only.
#pragma once

#include <vector>

#include "allot/model/binary_crowd.hpp"
#include "allot/model/label_set.hpp"

namespace allot::test {

class FixedCrowd final : public model::BinaryCrowd {
 public:
  FixedCrowd(std::vector<model::ItemState> items, const std::vector<model::Channel>& workers)
      : BinaryCrowd(std::move(items), {}) {
    for (const model::Channel& channel : workers) {
      const auto [s, t] = channel;
      workers_.push_back({channel, s * s, s * t, t * t});
    }
  }

  bool record(ItemId item, WorkerId worker, ClassId label) override {
    model::ItemState& belief = items_[position(item)];
    belief = after(belief, workers_[position(worker)].mean, model::to_label(label));
    return false;
  }

  void record_known(WorkerId, ClassId, ClassId) override {}
  void revise(ItemId, WorkerId, ClassId, float) override {}
  void revise_known(WorkerId, ClassId, ClassId, ClassId) override {}
  bool review(std::span<const model::KnownChange>) override { return false; }
  void grow(std::uint32_t, std::uint32_t, std::shared_ptr<const model::Design>,
            std::span<const model::Prior>) override {}
  void save(ByteWriter&) const override {}
  void load(ByteReader&) override {}

  std::vector<double> final_probabilities() const override {
    return model::class_probabilities(items_);
  }
};

}  // namespace allot::test
