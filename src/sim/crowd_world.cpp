#include "sim/crowd_world.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace allot::sim {
namespace {

using policy::Offers;
using policy::Pair;

std::vector<double> reliabilities(const SimulatedCrowd& crowd, std::uint64_t seed,
                                  std::uint64_t run) {
  constexpr auto kPurpose = Rng::Purpose::reliability;
  return crowd.reliabilities.empty()
             ? model::soft_labels(crowd.reliability, crowd.worker_count, seed, run, kPurpose)
             : model::soft_labels(crowd.reliabilities, seed, run, kPurpose);
}

class SimulatedWorld final : public CrowdWorld {
 public:
  SimulatedWorld(const SimulatedCrowd& crowd, std::uint64_t seed, std::uint64_t run)
      : seed_(seed),
        run_(run),
        theta_(model::soft_labels(crowd.truth, crowd.item_count, seed, run)),
        reliability_(reliabilities(crowd, seed, run)) {
    for (const double theta : theta_) {
      truth_.emplace_back(model::to_class(theta >= 0.5 ? Label::positive : Label::negative));
    }
  }

  Offers offers() const override {
    return Offers::everyone(static_cast<std::uint32_t>(theta_.size()),
                            static_cast<std::uint32_t>(reliability_.size()));
  }

  /// [CLZ eq:Z_1]
  ClassId label(const Pair& pair) const override {
    const double theta = theta_[position(pair.item)], rho = reliability_[position(pair.worker)];
    const Rng labels(seed_, Rng::Purpose::label, run_, position(pair.item));
    const bool positive =
        unit_interval(labels.at(position(pair.worker))) < theta * rho + (1 - theta) * (1 - rho);
    return model::to_class(positive ? Label::positive : Label::negative);
  }

  std::span<const std::optional<ClassId>> truth() const override { return truth_; }

 private:
  const std::uint64_t seed_, run_;
  const std::vector<double> theta_, reliability_;
  std::vector<std::optional<ClassId>> truth_;
};

class SimulatedClassWorld final : public CrowdWorld {
 public:
  SimulatedClassWorld(const SimulatedCrowd& crowd, std::uint64_t seed, std::uint64_t run)
      : seed_(seed),
        run_(run),
        classes_(crowd.class_truth->class_count()),
        theta_(model::soft_labels(*crowd.class_truth, crowd.item_count, seed, run)),
        reliability_(reliabilities(crowd, seed, run)) {
    for (std::uint32_t i = 0; i < crowd.item_count; ++i) {
      const auto first = theta_.begin() + std::ptrdiff_t{i} * classes_;
      const auto best = std::max_element(first, first + classes_) - first;
      truth_.emplace_back(ClassId{static_cast<std::uint32_t>(best)});
    }
  }

  Offers offers() const override {
    return Offers::everyone(static_cast<std::uint32_t>(truth_.size()),
                            static_cast<std::uint32_t>(reliability_.size()));
  }

  /// Pr(label y) = theta_y rho + (1 - theta_y) (1 - rho) / (C - 1).
  ClassId label(const Pair& pair) const override {
    const double* theta = &theta_[std::size_t{position(pair.item)} * classes_];
    const double rho = reliability_[position(pair.worker)];
    const Rng labels(seed_, Rng::Purpose::label, run_, position(pair.item));
    double left = unit_interval(labels.at(position(pair.worker)));
    std::uint32_t y = 0;
    for (; y + 1 < classes_; ++y) {
      left -= theta[y] * rho + (1 - theta[y]) * (1 - rho) / (classes_ - 1);
      if (left < 0) break;
    }
    return ClassId{y};
  }

  std::span<const std::optional<ClassId>> truth() const override { return truth_; }

 private:
  const std::uint64_t seed_, run_;
  const std::uint32_t classes_;
  const std::vector<double> theta_, reliability_;  // theta item by item, class by class
  std::vector<std::optional<ClassId>> truth_;
};

class RecordedWorld final : public CrowdWorld {
 public:
  explicit RecordedWorld(const Recording& recording)
      : recording_(recording), offers_(offers_of(recording.labels)) {
    labels_.reserve(recording.labels.labels.size());
    for (const auto& [item, worker, label] : recording.labels.labels) {
      labels_.emplace(key({item, worker}), label);
    }
  }

  Offers offers() const override { return offers_; }
  ClassId label(const Pair& pair) const override { return labels_.at(key(pair)); }
  std::span<const std::optional<ClassId>> truth() const override { return recording_.truth; }

