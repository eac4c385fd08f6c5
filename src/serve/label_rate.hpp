// Labels per minute over the last hour.
//
// The first call finds the start of the hour in the ledger by bisection; later calls read only new
// events. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <map>

#include "allot/campaign/campaign.hpp"

namespace allot::serve {

class LabelRate {
 public:
  Result<void> read_on(campaign::Campaign& campaign, campaign::Time now);
  /// Minutes count from 1970.
  std::uint64_t labels(std::int64_t minute) const;
  static std::int64_t minute_of(campaign::Time time);

 private:
  std::uint64_t read_ = 0;
  bool begun_ = false;
  std::map<std::int64_t, std::uint64_t> labels_;
};

}  // namespace allot::serve
