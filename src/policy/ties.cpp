#include "allot/policy/ties.hpp"

#include <algorithm>
#include <bit>

namespace allot::policy {

double quantised(double index) {
  constexpr std::uint64_t kNoise = (1U << 8) - 1;  // 44 bits of the significand remain
  const auto bits = std::bit_cast<std::uint64_t>(index);
  return std::bit_cast<double>((bits + (kNoise + 1) / 2) & ~kNoise);
}

std::vector<std::uint32_t> best_candidates(std::span<const double> index) {
  const double threshold = tie_threshold(*std::ranges::max_element(index));
  std::vector<std::uint32_t> tied;
  for (std::uint32_t i = 0; i < index.size(); ++i) {
    if (index[i] >= threshold) tied.push_back(i);
  }
  return tied;
}

std::uint32_t break_tie(std::span<const std::uint32_t> tied, TieBreak rule, Rng& rng) {
  if (rule == TieBreak::first || tied.size() == 1) return tied.front();
  return tied[below(rng, tied.size())];
}

}  // namespace allot::policy