 private:
  static Offers offers_of(const model::LabelSet& labels) {
    std::vector<Pair> pairs;
    for (const auto& [item, worker, label] : labels.labels) pairs.push_back({item, worker});
    return Offers::recorded(labels.item_count, labels.worker_count, pairs);
  }
  static std::uint64_t key(const Pair& pair) {
    return std::uint64_t{position(pair.item)} << 32 | position(pair.worker);
  }

  const Recording& recording_;
  const Offers offers_;
  std::unordered_map<std::uint64_t, ClassId> labels_;
};

template <typename FromSimulated, typename FromRecorded>
auto of_world(const CrowdExperiment& experiment, FromSimulated simulated, FromRecorded recorded) {
  const auto* crowd = std::get_if<SimulatedCrowd>(&experiment.world);
  return crowd ? simulated(*crowd)
               : recorded(*std::get<std::shared_ptr<const Recording>>(experiment.world));
}

}  // namespace

Worlds::Worlds(const CrowdExperiment& experiment) : experiment_(experiment) {
  if (const auto* played_back = std::get_if<std::shared_ptr<const Recording>>(&experiment.world)) {
    recorded_ = std::make_shared<const RecordedWorld>(**played_back);
  }
}

std::shared_ptr<const CrowdWorld> Worlds::of_run(std::uint64_t run) const {
  if (recorded_) return recorded_;
  const auto& crowd = std::get<SimulatedCrowd>(experiment_.world);
  if (crowd.class_truth) {
    return std::make_shared<const SimulatedClassWorld>(crowd, experiment_.seed, run);
  }
  return std::make_shared<const SimulatedWorld>(crowd, experiment_.seed, run);
}

std::uint32_t item_count(const CrowdExperiment& experiment) {
  return of_world(
      experiment, [](const SimulatedCrowd& crowd) { return crowd.item_count; },
      [](const Recording& recording) { return recording.labels.item_count; });
}

std::uint32_t worker_count(const CrowdExperiment& experiment) {
  return of_world(
      experiment, [](const SimulatedCrowd& crowd) { return crowd.worker_count; },
      [](const Recording& recording) { return recording.labels.worker_count; });
}

std::uint32_t class_count(const CrowdExperiment& experiment) {
  return of_world(
      experiment,
      [](const SimulatedCrowd& crowd) {
        return crowd.class_truth ? crowd.class_truth->class_count() : 2;
      },
      [](const Recording& recording) { return recording.labels.class_count; });
}

std::uint64_t pair_count(const CrowdExperiment& experiment) {
  return of_world(
      experiment,
      [](const SimulatedCrowd& crowd) {
        return std::uint64_t{crowd.item_count} * crowd.worker_count;
      },
      [](const Recording& recording) { return std::uint64_t{recording.labels.labels.size()}; });
}

namespace {

/// Pairs that each worker can be asked about.
std::vector<std::uint64_t> pairs_by_worker(const CrowdExperiment& experiment) {
  std::vector<std::uint64_t> pairs(worker_count(experiment));
  if (const auto* crowd = std::get_if<SimulatedCrowd>(&experiment.world)) {
    std::ranges::fill(pairs, crowd->item_count);
    return pairs;
  }
  const auto& recording = *std::get<std::shared_ptr<const Recording>>(experiment.world);
  for (const model::GivenLabel& one : recording.labels.labels) ++pairs[position(one.worker)];
  return pairs;
}

}  // namespace

std::vector<std::uint64_t> label_budgets(const CrowdExperiment& experiment) {
  if (experiment.money.empty()) return experiment.budgets;
  if (experiment.prices.empty()) {
    std::vector<std::uint64_t> budgets;
    for (const Money money : experiment.money)
      budgets.push_back(std::min(money.pays(kUnitPrice), pair_count(experiment)));
    return budgets;
  }
  // The cheapest first, each as often as there is something to ask.
  std::vector<std::uint32_t> cheapest(experiment.prices.size());
  std::iota(cheapest.begin(), cheapest.end(), 0U);
  std::ranges::sort(cheapest, {}, [&](std::uint32_t j) { return experiment.prices[j]; });
  const std::vector<std::uint64_t> pairs = pairs_by_worker(experiment);
  std::vector<std::uint64_t> budgets;
  for (Money money : experiment.money) {
    std::uint64_t labels = 0;
    for (const std::uint32_t j : cheapest) {
      const std::uint64_t bought = std::min(money.pays(experiment.prices[j]), pairs[j]);
      money -= experiment.prices[j] * bought;
      labels += bought;
    }
    budgets.push_back(labels);
  }
  return budgets;
}

}  // namespace allot::sim
