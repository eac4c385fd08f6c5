#include "sim/worlds.hpp"

#include <algorithm>
#include <cmath>
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
      : items_(simulation, seed, run),
        reliability_(reliabilities(simulation, seed, run)),
        groups_(simulation.groups),
        repeats_(simulation.repeats),
        confidence_gap_(simulation.confidence_gap) {
    std::vector<double> members;
    for (std::size_t j = 0; j < groups_.size(); ++j) {
      if (groups_[j] == 0) continue;
      view_.resize(std::max<std::size_t>(view_.size(), groups_[j]));
      members.resize(view_.size());
      view_[groups_[j] - 1] += reliability_[j];
      members[groups_[j] - 1] += 1;
    }
    for (std::size_t g = 0; g < view_.size(); ++g) view_[g] /= members[g];
  }

  Offers offers() const override {
    return Offers::everyone(static_cast<std::uint32_t>(truth().size()),
                            static_cast<std::uint32_t>(reliability_.size()));
  }
  ClassId label(const Pair& pair) const override {
    const std::uint32_t worker = position(pair.worker);
    if (!groups_.empty() && groups_[worker] != 0) {
      // The labels of an item are numbered by worker; behind them come the views of groups, then
      // the draws that decide who repeats them.
      const auto workers = static_cast<std::uint32_t>(reliability_.size());
      const auto draws = workers + static_cast<std::uint32_t>(view_.size()) + 1;
      if (items_.draw(pair.item, draws + worker) < repeats_[worker])
        return items_.label(pair.item, workers + groups_[worker], view_[groups_[worker] - 1]);
    }
    return items_.label(pair.item, worker, reliability_[worker]);
  }
  /// The stated log-odds are 1 for a wrong label, more by the gap for a right one, and vary by a
  /// logistic number.
  float confidence(const Pair& pair) const override {
    if (!confidence_gap_) return model::kNoConfidence;
    // These draws come behind those of `label`.
    const auto before = static_cast<std::uint32_t>(2 * reliability_.size() + view_.size() + 1);
    const double u = items_.draw(pair.item, before + position(pair.worker));
    const bool right = label(pair) == truth()[position(pair.item)];
    const double odds = std::exp(1 + (right ? *confidence_gap_ : 0)) * u / (1 - u);
    return static_cast<float>(odds / (1 + odds));
  }
  std::span<const std::optional<ClassId>> truth() const override { return items_.truth(); }

 private:
  const SimulatedItems items_;
  const std::vector<double> reliability_;
  const std::vector<std::uint32_t> groups_;  // by worker
  const std::vector<double> repeats_;        // by worker
  const std::optional<double> confidence_gap_;
  std::vector<double> view_;  // reliability of the view, by group
};

class RecordedWorld final : public CrowdWorld {
 public:
  explicit RecordedWorld(const Recording& recording)
      : recording_(recording), offers_(offers_of(recording.labels)) {
    const model::LabelSet& set = recording.labels;
    labels_.reserve(set.labels.size());
    for (std::uint32_t n = 0; n < set.labels.size(); ++n)
      labels_.emplace(key({set.labels[n].item, set.labels[n].worker}), n);
  }

  Offers offers() const override { return offers_; }
  ClassId label(const Pair& pair) const override {
    return recording_.labels.labels[labels_.at(key(pair))].label;
  }
  float confidence(const Pair& pair) const override {
    return recording_.labels.confidence(labels_.at(key(pair)));
  }
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
  std::unordered_map<std::uint64_t, std::uint32_t> labels_;  // places in the recording
};

}  // namespace

SimulatedItems::SimulatedItems(const Simulation& simulation, std::uint64_t seed, std::uint64_t run)
    : seed_(seed), run_(run) {
  const auto& classes = simulation.class_truth;
  theta_ = classes ? model::soft_labels(*classes, simulation.item_count, seed, run)
                   : model::soft_labels(simulation.truth, simulation.item_count, seed, run);
  if (classes) shares_ = classes->class_count();
  for (auto theta = theta_.begin(); theta != theta_.end(); theta += shares_) {
    const auto largest = std::max_element(theta, theta + shares_) - theta;
    truth_.emplace_back(classes
                            ? ClassId{static_cast<std::uint32_t>(largest)}
                            : model::to_class(*theta >= 0.5 ? Label::positive : Label::negative));
  }
}

double SimulatedItems::draw(ItemId item, std::uint32_t nth) const {
  return unit_interval(Rng(seed_, Rng::Purpose::label, run_, position(item)).at(nth));
}

ClassId SimulatedItems::label(ItemId item, std::uint32_t nth, double rho) const {
  const double* theta = &theta_[std::size_t{position(item)} * shares_];
  double left = draw(item, nth);
  if (shares_ == 1) {  // [CLZ eq:Z_1]
    const bool positive = left < *theta * rho + (1 - *theta) * (1 - rho);
    return model::to_class(positive ? Label::positive : Label::negative);
  }
  // Pr(label y) = theta_y rho + (1 - theta_y) (1 - rho) / (C - 1).
  std::uint32_t y = 0;
  for (; y + 1 < shares_; ++y) {
    left -= theta[y] * rho + (1 - theta[y]) * (1 - rho) / (shares_ - 1);
    if (left < 0) break;
  }
  return ClassId{y};
}

RecordedItems::RecordedItems(const Recording& recording, std::uint64_t seed, std::uint64_t run)
    : recording_(recording), labels_(recording.labels.item_count) {
  for (const auto& [item, worker, label] : recording.labels.labels)
    labels_[position(item)].push_back(label);
  for (std::uint32_t item = 0; item < labels_.size(); ++item) {
    Rng rng(seed, Rng::Purpose::label, run, item);
    std::vector<ClassId>& labels = labels_[item];
    for (std::size_t n = labels.size(); n > 1; --n) std::swap(labels[n - 1], labels[below(rng, n)]);
  }
}

Worlds::Worlds(const Experiment& experiment) : experiment_(experiment) {
  if (const auto* played_back = std::get_if<std::shared_ptr<const Recording>>(&experiment.world)) {
    recorded_ = std::make_shared<const RecordedWorld>(**played_back);
  }
}

std::shared_ptr<const CrowdWorld> Worlds::of_run(std::uint64_t run) const {
  if (recorded_) return recorded_;
  return std::make_shared<const SimulatedWorld>(std::get<Simulation>(experiment_.world),
                                                experiment_.seed, run);
}

}  // namespace allot::sim
