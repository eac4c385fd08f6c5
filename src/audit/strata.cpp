#include "allot/audit/strata.hpp"

#include <array>
#include <cmath>

#include "allot/base/check.hpp"

namespace allot::audit {
namespace {

constexpr std::array kEdges{1.0, 0.99, 0.95, 0.8, 0.0};

std::size_t place_of(double probability) {
  std::size_t place = 0;
  while (probability < kEdges[place + 1]) ++place;
  return place;
}

}  // namespace

Strata::Strata(std::span<const double> stated) {
  require(!stated.empty(), "Strata", "number of stated probabilities", 0, "expected at least one");
  for (std::size_t i = 0; i + 1 < kEdges.size(); ++i) strata_.push_back({kEdges[i + 1], kEdges[i]});
  for (const double p : stated) {
    require(p >= 0 && p <= 1, "Strata", "stated probability", p, "expected 0 to 1");
    Stratum& stratum = strata_[place_of(p)];
    ++stratum.answers;
    stratum.stated += p;
    stratum.spread += std::sqrt(p * (1 - p));
  }
  std::erase_if(strata_, [](const Stratum& stratum) { return stratum.answers == 0; });
}

void Strata::merge(std::uint32_t stratum) {
  require(stratum + 1 < strata_.size(), "Strata::merge", "stratum", stratum,
          "expected one above another");
  const Stratum& lower = strata_[stratum + 1];
  Stratum& upper = strata_[stratum];
  upper = {lower.from, upper.to, upper.answers + lower.answers, upper.stated + lower.stated,
           upper.spread + lower.spread};
  strata_.erase(strata_.begin() + stratum + 1);
}

std::uint32_t Strata::of(double probability) const {
  std::uint32_t stratum = 0;
  while (stratum + 1 < strata_.size() && probability < strata_[stratum].from) ++stratum;
  return stratum;
}

}  // namespace allot::audit
