#include "model/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/scrambled.hpp"

namespace allot::model {
namespace {

constexpr std::uint32_t kParts = 4;
/// Predicted labels that are enough.
constexpr std::size_t kEnough = 50'000;
/// Contenders so far behind the best, in logarithms, are out.
constexpr double kHopeless = 25;

/// Numbers of items and workers that follow from who said what of which item, so that they do not
/// depend on the order of rows. Alike items, or workers, can have the same number.
struct Marks {
  std::vector<std::uint64_t> items, workers;
};

Marks marks_of(const MulticlassLabelsByWorker& labels, std::uint32_t item_count) {
  Marks marks{std::vector<std::uint64_t>(item_count), std::vector<std::uint64_t>(labels.size())};
  for (int round = 0; round < 2; ++round) {
    std::vector<std::uint64_t> items(item_count);
    for (std::size_t j = 0; j < labels.size(); ++j)
      for (const WorkerClassLabel& one : labels[j])
        items[one.item] += scrambled(marks.workers[j] + scrambled(one.label + 1));
    marks.items = std::move(items);
    for (std::size_t j = 0; j < labels.size(); ++j) {
      std::uint64_t sum = 0;
      for (const WorkerClassLabel& one : labels[j])
        sum += scrambled(marks.items[one.item] + scrambled(one.label + 1));
      marks.workers[j] = sum;
    }
  }
  return marks;
}

/// Positions in ascending order of their marks.
std::vector<std::size_t> in_order(const std::vector<std::uint64_t>& marks) {
  std::vector<std::size_t> positions(marks.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  std::ranges::stable_sort(positions, {}, [&](std::size_t n) { return marks[n]; });
  return positions;
}

/// The labels of one part, and all others.
struct SplitLabels {
  MulticlassLabelsByWorker hidden, others;
};

SplitLabels hide(std::uint32_t part, const std::vector<std::vector<std::uint8_t>>& parts,
                 const MulticlassLabelsByWorker& labels, const MulticlassFitOptions& options) {
  std::vector<std::uint32_t> count(options.item_count);
  for (const auto& given : labels)
    for (const WorkerClassLabel& one : given) ++count[one.item];
  SplitLabels result{MulticlassLabelsByWorker(labels.size()),
                     MulticlassLabelsByWorker(labels.size())};
  for (std::size_t j = 0; j < labels.size(); ++j) {
    const bool is_member = j < options.groups.size() && options.groups[j] > 0;
    for (std::size_t n = 0; n < labels[j].size(); ++n) {
      WorkerClassLabel one = labels[j][n];
      one.confidence = kNoConfidence;
      const bool is_hidden = parts[j][n] == part && !is_member && count[one.item] > 1;
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
      sum += std::log(fit.spammers ? fit.spammers->chance(j, label, chance) : chance);
    }
  }
  return sum;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> hidden_parts(const MulticlassLabelsByWorker& labels,
                                                    std::uint32_t item_count) {
  const Marks marks = marks_of(labels, item_count);
  // The first part of an item is drawn by its mark, and by its rank among items with the same mark.
  // Parts that have equal numbers of all kinds of items would be too much alike: a fit that takes
  // noise for structure would then find the same noise in the hidden part.
  std::vector<std::uint32_t> turn(item_count);
  std::uint64_t rank = 0, before = 0;
  for (const std::size_t item : in_order(marks.items)) {
    rank = marks.items[item] == before ? rank + 1 : 0;
    before = marks.items[item];
    turn[item] = static_cast<std::uint32_t>(scrambled(before + scrambled(rank + 1)) % kParts);
  }
  std::vector<std::vector<std::uint8_t>> parts(labels.size());
  for (const std::size_t j : in_order(marks.workers))
    for (const WorkerClassLabel& one : labels[j])
      parts[j].push_back(static_cast<std::uint8_t>(turn[one.item]++ % kParts));
  return parts;
}

void predict_hidden_labels(const MulticlassLabelsByWorker& labels, int rounds,
                           const KnownLabels* known, std::vector<Contender>& contenders) {
  const MulticlassFitOptions& any = contenders.front().options;
  const auto parts = hidden_parts(labels, any.item_count);
  std::size_t predicted = 0;
  for (std::uint32_t n = 0; n < kParts && predicted < kEnough; ++n) {
    const SplitLabels part = hide(n, parts, labels, any);
    const double best = std::ranges::max(contenders, {}, &Contender::log_evidence).log_evidence;
    for (auto& [options, log_evidence] : contenders) {
      log_evidence = log_evidence < best - kHopeless
                         ? -std::numeric_limits<double>::infinity()
                         : log_evidence + log_likelihood(part, options, rounds, known);
    }
    for (const auto& hidden : part.hidden) predicted += hidden.size();
  }
}

}  // namespace allot::model
