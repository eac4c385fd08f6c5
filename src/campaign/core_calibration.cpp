// What known answers tell a campaign about its stated probabilities.
#include <map>

#include "allot/model/best_class.hpp"
#include "campaign/core.hpp"

namespace allot::campaign {

std::vector<model::KnownAnswer> Core::known_answers() const {
  std::vector<model::KnownAnswer> drawn, others;
  const auto known = [](std::span<const double> stated, std::uint32_t labels, ClassId truth) {
    return model::KnownAnswer{
        .probabilities = stated, .labels = labels, .right = model::best_class(stated) == truth};
  };
  for (const auto& [item, verdict] : state_.verdicts().all()) {
    if (verdict.stated.empty()) continue;
    (verdict.drawn ? drawn : others)
        .push_back(known(verdict.stated, verdict.labels, verdict.answer));
  }
  if (drawn.size() >= kEnoughDrawn) return drawn;
  for (const auto& [item, stated, labels] : state_.gold_reading().beliefs)
    others.push_back(known(stated, labels, *state_.items().gold(item)));
  others.insert(others.end(), drawn.begin(), drawn.end());
  return others;
}

const model::CalibrationMap& Core::calibration() {
  if (calibration_) return *calibration_;
  return calibration_.emplace(static_cast<std::uint32_t>(state_.options().classes.size()),
                              known_answers());
}

double Core::calibrated_error(ItemId item) {
  if (state_.items().known(item)) return 0;
  return 1 -
         calibration().answer_probability(crowd().probabilities(item), state_.items().labels(item));
}

/// Verdicts stay known. Workers are judged by the labels alone otherwise: beliefs by workers whom
/// these very gold items taught would be too good.
std::vector<GoldBelief> Core::gold_beliefs() const {
  Advisor advisor(state_.options(), state_.shared_groups(), state_.reads_confidences());
  advisor.add_items(state_.item_count(), design_with(state_, {}).value());
  for (std::uint32_t j = 0; j < state_.worker_count(); ++j) advisor.add_worker(kUnitPrice);
  std::map<ItemId, std::uint32_t> gold_labels;
  for (std::uint32_t i = 0; i < state_.item_count(); ++i) {
    for (const Share& share : state_.pairs().shares(ItemId{i})) {
      if (share.status != PairStatus::labelled || !counts(share.worker)) continue;
      const policy::Pair pair{ItemId{i}, share.worker};
      if (state_.items().gold(pair.item)) ++gold_labels[pair.item];
      advisor.hold(pair);
      advisor.record(pair, share.label, state_.items().reviewed(pair.item), share.confidence);
    }
  }
  const std::vector<double> all = advisor.desk().crowd().final_probabilities();
  const std::size_t classes = state_.options().classes.size();
  std::vector<GoldBelief> beliefs;
  for (const auto& [item, labels] : gold_labels) {
    const double* const first = &all[position(item) * classes];
    beliefs.push_back({item, {first, first + classes}, labels});
  }
  return beliefs;
}

}  // namespace allot::campaign
