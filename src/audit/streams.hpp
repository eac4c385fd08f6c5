// Numbers of the random streams of audits (base/rng.hpp), apart from those of simulated runs.
#pragma once

#include <cstdint>

namespace allot::audit {

inline constexpr std::uint64_t kFixedDraws = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kSequentialDraws = kFixedDraws + 1;
inline constexpr std::uint64_t kForecast = kFixedDraws + 2;

}  // namespace allot::audit
