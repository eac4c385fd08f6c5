#include "sim/crowd_world.hpp"

#include <unordered_map>

namespace allot::sim {
namespace {

using policy::Offers;
using policy::Pair;

class SimulatedWorld final : public CrowdWorld {
 public:
  SimulatedWorld(const SimulatedCrowd& crowd, std::uint64_t seed, std::uint64_t run)
      : seed_(seed),
        run_(run),
        theta_(model::soft_labels(crowd.truth, crowd.item_count, seed, run)),
        reliability_(model::soft_labels(crowd.reliability, crowd.worker_count, seed, run,
                                        Rng::Purpose::reliability)) {
    for (const double theta : theta_) {
      truth_.emplace_back(model::to_class(theta >= 0.5 ? Label::positive : Label::negative));
    }
  }

  Offers offers() const override {
    return Offers::everyone(static_cast<std::uint32_t>(theta_.size()),
                            static_cast<std::uint32_t>(reliability_.size()));
  }

  /// [CLZ eq:Z_1]
  Label label(const Pair& pair) const override {
    const double theta = theta_[position(pair.item)], rho = reliability_[position(pair.worker)];
    const Rng labels(seed_, Rng::Purpose::label, run_, position(pair.item));
    const bool positive =
        unit_interval(labels.at(position(pair.worker))) < theta * rho + (1 - theta) * (1 - rho);
    return positive ? Label::positive : Label::negative;
  }

  std::span<const std::optional<ClassId>> truth() const override { return truth_; }

 private:
  const std::uint64_t seed_, run_;
  const std::vector<double> theta_, reliability_;
  std::vector<std::optional<ClassId>> truth_;
};

class RecordedWorld final : public CrowdWorld {
 public:
  explicit RecordedWorld(const Recording& recording)
      : recording_(recording), offers_(offers_of(recording.labels)) {
    labels_.reserve(recording.labels.labels.size());
    for (const auto& [item, worker, label] : recording.labels.labels) {
      labels_.emplace(key({item, worker}), model::to_label(label));
    }
  }

  Offers offers() const override { return offers_; }
  Label label(const Pair& pair) const override { return labels_.at(key(pair)); }
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
  std::unordered_map<std::uint64_t, Label> labels_;
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
  return std::make_shared<const SimulatedWorld>(std::get<SimulatedCrowd>(experiment_.world),
                                                experiment_.seed, run);
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

std::uint64_t pair_count(const CrowdExperiment& experiment) {
  return of_world(
      experiment,
      [](const SimulatedCrowd& crowd) {
        return std::uint64_t{crowd.item_count} * crowd.worker_count;
      },
      [](const Recording& recording) { return std::uint64_t{recording.labels.labels.size()}; });
}

}  // namespace allot::sim
