#include "model/spammers.hpp"

#include <algorithm>
#include <cmath>

namespace allot::model {
namespace {

/// The logarithm of the odds, before any label, that a worker's labels do not depend on the item.
constexpr double kLogOdds = -7;
/// Labels' worth of even shares in a worker's shares.
constexpr double kEvenLabels = 1;
/// Workers with a smaller probability are read through their table alone.
constexpr double kLeastProbability = 0.05;
/// Workers of one label: the fewest labels, the share of the label, and their share of all labels.
constexpr double kFewest = 5, kOneLabel = 0.9, kManyLabels = 0.25;

}  // namespace

Spammers::Spammers(const MulticlassLabelsByWorker& labels, std::size_t classes,
                   const std::vector<bool>& known)
    : classes_(classes),
      given_(labels.size() * classes, kEvenLabels / static_cast<double>(classes)),
      count_(labels.size(), kEvenLabels),
      probability_(labels.size()) {
  for (std::size_t j = 0; j < known.size(); ++j) probability_[j] = known[j] ? 1 : 0;
  for (std::size_t j = 0; j < labels.size(); ++j) {
    for (const WorkerClassLabel& one : labels[j]) ++given_[j * classes + one.label];
    count_[j] += static_cast<double>(labels[j].size());
  }
}

double Spammers::log_share_apart(std::size_t worker, std::uint32_t label) const {
  return std::log((given_[worker * classes_ + label] - 1) / (count_[worker] - 1));
}

void Spammers::judge(std::size_t worker, double log_evidence) {
  const double probability = 1 / (1 + std::exp(-kLogOdds - log_evidence));
  probability_[worker] = probability >= kLeastProbability ? probability : 0;
}

bool Spammers::any() const {
  return std::ranges::any_of(probability_, [](double p) { return p > 0; });
}

std::vector<bool> workers_of_one_label(const MulticlassLabelsByWorker& labels,
                                       std::size_t classes) {
  std::vector<bool> result(labels.size());
  double theirs = 0, all = 0;
  for (std::size_t j = 0; j < labels.size(); ++j) {
    const auto count = static_cast<double>(labels[j].size());
    std::vector<double> given(classes);
    for (const WorkerClassLabel& one : labels[j]) ++given[one.label];
    result[j] = count >= kFewest && std::ranges::max(given) >= kOneLabel * count;
    theirs += result[j] ? count : 0;
    all += count;
  }
  return theirs >= kManyLabels * all && theirs < all ? result : std::vector<bool>();
}

}  // namespace allot::model
