#include <algorithm>
#include <cmath>

#include "model/binary_fits.hpp"

namespace allot::model {
namespace {

/// The share of positive votes of each item, with one vote divided between both classes.
std::vector<double> vote_shares(const LabelsByWorker& labels, std::uint32_t item_count) {
  std::vector<double> positive(item_count, 0.5), votes(item_count, 1);
  for (const auto& given : labels) {
    for (const auto& [item, label] : given) {
      positive[item] += label == Label::positive;
      votes[item] += 1;
    }
  }
  for (std::size_t i = 0; i < votes.size(); ++i) positive[i] /= votes[i];
  return positive;
}

/// Adds counts as in KnownLabels.
void add_counts(auto counts, math::BetaShape& s, math::BetaShape& t) {
  if (counts.empty()) return;
  t = {t.a + counts[0], t.b + counts[1]};
  s = {s.a + counts[3], s.b + counts[2]};
}

CoinShapes fit_worker(const math::BetaShape& prior, Coins coins, const KnownLabels& known,
                      std::size_t worker, const std::vector<WorkerLabel>& labels,
                      const std::vector<double>& positive) {
  math::BetaShape s = prior, t = prior;
  add_counts(known.inherited(worker), s, t);
  add_counts(known.of(worker), s, t);
  for (const auto& [item, label] : labels) {
    const double p = positive[item];
    (label == Label::positive ? s.a : s.b) += p;
    (label == Label::negative ? t.a : t.b) += 1 - p;
  }
  if (coins == Coins::two) return {s, t};
  s = {s.a + t.a - prior.a, s.b + t.b - prior.b};
  return {s, s};
}

void add_labels(const std::vector<WorkerLabel>& labels, const CoinShapes& worker,
                std::vector<double>& log_odds) {
  const Channel mean{clamp_probability(worker.sensitivity.mean()),
                     clamp_probability(worker.specificity.mean())};
  const auto weight = [&](Label label) {
    const auto [u, v] = mean.likelihood(label);
    return std::log(u / v);
  };
  const double if_positive = weight(Label::positive), if_negative = weight(Label::negative);
  for (const auto& [item, label] : labels) {
    log_odds[item] += label == Label::positive ? if_positive : if_negative;
  }
}

}  // namespace

CoinShapes CoinShapes::inherited(const math::BetaShape& prior, Coins coins,
                                 std::span<const double> counts) {
  math::BetaShape s = prior, t = prior;
  add_counts(counts, s, t);
  if (coins == Coins::two) return {s, t};
  s = {s.a + t.a - prior.a, s.b + t.b - prior.b};
  return {s, s};
}

EmFit em_fit(const LabelsByWorker& labels, std::uint32_t item_count, Coins coins,
             const ByWorker<math::BetaShape>& worker_prior, double prior_share, int rounds,
             const KnownLabels& known) {
  const PositiveShare positive_share(labels, item_count, prior_share);
  std::vector<double> positive = vote_shares(labels, item_count);
  EmFit fit{std::vector<double>(item_count), std::vector<math::BetaShape>(labels.size()),
            std::vector<math::BetaShape>(labels.size())};
  for (int i = 0; i < rounds; ++i) {
    std::ranges::fill(fit.log_odds, log_odds(positive_share(positive)));
    for (std::size_t j = 0; j < labels.size(); ++j) {
      const CoinShapes worker = fit_worker(worker_prior[j], coins, known, j, labels[j], positive);
      add_labels(labels[j], worker, fit.log_odds);
      fit.sensitivity[j] = worker.sensitivity;
      fit.specificity[j] = worker.specificity;
    }
    std::ranges::transform(fit.log_odds, positive.begin(),
                           [](double odds) { return 1 / (1 + std::exp(-odds)); });
  }
  return fit;
}

}  // namespace allot::model
