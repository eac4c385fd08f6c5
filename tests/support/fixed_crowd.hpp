// A crowd whose workers are known: their labels move items only.
#pragma once

#include <vector>

#include "allot/model/crowd.hpp"

namespace allot::test {

class FixedCrowd final : public model::Crowd {
 public:
  FixedCrowd(std::vector<model::ItemState> items, const std::vector<model::Channel>& workers)
      : Crowd(std::move(items), {}) {
    for (const model::Channel& channel : workers) {
      const auto [s, t] = channel;
      workers_.push_back({channel, s * s, s * t, t * t});
    }
  }

  bool record(ItemId item, WorkerId worker, Label label) override {
    model::ItemState& belief = items_[position(item)];
    belief = after(belief, workers_[position(worker)].mean, label);
    return false;
  }

  void record_known(WorkerId, Label, Label) override {}
  void revise(ItemId, WorkerId, Label) override {}
  void revise_known(WorkerId, Label, Label, Label) override {}
  void grow(std::uint32_t, std::uint32_t, std::span<const model::Prior>) override {}
  void save(ByteWriter&) const override {}
  void load(ByteReader&) override {}

  std::vector<model::ItemState> settled() const override { return items_; }
};

}  // namespace allot::test
