#include "sim/crowd_world.hpp"

namespace allot::sim {
namespace {

using policy::Offers;
using policy::Pair;

class SimulatedWorld final : public CrowdWorld {
 public:
  SimulatedWorld(const SimulatedCrowd& crowd, std::uint64_t seed, std::uint64_t run)
      : seed_(seed),
        run_(run),
        truth_(model::soft_labels(crowd.truth, crowd.item_count, seed, run)),
        reliability_(model::soft_labels(crowd.reliability, crowd.worker_count, seed, run,
                                        Rng::Purpose::reliability)) {}

  Offers offers() const override {
    return Offers::everyone(static_cast<std::uint32_t>(truth_.size()),
                            static_cast<std::uint32_t>(reliability_.size()));
  }

  /// [CLZ eq:Z_1]
  Label label(const Pair& pair) const override {
    const double theta = truth_[position(pair.item)], rho = reliability_[position(pair.worker)];
    const Rng labels(seed_, Rng::Purpose::label, run_, position(pair.item));
    const bool positive =
        unit_interval(labels.at(position(pair.worker))) < theta * rho + (1 - theta) * (1 - rho);
    return positive ? Label::positive : Label::negative;
  }

  std::optional<ClassId> truth(std::uint32_t item) const override {
    return ClassId{truth_[item] >= 0.5 ? 1U : 0U};
  }

 private:
  const std::uint64_t seed_, run_;
  const std::vector<double> truth_, reliability_;
};

class RecordedWorld final : public CrowdWorld {
 public:
  explicit RecordedWorld(const Recording& recording) : recording_(recording) {
    labels_.reserve(recording.labels.labels.size());
    for (const auto& [item, worker, label] : recording.labels.labels) {
      labels_.emplace(key({item, worker}), to_label(label));
    }
  }

  Offers offers() const override {
    std::vector<Pair> pairs;
    for (const auto& [item, worker, label] : recording_.labels.labels) {
      pairs.push_back({item, worker});
    }
    return Offers::recorded(recording_.labels.item_count, recording_.labels.worker_count, pairs);
  }
  Label label(const Pair& pair) const override { return labels_.at(key(pair)); }
  std::optional<ClassId> truth(std::uint32_t item) const override { return recording_.truth[item]; }

 private:
  static std::uint64_t key(const Pair& pair) {
    return std::uint64_t{position(pair.item)} << 32 | position(pair.worker);
  }

  const Recording& recording_;
  std::unordered_map<std::uint64_t, Label> labels_;
};

template <typename FromSimulated, typename FromRecorded>
auto of_world(const CrowdExperiment& experiment, FromSimulated simulated, FromRecorded recorded) {
  const auto* crowd = std::get_if<SimulatedCrowd>(&experiment.world);
  return crowd ? simulated(*crowd)
               : recorded(*std::get<std::shared_ptr<const Recording>>(experiment.world));
}

}  // namespace

std::unique_ptr<CrowdWorld> make_world(const CrowdExperiment& experiment, std::uint64_t run) {
  return of_world(
      experiment,
      [&](const SimulatedCrowd& crowd) -> std::unique_ptr<CrowdWorld> {
        return std::make_unique<SimulatedWorld>(crowd, experiment.seed, run);
      },
      [](const Recording& recording) -> std::unique_ptr<CrowdWorld> {
        return std::make_unique<RecordedWorld>(recording);
      });
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
