// The time of a campaign's events.
#pragma once

#include <chrono>

namespace allot::campaign {

/// UTC. Campaigns take the time from their callers and never read a clock themselves, so that the
/// same calls give the same campaign.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

/// The time of the system's clock, for callers that have no time of their own.
inline Time now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

}  // namespace allot::campaign
