#include "sim/crowd_desk.hpp"

#include <algorithm>

namespace allot::sim {
namespace {

using aggregate::ClassAnswers;
using policy::Offers;
using policy::Pair;

std::unique_ptr<model::Crowd> make(const model::CrowdOptions& options, const Offers& offers) {
  return model::make_crowd(options, offers.item_count(), offers.worker_count());
}
std::unique_ptr<model::ClassCrowd> make(const model::ClassCrowdOptions& options,
                                        const Offers& offers) {
  return model::make_class_crowd(options, offers.item_count(), offers.worker_count());
}

bool absorb(model::Crowd& crowd, const Pair& pair, ClassId label) {
  return crowd.record(pair.item, pair.worker, model::to_label(label));
}
bool absorb(model::ClassCrowd& crowd, const Pair& pair, ClassId label) {
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

ClassAnswers answers_of(const model::ClassCrowd& crowd) {
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

template <typename Crowd>
class Desk final : public CrowdDesk {
 public:
  Desk(std::unique_ptr<Crowd> crowd, const policy::PairPolicy& policy, Offers& offers)
      : offers_(offers), crowd_(std::move(crowd)), chooser_(policy.start(*crowd_, offers)) {}

  Pair choose(Rng& rng) override { return chooser_->choose(rng).value(); }
  ItemId choose(WorkerId worker, Rng& rng) override {
    return chooser_->choose(worker, rng).value();
  }

  void record(const Pair& pair, ClassId label) override {
    const bool all = absorb(*crowd_, pair, label);
    offers_.close(pair);
    chooser_->refresh(pair, all);
  }

  ClassAnswers answers() const override { return answers_of(*crowd_); }

 private:
  Offers& offers_;
  const std::unique_ptr<Crowd> crowd_;
  const std::unique_ptr<policy::PairChooser> chooser_;
};

}  // namespace

std::unique_ptr<CrowdDesk> open_desk(const CrowdExperiment& experiment,
                                     const policy::PairPolicy& policy, Offers& offers) {
  if (experiment.class_beliefs) {
    return std::make_unique<Desk<model::ClassCrowd>>(make(*experiment.class_beliefs, offers),
                                                     policy, offers);
  }
  return std::make_unique<Desk<model::Crowd>>(make(experiment.beliefs, offers), policy, offers);
}

}  // namespace allot::sim
