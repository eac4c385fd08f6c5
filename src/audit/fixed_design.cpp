#include "allot/audit/fixed_design.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "allot/base/check.hpp"
#include "allot/base/rng.hpp"
#include "audit/streams.hpp"

namespace allot::audit {
namespace {

constexpr double kLeastChecks = 15;
constexpr double kPartBySize = 0.75;

/// The checks of each stratum before rounding.
std::vector<double> fair_shares(std::span<const Stratum> strata, std::uint64_t checks) {
  double answers = 0, spread = 0;
  for (const Stratum& stratum : strata) {
    answers += static_cast<double>(stratum.answers);
    spread += stratum.spread;
  }
  std::vector<double> shares;
  for (const Stratum& stratum : strata) {
    const double by_size = static_cast<double>(stratum.answers) / answers;
    const double by_spread = spread > 0 ? stratum.spread / spread : by_size;
    shares.push_back(static_cast<double>(checks) *
                     (kPartBySize * by_size + (1 - kPartBySize) * by_spread));
  }
  return shares;
}

/// The stratum above the pair to merge; none if every stratum gets enough checks.
std::optional<std::uint32_t> pair_to_merge(std::span<const Stratum> strata,
                                           std::span<const double> shares) {
  if (strata.size() == 1) return {};
  std::optional<std::size_t> thin;
  for (std::size_t h = 0; h < strata.size(); ++h) {
    const double enough = std::min(kLeastChecks, static_cast<double>(strata[h].answers));
    if (shares[h] < enough && (!thin || shares[h] < shares[*thin])) thin = h;
  }
  if (!thin) return {};
  const std::size_t least = *thin;
  const bool has_both = least > 0 && least + 1 < strata.size();
  const bool upwards = has_both ? shares[least - 1] < shares[least + 1] : least > 0;
  return static_cast<std::uint32_t>(upwards ? least - 1 : least);
}

/// Whole numbers that add up to the checks, at least one each and at most one per answer.
std::vector<std::uint64_t> rounded(std::span<const Stratum> strata, std::span<const double> shares,
                                   std::uint64_t checks) {
  std::vector<std::uint64_t> counts;
  for (std::size_t h = 0; h < strata.size(); ++h) {
    const auto whole = static_cast<std::uint64_t>(shares[h]);
    counts.push_back(std::clamp<std::uint64_t>(whole, 1, strata[h].answers));
  }
  const auto lack = [&](std::size_t h) { return shares[h] - static_cast<double>(counts[h]); };
  std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  for (; total < checks; ++total) {
    std::optional<std::size_t> next;
    for (std::size_t h = 0; h < strata.size(); ++h) {
      if (counts[h] < strata[h].answers && (!next || lack(h) > lack(*next))) next = h;
    }
    ++counts[*next];
  }
  for (; total > checks; --total) {
    std::size_t most = 0;
    for (std::size_t h = 1; h < strata.size(); ++h) {
      if (counts[h] > 1 && (counts[most] == 1 || lack(h) < lack(most))) most = h;
    }
    --counts[most];
  }
  return counts;
}

/// Moves `count` random members to the front, in random order.
template <typename Member>
void shuffle_front(std::vector<Member>& members, std::uint64_t count, Rng& rng) {
  for (std::uint64_t i = 0; i < count; ++i)
    std::swap(members[i], members[i + below(rng, members.size() - i)]);
}

}  // namespace

std::vector<std::uint64_t> allocate(Strata& strata, std::uint64_t checks) {
  std::vector<double> shares = fair_shares(strata.all(), checks);
  while (const auto upper = pair_to_merge(strata.all(), shares)) {
    strata.merge(*upper);
    shares = fair_shares(strata.all(), checks);
  }
  return rounded(strata.all(), shares, checks);
}

FixedDesign::FixedDesign(std::span<const double> stated, std::uint64_t checks, std::uint64_t seed)
    : unmerged_(stated), strata_(unmerged_) {
  require(checks >= 1 && checks <= stated.size(), "FixedDesign", "number of checks",
          static_cast<double>(checks), "expected at least one, at most one per item");
  checks_ = allocate(strata_, checks);
  std::vector<std::vector<std::uint32_t>> members(strata_.all().size());
  for (std::uint32_t i = 0; i < stated.size(); ++i) members[strata_.of(stated[i])].push_back(i);
  Rng rng(seed, Rng::Purpose::general, kFixedDraws);
  for (std::uint32_t h = 0; h < members.size(); ++h) {
    shuffle_front(members[h], checks_[h], rng);
    const double q = static_cast<double>(checks_[h]) / static_cast<double>(members[h].size());
    for (std::uint64_t i = 0; i < checks_[h]; ++i) draws_.push_back({ItemId{members[h][i]}, h, q});
  }
  shuffle_front(draws_, draws_.size(), rng);
}

}  // namespace allot::audit
