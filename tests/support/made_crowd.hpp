// Labels of made crowds, as pooled fits read them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "allot/base/rng.hpp"
#include "model/multiclass_fit.hpp"

namespace allot::test {

inline model::MulticlassFitOptions pooled_options(std::uint32_t items, std::uint32_t classes) {
  return {.item_count = items,
          .tables = {classes, model::Coins::two, {3, 0.9}, {}, model::pooled_row_strength(classes)},
          .shares = std::vector<double>(classes, 1.0 / classes),
          .design = nullptr,
          .weight_variance = 0,
          .pooled = true,
          .learn_mean = true};
}

/// Workers who label items at random, and err evenly.
struct Crowd {
  std::uint32_t items = 400, classes = 2, workers = 20, labels_per_item = 5;
  double common = 0.5;  // share of class 0
  double reliability = 0.7;
  std::uint32_t spammers = 0;  // workers who always say class 0
  std::uint32_t leaners = 0;   // workers who say it in half of the cases, whatever the truth
};

struct Made {
  model::MulticlassLabelsByWorker labels;
  std::vector<std::uint32_t> truth;
  model::MulticlassFitOptions options;

  double accuracy(const std::vector<double>& probabilities) const {
    const std::size_t classes = options.shares.size();
    double right = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const double* const p = &probabilities[i * classes];
      const double most = *std::max_element(p, p + classes);
      const auto ties = std::count_if(p, p + classes, [&](double x) { return x > most - 1e-12; });
      if (p[truth[i]] > most - 1e-12) right += 1 / static_cast<double>(ties);
    }
    return right / static_cast<double>(truth.size());
  }

  /// Of the vote, which is right by chance where votes are equal.
  double vote() const {
    const std::size_t classes = options.shares.size();
    std::vector<double> votes(truth.size() * classes);
    for (const auto& given : labels)
      for (const auto& [item, label, confidence] : given) votes[item * classes + label] += 1;
    return accuracy(votes);
  }
};

inline Made make(const Crowd& crowd, std::uint64_t seed) {
  Rng rng(seed);
  Made made{model::MulticlassLabelsByWorker(crowd.workers),
            {},
            pooled_options(crowd.items, crowd.classes)};
  for (std::uint32_t i = 0; i < crowd.items; ++i) {
    const auto rare = static_cast<std::uint32_t>(below(rng, crowd.classes - 1)) + 1;
    const std::uint32_t truth = uniform(rng) < crowd.common ? 0 : rare;
    made.truth.push_back(truth);
    const auto first = static_cast<std::uint32_t>(below(rng, crowd.workers));
    for (std::uint32_t n = 0; n < crowd.labels_per_item; ++n) {
      const std::uint32_t worker = (first + n) % crowd.workers;
      const auto other = static_cast<std::uint32_t>(below(rng, crowd.classes - 1)) + 1;
      const std::uint32_t honest =
          uniform(rng) < crowd.reliability ? truth : (truth + other) % crowd.classes;
      const bool leans = worker < crowd.leaners && uniform(rng) < 0.5;
      made.labels[worker].push_back({i, worker < crowd.spammers || leans ? 0 : honest});
    }
  }
  return made;
}

}  // namespace allot::test
