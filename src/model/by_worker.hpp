// Values and labels by worker, as refits read them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/base/ids.hpp"
#include "allot/model/label_set.hpp"
#include "allot/model/prior.hpp"

namespace allot::model {

/// A value per worker, where many workers share the same: stores the few different values once.
template <typename Value>
class ByWorker {
 public:
  /// One value for all workers.
  ByWorker(Value all) : values_{std::move(all)} {}  // NOLINT: a value for all is a value for each

  /// The value make(prior) of each worker's prior; workers without a prior of their own have
  /// `usual`. Calls make once per different prior. Cost: workers times different priors.
  ByWorker(std::span<const Prior> priors, const Prior& usual,
           std::function<Value(const Prior&)> make)
      : make_(std::move(make)), priors_{usual}, values_{make_(usual)} {
    add(0, priors);
  }

  /// Sets the priors of workers from `first` on; only for a ByWorker made from priors.
  void add(std::size_t first, std::span<const Prior> priors) {
    if (priors.empty()) return;
    place_.resize(first, 0);
    for (const Prior& prior : priors) {
      const auto place = std::ranges::find(priors_, prior);
      place_.push_back(static_cast<std::uint32_t>(place - priors_.begin()));
      if (place != priors_.end()) continue;
      values_.push_back(make_(prior));
      priors_.push_back(prior);
    }
  }

  const Value& operator[](std::size_t worker) const {
    return values_[worker < place_.size() ? place_[worker] : 0];
  }

  /// The values of another kind for the same priors; only for a ByWorker made from priors.
  template <typename Other>
  ByWorker<Other> remade(std::function<Other(const Prior&)> make) const {
    ByWorker<Other> result(std::span<const Prior>(), priors_.front(), make);
    std::vector<Prior> priors;
    for (const std::uint32_t place : place_) priors.push_back(priors_[place]);
    result.add(0, priors);
    return result;
  }
  /// Whether some of the first `workers` have another value than the first of them.
  bool differs(std::size_t workers) const {
    const auto of = [&](std::size_t j) { return j < place_.size() ? place_[j] : 0; };
    for (std::size_t j = 1; j < workers; ++j)
      if (of(j) != of(0)) return true;
    return false;
  }

  /// Saves and loads the priors and who has which.
  void save(ByteWriter& to) const {
    to.number(priors_.size());
    for (const Prior& prior : priors_) {
      to.array(std::vector(prior.components().begin(), prior.components().end()));
    }
    to.array(place_);
  }
  void load(ByteReader& from) {
    std::vector<Prior> priors;
    for (std::size_t left = from.count(1); left > 0; --left) {
      std::vector<BetaComponent> components;
      from.array(components);
      if (components.empty() || !std::ranges::all_of(components, is_sound)) return from.refuse();
      priors.push_back(Prior::mixture(std::move(components)));
    }
    std::vector<std::uint32_t> place;
    from.array(place);
    const auto is_known = [&](std::uint32_t number) { return number < priors.size(); };
    if (priors.empty() || !std::ranges::all_of(place, is_known)) return from.refuse();
    values_.clear();
    for (const Prior& prior : priors) values_.push_back(make_(prior));
    priors_ = std::move(priors);
    place_ = std::move(place);
  }

 private:
  static bool is_sound(const BetaComponent& component) {
    const auto [weight, a, b] = component;
    return weight > 0 && weight <= 1 && a > 0 && b > 0 && std::isfinite(a) && std::isfinite(b);
  }

  std::function<Value(const Prior&)> make_;
  std::vector<Prior> priors_;         // the different ones, the usual first
  std::vector<Value> values_;         // of each prior
  std::vector<std::uint32_t> place_;  // by worker: the number of their prior; 0 beyond the end
};

/// `Class` is Label for binary items.
template <typename Class>
struct LabelOfItem {
  std::uint32_t item;
  Class label;
};
using WorkerLabel = LabelOfItem<Label>;
/// The same with the number of the class, and how sure the worker is of it.
struct WorkerClassLabel {
  std::uint32_t item;
  std::uint32_t label;
  float confidence = kNoConfidence;
};
using LabelsByWorker = std::vector<std::vector<WorkerLabel>>;
using MulticlassLabelsByWorker = std::vector<std::vector<WorkerClassLabel>>;

/// One table of counts per worker, with a row per true class; none beyond the last who has labels.
/// Beside it the tables that workers inherit (CrowdOptions::inherited), which never change.
class KnownLabels {
 public:
  explicit KnownLabels(std::uint32_t class_count, std::vector<std::vector<double>> inherited = {})
      : classes_(class_count), inherited_(std::move(inherited)) {}

  void record(std::uint32_t worker, std::uint32_t truth, std::uint32_t label) {
    if (counts_.size() < (worker + 1) * table_) counts_.resize((worker + 1) * table_, 0);
    ++counts_[place(worker, truth, label)];
  }

  /// Replaces one of the labels; returns false if there is none.
  bool revise(std::uint32_t worker, std::uint32_t truth, std::uint32_t before,
              std::uint32_t label) {
    if (of(worker).empty() || counts_[place(worker, truth, before)] == 0) return false;
    --counts_[place(worker, truth, before)];
    ++counts_[place(worker, truth, label)];
    return true;
  }

  /// Takes one of the labels away; returns false if there is none.
  bool remove(std::uint32_t worker, std::uint32_t truth, std::uint32_t label) {
    if (of(worker).empty() || counts_[place(worker, truth, label)] == 0) return false;
    --counts_[place(worker, truth, label)];
    return true;
  }

  /// The worker's table; empty if there is none.
  std::span<const std::uint32_t> of(std::size_t worker) const {
    if ((worker + 1) * table_ > counts_.size()) return {};
    return {&counts_[worker * table_], table_};
  }

  /// The table that the worker inherits; empty if there is none.
  std::span<const double> inherited(std::size_t worker) const {
    if (worker >= inherited_.size()) return {};
    return inherited_[worker];
  }

  /// Inherited tables are options of the crowd, and not saved.
  void save(ByteWriter& to) const { to.array(counts_); }
  void load(ByteReader& from) { from.array(counts_); }

 private:
  std::size_t place(std::uint32_t worker, std::uint32_t truth, std::uint32_t label) const {
    return worker * table_ + truth * classes_ + label;
  }

  std::size_t classes_, table_ = classes_ * classes_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::vector<double>> inherited_;  // by worker
};

}  // namespace allot::model
