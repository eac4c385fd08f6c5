// Something that each worker has and many share: the few different values, and who has which.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/model/prior.hpp"

namespace allot::model {

template <typename Value>
class ByWorker {
 public:
  /// The same for all.
  ByWorker(Value all) : values_{std::move(all)} {}  // NOLINT: a value for all is a value for each

  /// make(prior) of each worker's prior, called once for every different one; of `usual` for
  /// workers beyond the last who has one. Cost: workers times different priors.
  ByWorker(std::span<const Prior> priors, const Prior& usual,
           std::function<Value(const Prior&)> make)
      : make_(std::move(make)), priors_{usual}, values_{make_(usual)} {
    add(0, priors);
  }

  /// The priors of workers from this one on, who had the usual one so far. Only of a ByWorker made
  /// from priors.
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

  /// Who has which prior.
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
    const auto is_known = [&](std::uint32_t one) { return one < priors.size(); };
    if (priors.empty() || !std::ranges::all_of(place, is_known)) return from.refuse();
    values_.clear();
    for (const Prior& prior : priors) values_.push_back(make_(prior));
    priors_ = std::move(priors);
    place_ = std::move(place);
  }

 private:
  static bool is_sound(const BetaComponent& one) {
    return one.weight > 0 && one.weight <= 1 && one.a > 0 && one.b > 0 && std::isfinite(one.a) &&
           std::isfinite(one.b);
  }

  std::function<Value(const Prior&)> make_;
  std::vector<Prior> priors_;         // the different ones, the usual first
  std::vector<Value> values_;         // of each
  std::vector<std::uint32_t> place_;  // by worker, of those who have not the usual one
};

}  // namespace allot::model
