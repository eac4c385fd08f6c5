#include "model/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace allot::model {
namespace {

constexpr std::uint32_t kParts = 4;
/// Contenders that are this far behind, in logarithms, are out.
constexpr double kOut = 20;
/// Predicted labels that are enough.
constexpr std::size_t kEnough = 20'000;

/// One of four numbers that has nothing to do with the order of items.
std::uint32_t first_part(std::uint32_t item) { return item * 2654435761U >> 30; }

/// The labels of one part, and all others.
struct SplitLabels {
  MulticlassLabelsByWorker hidden, others;
};

SplitLabels hide(std::uint32_t part, const MulticlassLabelsByWorker& labels,
                 const MulticlassFitOptions& options) {
  std::vector<std::uint32_t> turn(options.item_count), count(options.item_count);
  for (std::uint32_t i = 0; i < options.item_count; ++i) turn[i] = first_part(i);
  for (const auto& given : labels)
    for (const WorkerClassLabel& one : given) ++count[one.item];
  SplitLabels result{MulticlassLabelsByWorker(labels.size()),
                     MulticlassLabelsByWorker(labels.size())};
  for (std::size_t j = 0; j < labels.size(); ++j) {
    const bool is_member = j < options.groups.size() && options.groups[j] > 0;
    for (WorkerClassLabel one : labels[j]) {
      one.confidence = kNoConfidence;
      const bool in_part = turn[one.item]++ % kParts == part;
      const bool is_hidden = in_part && !is_member && count[one.item] > 1;
      (is_hidden ? result.hidden : result.others)[j].push_back(one);
    }
  }
  return result;
}

double log_likelihood(const SplitLabels& part, const MulticlassFitOptions& options, int rounds,
                      const KnownLabels* known) {
  const MulticlassFit fit = multiclass_fit(part.others, options, rounds, std::nullopt, known);
  const std::size_t classes = options.tables.class_count;
  std::vector<double> table(classes * classes);
  double sum = 0;
  for (std::size_t j = 0; j < part.hidden.size(); ++j) {
    if (part.hidden[j].empty()) continue;
    const math::BetaShape& prior =
        options.worker_priors ? (*options.worker_priors)[j] : fit.tables.prior;
    fit.tables.mean(prior, &fit.counts[j * table.size()], table.data());
    for (const auto& [item, label, confidence] : part.hidden[j]) {
      double chance = 0;
      for (std::size_t k = 0; k < classes; ++k)
        chance += fit.probabilities[item * classes + k] * table[k * classes + label];
      sum += std::log(chance);
    }
  }
  return sum;
}

}  // namespace

void predict_hidden_labels(const MulticlassLabelsByWorker& labels, int rounds,
                           const KnownLabels* known, std::vector<Contender>& contenders) {
  std::size_t predicted = 0, left = contenders.size();
  for (std::uint32_t n = 0; n < kParts && left > 1 && predicted < kEnough; ++n) {
    const SplitLabels part = hide(n, labels, contenders.front().options);
    double best = -std::numeric_limits<double>::infinity();
    for (auto& [options, log_evidence] : contenders) {
      if (std::isinf(log_evidence)) continue;
      log_evidence += log_likelihood(part, options, rounds, known);
      best = std::max(best, log_evidence);
    }
    left = 0;
    for (Contender& one : contenders) {
      if (one.log_evidence < best - kOut)
        one.log_evidence = -std::numeric_limits<double>::infinity();
      left += std::isinf(one.log_evidence) ? 0 : 1;
    }
    for (const auto& hidden : part.hidden) predicted += hidden.size();
  }
}

}  // namespace allot::model
