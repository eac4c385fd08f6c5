#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/every_processor.hpp"
#include "model/binary_fits.hpp"
#include "model/feature_strength.hpp"

namespace allot::model {
namespace {

/// Sums in lanes, in an order that does not depend on the processor.
constexpr std::size_t kLanes = WorkerGrid::kPart;
using Lanes = std::array<double, kLanes>;

double sum(const Lanes& lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

double probability(double log_odds) { return clamp_probability(1 / (1 + std::exp(-log_odds))); }

/// The likelihood of a label at each point is x + y s + z t.
struct LinearLikelihood {
  double x, y, z;

  LinearLikelihood(double positive, Label label)
      : x(label == Label::positive ? 1 - positive : positive),
        y(label == Label::positive ? positive : -positive),
        z(label == Label::positive ? positive - 1 : 1 - positive) {}
};

/// Multiplies weights by a likelihood, which is stored too; returns the sum of the weights.
ALLOT_EVERY_PROCESSOR
double multiply(const double* s, const double* t, std::size_t size, LinearLikelihood by,
                double* likelihood, double* weights) {
  Lanes total{};
  for (std::size_t k = 0; k < size; k += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t i = k + lane;
      likelihood[i] = by.x + by.y * s[i] + by.z * t[i];
      weights[i] *= likelihood[i];
      total[lane] += weights[i];
    }
  }
  return sum(total);
}

struct Cavity {
  double weight, sensitivity, specificity;  // sums over the points
};

/// Moments without one label, whose likelihood is divided out again.
ALLOT_EVERY_PROCESSOR
Cavity without(const double* s, const double* t, std::size_t size, const double* likelihood,
               const double* weights) {
  Lanes weight{}, sensitivity{}, specificity{};
  for (std::size_t k = 0; k < size; k += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t i = k + lane;
      const double rest = weights[i] / likelihood[i];
      weight[lane] += rest;
      sensitivity[lane] += rest * s[i];
      specificity[lane] += rest * t[i];
    }
  }
  return {sum(weight), sum(sensitivity), sum(specificity)};
}

double message(const Cavity& rest, Label label) {
  return label == Label::positive ? std::log(rest.sensitivity / (rest.weight - rest.specificity))
                                  : std::log((rest.weight - rest.sensitivity) / rest.specificity);
}

double message(const Channel& mean, Label label) {
  const auto [u, v] = mean.likelihood(label);
  return std::log(u / v);
}

constexpr int kShareSteps = 5, kRegressionSteps = 5;  // per round

class Propagation {
 public:
  Propagation(const LabelsByWorker& labels, std::uint32_t item_count,
              const ByWorker<WorkerGrid>& grids, double prior_share, const KnownLabels& known)
      : labels_(labels),
        grids_(grids),
        points_(labels.empty() ? 0 : grids[0].size()),
        known_(known),
        positive_share_(labels, item_count, prior_share),
        prior_share_(prior_share),
        share_(prior_share),
        log_odds_(item_count),
        positive_(item_count),
        weights_(labels.size() * points_) {
    std::size_t most = 0;
    for (std::size_t worker = 0; worker < labels.size(); ++worker) {
      double* const weights = &weights_[worker * points_];
      start(worker, weights);
      const Channel mean = grids[worker].state(weights).mean;
      for (const WorkerLabel& given : labels[worker]) {
        messages_.push_back(message(mean, given.label));
      }
      most = std::max(most, labels[worker].size());
    }
    likelihoods_.resize(most * points_);
    gather();
  }

  /// Lets features say what an item is before its labels, if the labels favour them. Workers stay
  /// as they are: those who happen to agree with the features must not look more reliable for it.
  void use_features(const FitFeatures& features, int rounds) {
    auto regression = regression_of(features);
    if (!regression) return;
    std::vector<double> probabilities(2 * log_odds_.size()), from_labels = log_odds_;
    for (double& odds : from_labels) odds -= model::log_odds(share_);
    for (int i = 0; i < rounds; ++i) {
      for (const std::uint32_t item : positive_share_.labelled()) {
        probabilities[2 * item + 1] = probability(log_odds_[item]);
        probabilities[2 * item] = 1 - probabilities[2 * item + 1];
      }
      regression->climb(probabilities, kRegressionSteps);
      const std::vector<double> predicted = regression->log_predictions();
      for (std::size_t item = 0; item < log_odds_.size(); ++item)
        log_odds_[item] = from_labels[item] + predicted[2 * item + 1] - predicted[2 * item];
    }
  }

  void round() {
    learn_share();
    std::size_t first = 0;
    for (std::size_t worker = 0; worker < labels_.size(); ++worker) {
      pass_through(worker, first);
      first += labels_[worker].size();
    }
    gather();
  }

  GridFit result() && { return {std::move(log_odds_), std::move(weights_), share_}; }

 private:
  /// Moves the share close to the one that agrees with the items after these messages.
  void learn_share() {
    const double before = model::log_odds(share_);
    double step = 0;
    for (int i = 0; i < kShareSteps; ++i) {
      for (const std::uint32_t item : positive_share_.labelled()) {
        positive_[item] = probability(log_odds_[item] + step);
      }
      share_ = positive_share_(positive_);
      step = model::log_odds(share_) - before;
    }
    for (double& odds : log_odds_) odds += step;
  }

