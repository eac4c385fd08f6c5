#include "model/confidence_fit.hpp"

#include <algorithm>
#include <cmath>

namespace allot::model {
namespace {

/// Strengths to choose from: one meaning for all workers, then meanings that are more and more the
/// workers' own.
constexpr std::array<double, 3> kMeaningStrengths{1e4, 40, 10};
/// Nats by which confidences must improve the held-out likelihood.
constexpr double kLeastConfidenceGain = 3;
/// Labels that the shares of bins are worth for the crowd.
constexpr double kSharedBinStart = 20;
/// Confidences that a worker needs for quantiles of their own.
constexpr std::size_t kFewestForQuantiles = 8;
/// Keeps chances above 0 where rounding would make them negative.
constexpr double kLeastBinChance = 1e-12;

}  // namespace

double ConfidenceReading::factor(float confidence) const {
  const auto bin = std::ranges::upper_bound(edges, confidence) - edges.begin();
  return odds[static_cast<std::size_t>(bin)];
}

double FittedConfidences::factor(std::uint32_t worker, float confidence) const {
  if (strength == 0 || !has_confidence(confidence)) return 1;
  const std::size_t last = readings.size() - 1;
  return readings[std::min<std::size_t>(worker, last)].factor(confidence);
}

void ConfidenceFit::Counts::add(std::size_t bin, double is_right) {
  right[bin] += is_right;
  wrong[bin] += 1 - is_right;
  all_right += is_right;
  all_wrong += 1 - is_right;
}

bool ConfidenceFit::any(const MulticlassLabelsByWorker& labels) {
  return std::ranges::any_of(labels, [](const auto& given) {
    return std::ranges::any_of(
        given, [](const WorkerClassLabel& one) { return has_confidence(one.confidence); });
  });
}

ConfidenceFit::Edges ConfidenceFit::edges_of(std::vector<float> confidences) {
  std::ranges::sort(confidences);
  Edges edges;
  for (std::size_t k = 1; k < kConfidenceBins; ++k)
    edges[k - 1] = confidences[k * confidences.size() / kConfidenceBins];
  return edges;
}

std::size_t ConfidenceFit::bin_of(std::size_t worker, float confidence) const {
  const Edges& edges = edges_[worker];
  const auto bin =
      static_cast<std::size_t>(std::ranges::upper_bound(edges, confidence) - edges.begin());
  return turned_[worker] ? kConfidenceBins - 1 - bin : bin;
}

ConfidenceFit::ConfidenceFit(const MulticlassLabelsByWorker& labels, std::uint32_t classes)
    : labels_(labels),
      classes_(classes),
      edges_(labels.size() + 1),
      counts_(labels.size()),
      turned_(labels.size() + 1) {
  std::vector<float> all;
  std::vector<std::vector<float>> by_worker(labels.size());
  for (std::size_t j = 0; j < labels.size(); ++j) {
    for (const WorkerClassLabel& given : labels[j])
      if (has_confidence(given.confidence)) by_worker[j].push_back(given.confidence);
    all.insert(all.end(), by_worker[j].begin(), by_worker[j].end());
  }
  edges_.back() = edges_of(std::move(all));
  for (std::size_t j = 0; j < labels.size(); ++j) {
    const bool own = by_worker[j].size() >= kFewestForQuantiles;
    edges_[j] = own ? edges_of(std::move(by_worker[j])) : edges_.back();
  }
}

void ConfidenceFit::count(const std::vector<double>& probabilities) {
  std::ranges::fill(counts_, Counts());
  crowd_ = {};
  for (std::size_t j = 0; j < labels_.size(); ++j) {
    for (const WorkerClassLabel& given : labels_[j]) {
      if (!has_confidence(given.confidence)) continue;
      const std::size_t bin = bin_of(j, given.confidence);
      counts_[j].add(bin, is_right(given, probabilities));
      crowd_.add(bin, is_right(given, probabilities));
    }
  }
  const double all = crowd_.all_right + crowd_.all_wrong;
  for (std::size_t b = 0; b < kConfidenceBins; ++b)
    shares_[b] = (crowd_.right[b] + crowd_.wrong[b]) / all;
}

ConfidenceFit::Chances ConfidenceFit::chances(const Counts& worker, std::size_t bin,
                                              double strength, double taken_right,
                                              double taken_wrong) const {
  const auto chance = [&](const Bins& crowd, double in_crowd, const Bins& own, double in_own,
                          double taken) {
    const double shared = (kSharedBinStart * shares_[bin] + crowd[bin] - taken) /
                          (kSharedBinStart + in_crowd - taken);
    return std::max((strength * shared + own[bin] - taken) / (strength + in_own - taken),
                    kLeastBinChance);
  };
  return {chance(crowd_.right, crowd_.all_right, worker.right, worker.all_right, taken_right),
          chance(crowd_.wrong, crowd_.all_wrong, worker.wrong, worker.all_wrong, taken_wrong)};
}

double ConfidenceFit::gain(const std::vector<double>& probabilities, double strength) const {
  double sum = 0;
  for (std::size_t j = 0; j < labels_.size(); ++j) {
    const Counts& worker = counts_[j];
    for (const WorkerClassLabel& given : labels_[j]) {
      if (!has_confidence(given.confidence)) continue;
      const std::size_t bin = bin_of(j, given.confidence);
      const double r = is_right(given, probabilities);
      const auto [right, wrong] = chances(worker, bin, strength, r, 1 - r);
      const double share = (strength * shares_[bin] + worker.right[bin] + worker.wrong[bin]) /
                           (strength + worker.all_right + worker.all_wrong);
      sum += std::log((r * right + (1 - r) * wrong) / share);
    }
  }
  return sum;
}

void ConfidenceFit::turn(const std::vector<double>& probabilities) {
  for (std::size_t j = 0; j < labels_.size(); ++j) {
    double labels = 0, bins = 0, right = 0, products = 0;
    for (const WorkerClassLabel& given : labels_[j]) {
      if (!has_confidence(given.confidence)) continue;
      const auto bin = static_cast<double>(bin_of(j, given.confidence));
      const double r = is_right(given, probabilities);
      labels += 1;
      bins += bin;
      right += r;
      products += bin * r;
    }
    turned_[j] = labels * products < bins * right;
  }
}

bool ConfidenceFit::choose(const std::vector<double>& probabilities) {
  const std::vector<bool> as_given(turned_.size(), false);
  turned_ = as_given;
  count(probabilities);
  turn(probabilities);
  const std::vector<bool> turned = turned_;
  const auto workers = std::ranges::count_if(
      counts_, [](const Counts& one) { return one.all_right + one.all_wrong > 0; });
  std::vector<bool> best_turned = as_given;
  double best = kLeastConfidenceGain;
  for (const std::vector<bool>& order : {as_given, turned}) {
    turned_ = order;
    count(probabilities);
    for (const double strength : kMeaningStrengths) {
      const double cost = order == as_given ? 0 : std::log(2) * static_cast<double>(workers);
      const double here = gain(probabilities, strength) - cost;
      if (here <= best) continue;
      best = here;
      strength_ = strength;
      best_turned = order;
    }
  }
  turned_ = best_turned;
  return is_used();
}

void ConfidenceFit::add_labels(const std::vector<double>& probabilities,
                               std::vector<double>& log_probabilities) {
  count(probabilities);
  for (std::size_t j = 0; j < labels_.size(); ++j) {
    for (const WorkerClassLabel& given : labels_[j]) {
      if (!has_confidence(given.confidence)) continue;
      const double r = is_right(given, probabilities);
      const auto [right, wrong] =
          chances(counts_[j], bin_of(j, given.confidence), strength_, r, 1 - r);
      log_probabilities[std::size_t{given.item} * classes_ + given.label] +=
          std::log(right / wrong);
    }
  }
}

FittedConfidences ConfidenceFit::result(const std::vector<double>& probabilities) {
  if (!is_used()) return {};
  count(probabilities);
  const bool own = strength_ < kMeaningStrengths.front() || std::ranges::count(turned_, true) > 0;
  FittedConfidences result{strength_, own, {}};
  for (std::size_t j = 0; j <= labels_.size(); ++j) {
    const Counts worker = j < labels_.size() ? counts_[j] : Counts();
    ConfidenceReading reading{edges_[j], {}};
    for (std::size_t b = 0; b < kConfidenceBins; ++b) {
      const std::size_t bin = turned_[j] ? kConfidenceBins - 1 - b : b;
      const auto [right, wrong] = chances(worker, bin, strength_, 0, 0);
      reading.odds[b] = right / wrong;
    }
    result.readings.push_back(reading);
  }
  return result;
}

}  // namespace allot::model
