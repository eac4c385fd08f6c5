// Stop rules (policy/stop_rules.hpp) of runs where workers are alike.
//
// They need of a Model (sim/alike_runner.hpp)
//   error(beliefs, item)         the probability that the item's answer is wrong
//   kLabelsMoveAll               whether a label moves the beliefs about all items
//   worth(beliefs)               a pointer to policy::ItemsWorthAsking, null without that rule;
//                                only for models that know the worth of a label
//
// Cost: O(1) per label, O(items) where a label moves all beliefs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "allot/policy/label_worth.hpp"
#include "allot/policy/stop_rules.hpp"

namespace allot::sim {

template <typename Model, typename Beliefs>
class AlikeStops {
 public:
  /// Model and beliefs must outlive this object.
  AlikeStops(const policy::StopRules& rules, const Model& model, const Beliefs& beliefs)
      : model_(model),
        beliefs_(beliefs),
        certainty_(rules, beliefs.item_count()),
        open_(beliefs.item_count()),
        excluded_(beliefs.item_count()) {
    if constexpr (requires { model.worth(beliefs); }) worth_ = model.worth(beliefs);
    look_at_all();
  }

  bool is_settled(ItemId item) const { return certainty_.is_settled(item); }

  /// Tells that the item must not be asked again.
  void exclude(ItemId item) {
    if (excluded_[position(item)]) return;
    excluded_[position(item)] = true;
    --open_;
    if (worth_) worth_->exclude(item);
  }

  /// Must be called after a label of the item; `all` if it changed the beliefs about all items.
  /// Returns the items that it closed, which are excluded.
  std::span<const ItemId> after_label(ItemId item, bool all) {
    settled_.clear();
    if (worth_) {
      all ? worth_->refresh_all() : worth_->refresh(item);
    }
    if (all || Model::kLabelsMoveAll) {
      look_at_all();
    } else {
      look_at(item);
    }
    return settled_;
  }

  std::optional<policy::StopReason> reason() const {
    if (const auto sure = certainty_.reason()) return sure;
    if (open_ == 0) return policy::StopReason::exhausted;
    if (worth_ && !worth_->any()) return policy::StopReason::worth;
    return {};
  }

 private:
  void look_at(ItemId item) {
    if (!certainty_.set(item, model_.error(beliefs_, item))) return;
    settled_.push_back(item);
    exclude(item);
  }
  void look_at_all() {
    for (std::uint32_t i = 0; i < beliefs_.item_count(); ++i) look_at(ItemId{i});
  }

  const Model& model_;
  const Beliefs& beliefs_;
  policy::Certainty certainty_;
  std::unique_ptr<policy::ItemsWorthAsking> worth_;
  std::uint32_t open_;
  std::vector<bool> excluded_;
  std::vector<ItemId> settled_;  // by the last label
};

}  // namespace allot::sim
