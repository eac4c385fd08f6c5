#include "sim/crowd_desk.hpp"

#include <algorithm>

#include "allot/policy/label_worth.hpp"

namespace allot::sim {
namespace {

using aggregate::ClassAnswers;
using policy::Offers;
using policy::Pair;

ClassAnswers answers_of(const model::Crowd& crowd) {
  ClassAnswers result{crowd.class_count(), {}, crowd.final_probabilities()};
  for (std::uint32_t i = 0; i < crowd.item_count(); ++i) {
    const std::span<const double> shares = result.of(ItemId{i});
    if (crowd.binary() != nullptr) {
      result.answers.push_back(ClassId{shares[1] >= shares[0] ? 1U : 0U});
      continue;
    }
    // Of classes that only rounding tells apart, the smallest [CLZ sec:multi].
    const double most = std::ranges::max(shares) * (1 - 1e-9);
    const auto best =
        std::ranges::find_if(shares, [&](double p) { return p >= most; }) - shares.begin();
    result.answers.push_back(ClassId{static_cast<std::uint32_t>(best)});
  }
  return result;
}

class Desk final : public CrowdDesk {
 public:
  Desk(std::unique_ptr<model::Crowd> crowd, const policy::PairPolicy& policy,
       const policy::StopRules& rules, Offers& offers)
      : offers_(offers), crowd_(std::move(crowd)), chooser_(policy.start(*crowd_, offers)) {
    if (!rules.any()) return;
    certainty_.emplace(rules, offers.item_count());
    if (rules.worth)
      worth_ = std::make_unique<policy::PairsWorthAsking>(*crowd_, offers, *rules.worth);
    look_at_all();
  }

  Pair choose(Rng& rng) override { return chooser_->choose(rng).value(); }
  ItemId choose(WorkerId worker, Rng& rng) override {
    return chooser_->choose(worker, rng).value();
  }

  void record(const Pair& pair, ClassId label) override {
    const bool all = crowd_->record(pair.item, pair.worker, label);
    offers_.close(pair);
    chooser_->refresh(pair, all);
    if (worth_) all ? worth_->refresh_all() : worth_->refresh(pair);
    if (!certainty_) return;
    if (all) {
      look_at_all();
    } else {
      look_at(pair.item);
    }
  }

  void exclude(WorkerId worker) override {
    offers_.exclude(worker);
    chooser_->exclude(worker);
  }

  std::optional<policy::StopReason> reason() override {
    if (!certainty_) return {};
    if (const auto sure = certainty_->reason()) return sure;
    if (worth_ && offers_.left() > 0 && !worth_->any()) return policy::StopReason::worth;
    return {};
  }

  ClassAnswers answers() const override { return answers_of(*crowd_); }

 private:
  void look_at(ItemId item) {
    if (!certainty_->set(item, crowd_->error(item))) return;
    offers_.exclude(item);
    chooser_->exclude(item);
  }
  void look_at_all() {
    for (std::uint32_t i = 0; i < offers_.item_count(); ++i) look_at(ItemId{i});
  }

  Offers& offers_;
  const std::unique_ptr<model::Crowd> crowd_;
  const std::unique_ptr<policy::PairChooser> chooser_;
  std::optional<policy::Certainty> certainty_;  // none without rules
  std::unique_ptr<policy::PairsWorthAsking> worth_;
};

}  // namespace

std::unique_ptr<CrowdDesk> open_desk(const CrowdExperiment& experiment,
                                     const policy::PairPolicy& policy, Offers& offers) {
  return std::make_unique<Desk>(
      model::make_crowd(experiment.beliefs, offers.item_count(), offers.worker_count()), policy,
      experiment.stop, offers);
}

}  // namespace allot::sim
