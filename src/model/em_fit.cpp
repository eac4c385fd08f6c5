#include <algorithm>
#include <cmath>

#include "model/binary_fits.hpp"

namespace allot::model {
namespace {

class Fit {
 public:
  Fit(const LabelsByWorker& labels, std::uint32_t item_count, Coins coins,
      const ByWorker<math::BetaShape>& worker_prior, double prior_share, const KnownLabels& known)
      : labels_(labels),
        known_(known),
        coins_(coins),
        worker_prior_(worker_prior),
        positive_share_(labels, item_count, prior_share),
        positive_(item_count),
        result_{std::vector<double>(item_count), std::vector<math::BetaShape>(labels.size()),
                std::vector<math::BetaShape>(labels.size())} {
    start_from_votes();
  }

  void round() {
    for (std::size_t j = 0; j < labels_.size(); ++j) fit_worker(j);
    fit_items();
  }

  EmFit result() && { return std::move(result_); }

 private:
  /// Starts from the share of positive votes, with one vote divided between both classes.
  void start_from_votes() {
    std::vector<double> votes(positive_.size(), 1);
    std::ranges::fill(positive_, 0.5);
    for (const auto& given : labels_) {
      for (const auto& [item, label] : given) {
        positive_[item] += label == Label::positive;
        votes[item] += 1;
      }
    }
    for (std::size_t i = 0; i < votes.size(); ++i) positive_[i] /= votes[i];
  }

  void fit_worker(std::size_t worker) {
    const math::BetaShape& prior = worker_prior_[worker];
    math::BetaShape s = prior, t = prior;
    if (const auto counts = known_.of(worker); !counts.empty()) {
      t = {t.a + counts[0], t.b + counts[1]};
      s = {s.a + counts[3], s.b + counts[2]};
    }
    for (const auto& [item, label] : labels_[worker]) {
      const double p = positive_[item];
      (label == Label::positive ? s.a : s.b) += p;
      (label == Label::negative ? t.a : t.b) += 1 - p;
    }
    if (coins_ == Coins::one) {
      s = {s.a + t.a - prior.a, s.b + t.b - prior.b};
      t = s;
    }
    result_.sensitivity[worker] = s;
    result_.specificity[worker] = t;
  }

  void fit_items() {
    std::ranges::fill(result_.log_odds, log_odds(positive_share_(positive_)));
    for (std::size_t j = 0; j < labels_.size(); ++j) {
      const Channel mean{clamp_probability(result_.sensitivity[j].mean()),
                         clamp_probability(result_.specificity[j].mean())};
      const auto weight = [&](Label label) {
        const auto [u, v] = mean.likelihood(label);
        return std::log(u / v);
      };
      const double if_positive = weight(Label::positive), if_negative = weight(Label::negative);
      for (const auto& [item, label] : labels_[j]) {
        result_.log_odds[item] += label == Label::positive ? if_positive : if_negative;
      }
    }
    for (std::size_t i = 0; i < positive_.size(); ++i) {
      positive_[i] = 1 / (1 + std::exp(-result_.log_odds[i]));
    }
  }

  const LabelsByWorker& labels_;
  const KnownLabels& known_;
  const Coins coins_;
  const ByWorker<math::BetaShape>& worker_prior_;
  const PositiveShare positive_share_;
  std::vector<double> positive_;
  EmFit result_;
};

}  // namespace

EmFit em_fit(const LabelsByWorker& labels, std::uint32_t item_count, Coins coins,
             const ByWorker<math::BetaShape>& worker_prior, double prior_share, int rounds,
             const KnownLabels& known) {
  Fit fit(labels, item_count, coins, worker_prior, prior_share, known);
  for (int i = 0; i < rounds; ++i) fit.round();
  return std::move(fit).result();
}

}  // namespace allot::model
