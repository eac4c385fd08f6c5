#include "sim/crowd_desk.hpp"

#include <algorithm>
#include <numeric>

#include "allot/math/dirichlet_win.hpp"
#include "allot/policy/label_worth.hpp"

namespace allot::sim {
namespace {

using aggregate::ClassAnswers;
using policy::Offers;
using policy::Pair;

std::unique_ptr<model::Crowd> make(const model::CrowdOptions& options, const Offers& offers) {
  return model::make_crowd(options, offers.item_count(), offers.worker_count());
}
std::unique_ptr<model::MulticlassCrowd> make(const model::MulticlassCrowdOptions& options,
                                             const Offers& offers) {
  return model::make_multiclass_crowd(options, offers.item_count(), offers.worker_count());
}

bool absorb(model::Crowd& crowd, const Pair& pair, ClassId label) {
  return crowd.record(pair.item, pair.worker, model::to_label(label));
}
bool absorb(model::MulticlassCrowd& crowd, const Pair& pair, ClassId label) {
  return crowd.record(pair.item, pair.worker, label);
}

ClassAnswers answers_of(const model::Crowd& crowd) {
  ClassAnswers result{2, {}, {}};
  for (const model::ItemState& item : crowd.settled()) {
    const Label best = answer(item);
    const double error = error_probability(item);
    result.answers.push_back(model::to_class(best));
    result.probabilities.push_back(best == Label::negative ? 1 - error : error);
    result.probabilities.push_back(best == Label::positive ? 1 - error : error);
  }
  return result;
}

ClassAnswers answers_of(const model::MulticlassCrowd& crowd) {
  ClassAnswers result{crowd.class_count(), {}, crowd.settled()};
  for (std::uint32_t i = 0; i < crowd.item_count(); ++i) {
    const std::span<const double> shares = result.of(ItemId{i});
    // Of classes that only rounding tells apart, the smallest [CLZ sec:multi].
    const double most = std::ranges::max(shares) * (1 - 1e-9);
    const auto best =
        std::ranges::find_if(shares, [&](double p) { return p >= most; }) - shares.begin();
    result.answers.push_back(ClassId{static_cast<std::uint32_t>(best)});
  }
  return result;
}

double error_of(const model::Crowd& crowd, ItemId item) { return error_probability(crowd[item]); }

/// All classes but the best.
double error_of(const model::MulticlassCrowd& crowd, ItemId item) {
  std::vector<double> shares(crowd[item].begin(), crowd[item].end());
  if (crowd.soft()) shares = math::win_outlook(crowd[item]).win;
  std::ranges::sort(shares);
  shares.pop_back();
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

std::unique_ptr<policy::PairsWorthAsking> worth_of(const model::Crowd& crowd, const Offers& offers,
                                                   Money worth) {
  return std::make_unique<policy::PairsWorthAsking>(crowd, offers, worth);
}
/// Has no form for several classes; sim::run has refused it.
std::unique_ptr<policy::PairsWorthAsking> worth_of(const model::MulticlassCrowd&, const Offers&,
                                                   Money) {
  return nullptr;
}

template <typename Crowd>
class Desk final : public CrowdDesk {
 public:
  Desk(std::unique_ptr<Crowd> crowd, const policy::PairPolicy& policy,
       const policy::StopRules& rules, Offers& offers)
      : offers_(offers), crowd_(std::move(crowd)), chooser_(policy.start(*crowd_, offers)) {
    if (!rules.any()) return;
    certainty_.emplace(rules, offers.item_count());
    if (rules.worth) worth_ = worth_of(*crowd_, offers, *rules.worth);
    look_at_all();
  }

  Pair choose(Rng& rng) override { return chooser_->choose(rng).value(); }
  ItemId choose(WorkerId worker, Rng& rng) override {
    return chooser_->choose(worker, rng).value();
  }

  void record(const Pair& pair, ClassId label) override {
    const bool all = absorb(*crowd_, pair, label);
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
    if (!certainty_->set(item, error_of(*crowd_, item))) return;
    offers_.exclude(item);
    chooser_->exclude(item);
  }
  void look_at_all() {
    for (std::uint32_t i = 0; i < offers_.item_count(); ++i) look_at(ItemId{i});
  }

  Offers& offers_;
  const std::unique_ptr<Crowd> crowd_;
  const std::unique_ptr<policy::PairChooser> chooser_;
  std::optional<policy::Certainty> certainty_;  // none without rules
  std::unique_ptr<policy::PairsWorthAsking> worth_;
};

}  // namespace

std::unique_ptr<CrowdDesk> open_desk(const CrowdExperiment& experiment,
                                     const policy::PairPolicy& policy, Offers& offers) {
  if (experiment.multiclass_beliefs) {
    return std::make_unique<Desk<model::MulticlassCrowd>>(
        make(*experiment.multiclass_beliefs, offers), policy, experiment.stop, offers);
  }
  return std::make_unique<Desk<model::Crowd>>(make(experiment.beliefs, offers), policy,
                                              experiment.stop, offers);
}

}  // namespace allot::sim