  /// A regression on the features; none if there are none, or the labels do not favour them.
  std::optional<MulticlassRegression> regression_of(const FitFeatures& features) const {
    const std::vector<std::uint32_t>& labelled = positive_share_.labelled();
    if (!features.design || labelled.empty()) return {};
    const HeldShares held{{1 - prior_share_, prior_share_}, positive_share_.pseudo_items()};
    if (features.weight_variance) {
      const RegressionPrior prior{held.shares, *features.weight_variance};
      return MulticlassRegression(*features.design, prior, labelled);
    }
    std::vector<double> log_likelihoods(2 * log_odds_.size());
    for (const std::uint32_t item : labelled)
      log_likelihoods[2 * item + 1] = log_odds_[item] - model::log_odds(share_);
    return learned_regression(*features.design, held, labelled, log_likelihoods);
  }

  /// Updates the messages from a worker, whose first label has the number `first`.
  void pass_through(std::size_t worker, std::size_t first) {
    const std::size_t size = points_;
    const WorkerGrid& grid = grids_[worker];
    const double *s = grid.sensitivity.data(), *t = grid.specificity.data();
    double* const weights = &weights_[worker * size];
    start(worker, weights);
    const auto& given = labels_[worker];
    double total = 1;
    for (std::size_t n = 0; n < given.size(); ++n) {
      const double positive = probability(log_odds_[given[n].item] - messages_[first + n]);
      total = multiply(s, t, size, {positive, given[n].label}, &likelihoods_[n * size], weights);
      if (total < 1e-100) scale(weights, total);
    }
    scale(weights, total);
    for (std::size_t n = 0; n < given.size(); ++n) {
      messages_[first + n] =
          message(without(s, t, size, &likelihoods_[n * size], weights), given[n].label);
    }
  }

  /// The weights of the prior, times the likelihood of what the worker inherits and of each label
  /// of a known item.
  void start(std::size_t worker, double* weights) const {
    std::ranges::copy(grids_[worker].weight, weights);
    absorb_known(grids_[worker], known_.inherited(worker), weights);
    absorb_known(grids_[worker], known_.of(worker), weights);
  }

  void scale(double* weights, double& total) const {
    for (std::size_t k = 0; k < points_; ++k) weights[k] /= total;
    total = 1;
  }

  void gather() {
    std::ranges::fill(log_odds_, model::log_odds(share_));
    std::size_t n = 0;
    for (const auto& given : labels_) {
      for (const WorkerLabel& label : given) log_odds_[label.item] += messages_[n++];
    }
  }

  const LabelsByWorker& labels_;
  const ByWorker<WorkerGrid>& grids_;
  const std::size_t points_;  // of each grid
  const KnownLabels& known_;
  const PositiveShare positive_share_;
  const double prior_share_;
  double share_;
  std::vector<double> log_odds_, positive_;
  std::vector<double> messages_;     // worker to item, by worker and label
  std::vector<double> weights_;      // by worker and point
  std::vector<double> likelihoods_;  // of the current worker, by label and point
};

}  // namespace

GridFit belief_propagation(const LabelsByWorker& labels, std::uint32_t item_count,
                           const ByWorker<WorkerGrid>& grids, double prior_share, int rounds,
                           const KnownLabels& known, const FitFeatures& features) {
  Propagation propagation(labels, item_count, grids, prior_share, known);
  for (int i = 0; i < rounds; ++i) propagation.round();
  propagation.use_features(features, rounds);
  return std::move(propagation).result();
}

void absorb(const WorkerGrid& grid, double positive, Label label, double* weights) {
  std::vector<double> likelihood(grid.size());
  const double total = multiply(grid.sensitivity.data(), grid.specificity.data(), grid.size(),
                                {clamp_probability(positive), label}, likelihood.data(), weights);
  for (std::size_t k = 0; k < grid.size(); ++k) weights[k] /= total;
}

namespace {

template <typename Count>
void absorb_counts(const WorkerGrid& grid, std::span<const Count> counts, double* weights) {
  if (counts.empty()) return;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < grid.size(); ++k) {
    const double s = grid.sensitivity[k], t = grid.specificity[k];
    weights[k] = std::log(weights[k]) + counts[0] * std::log(t) + counts[1] * std::log(1 - t) +
                 counts[2] * std::log(1 - s) + counts[3] * std::log(s);
    most = std::max(most, weights[k]);
  }
  double total = 0;
  for (std::size_t k = 0; k < grid.size(); ++k) total += weights[k] = std::exp(weights[k] - most);
  for (std::size_t k = 0; k < grid.size(); ++k) weights[k] /= total;
}

}  // namespace

void absorb_known(const WorkerGrid& grid, std::span<const std::uint32_t> counts, double* weights) {
  absorb_counts(grid, counts, weights);
}

void absorb_known(const WorkerGrid& grid, std::span<const double> counts, double* weights) {
  absorb_counts(grid, counts, weights);
}

}  // namespace allot::model
