#include "sim/crowd_world.hpp"

#include <algorithm>
#include <unordered_map>

namespace allot::sim {
namespace {

using policy::Offers;
using policy::Pair;

std::vector<double> reliabilities(const Simulation& simulation, std::uint64_t seed,
                                  std::uint64_t run) {
  constexpr auto kPurpose = Rng::Purpose::reliability;
  return simulation.reliabilities.empty()
             ? model::soft_labels(simulation.reliability, simulation.worker_count, seed, run,
                                  kPurpose)
             : model::soft_labels(simulation.reliabilities, seed, run, kPurpose);
}

class SimulatedWorld final : public CrowdWorld {
 public:
  SimulatedWorld(const Simulation& simulation, std::uint64_t seed, std::uint64_t run)
      : seed_(seed),
        run_(run),
        theta_(model::soft_labels(simulation.truth, simulation.item_count, seed, run)),
        reliability_(reliabilities(simulation, seed, run)) {
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
  SimulatedClassWorld(const Simulation& simulation, std::uint64_t seed, std::uint64_t run)
      : seed_(seed),
        run_(run),
        classes_(simulation.class_truth->class_count()),
        theta_(model::soft_labels(*simulation.class_truth, simulation.item_count, seed, run)),
        reliability_(reliabilities(simulation, seed, run)) {
    for (std::uint32_t i = 0; i < simulation.item_count; ++i) {
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

}  // namespace

Worlds::Worlds(const Experiment& experiment) : experiment_(experiment) {
  if (const auto* played_back = std::get_if<std::shared_ptr<const Recording>>(&experiment.world)) {
    recorded_ = std::make_shared<const RecordedWorld>(**played_back);
  }
}

std::shared_ptr<const CrowdWorld> Worlds::of_run(std::uint64_t run) const {
  if (recorded_) return recorded_;
  const auto& simulation = std::get<Simulation>(experiment_.world);
  if (simulation.class_truth) {
    return std::make_shared<const SimulatedClassWorld>(simulation, experiment_.seed, run);
  }
  return std::make_shared<const SimulatedWorld>(simulation, experiment_.seed, run);
}

}  // namespace allot::sim
