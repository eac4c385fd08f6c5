// Something that each worker has and many share: the few different values, and who has which.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/check.hpp"
#include "allot/model/prior.hpp"

namespace allot::model {

template <typename Value>
class ByWorker {
 public:
  /// The same for all.
  ByWorker(Value all) : values_{std::move(all)} {}  // NOLINT: a value for all is a value for each

  /// make(prior) of each worker's prior, called once for every different one; of `usual` if
  /// `priors` is empty. Cost: workers times different priors.
  template <typename Make>
  ByWorker(std::span<const Prior> priors, const Prior& usual, Make make) {
    std::vector<Prior> known;
    if (priors.empty()) values_.push_back(make(usual));
    for (const Prior& prior : priors) {
      const auto place = std::ranges::find(known, prior);
      place_.push_back(static_cast<std::uint32_t>(place - known.begin()));
      if (place != known.end()) continue;
      known.push_back(prior);
      values_.push_back(make(prior));
    }
  }

  const Value& operator[](std::size_t worker) const {
    return place_.empty() ? values_.front() : values_[place_[worker]];
  }

 private:
  std::vector<Value> values_;
  std::vector<std::uint32_t> place_;  // by worker; empty if all have the first
};

/// Throws std::invalid_argument unless the priors are proper and, if any, one a worker and none of
/// them learned.
inline void check_worker_priors(std::string_view function, const Prior& usual,
                                std::span<const Prior> priors, bool learned,
                                std::uint32_t worker_count) {
  const bool proper = usual.is_proper() && std::ranges::all_of(priors, &Prior::is_proper);
  require(proper, function, "worker prior", 0, "expected a proper one");
  require(priors.empty() || priors.size() == worker_count, function, "number of worker priors",
          static_cast<double>(priors.size()), "expected one a worker");
  require(priors.empty() || !learned, function, "number of worker priors",
          static_cast<double>(priors.size()), "expected one for all where it is learned");
}

}  // namespace allot::model
