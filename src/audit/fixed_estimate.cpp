#include "allot/audit/fixed_estimate.hpp"

#include <algorithm>
#include <unordered_map>

#include "allot/base/check.hpp"
#include "audit/count_bound.hpp"

namespace allot::audit {
namespace {

constexpr std::string_view kName = "FixedEstimate";

}  // namespace

FixedEstimate::FixedEstimate(const FixedDesign& design, std::span<const Verdict> verdicts,
                             double confidence)
    : design_(design), risk_(1 - confidence), verdicts_(design.draws().size()) {
  require(confidence >= 0.5 && confidence < 1, kName, "confidence", confidence,
          "expected at least 0.5 and less than 1");
  std::unordered_map<std::uint32_t, std::size_t> places;
  for (std::size_t i = 0; i < verdicts_.size(); ++i)
    places.emplace(position(design.draws()[i].item), i);
  for (const Verdict& verdict : verdicts) {
    const std::uint32_t item = position(verdict.item);
    const auto place = places.find(item);
    require(place != places.end(), kName, "item of a verdict", item, "expected a drawn item");
    require(!verdicts_[place->second], kName, "item of two verdicts", item, "expected one");
    verdicts_[place->second] = verdict;
  }
}

template <typename Property>
std::vector<FixedEstimate::Count> FixedEstimate::count(Property property) const {
  std::vector<Count> counts(design_.strata().size());
  for (std::size_t i = 0; i < verdicts_.size(); ++i) {
    if (!verdicts_[i]) continue;
    Count& stratum = counts[design_.draws()[i].stratum];
    ++stratum.checked;
    stratum.positive += property(*verdicts_[i]);
  }
  return counts;
}

Bounds FixedEstimate::bounds(std::span<const Count> counts, std::size_t from,
                             std::size_t to) const {
  std::vector<StratumCount> worst, best;
  double estimate = 0, answers = 0;
  for (std::size_t h = from; h < to; ++h) {
    const std::uint64_t size = design_.strata()[h].answers, drawn = design_.checks()[h];
    const auto positive = static_cast<double>(counts[h].positive);
    worst.push_back({size, drawn, positive});
    best.push_back({size, drawn, positive + static_cast<double>(drawn - counts[h].checked)});
    const double share =
        counts[h].checked > 0 ? positive / static_cast<double>(counts[h].checked) : 0.5;
    estimate += share * static_cast<double>(size);
    answers += static_cast<double>(size);
  }
  return {estimate / answers, lower_bound(worst, risk_), lower_bound(worst, risk_ / 2),
          upper_bound(best, risk_ / 2)};
}

std::uint64_t FixedEstimate::checked() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(verdicts_, [](const auto& verdict) { return verdict.has_value(); }));
}

std::uint64_t FixedEstimate::right() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      verdicts_, [](const auto& verdict) { return verdict && verdict->right(); }));
}

std::uint64_t FixedEstimate::missing() const { return verdicts_.size() - checked(); }

Bounds FixedEstimate::accuracy() const {
  const auto counts = count([](const Verdict& verdict) { return verdict.right(); });
  return bounds(counts, 0, counts.size());
}

std::vector<StratumEstimate> FixedEstimate::strata() const {
  const auto counts = count([](const Verdict& verdict) { return verdict.right(); });
  std::vector<StratumEstimate> estimates;
  for (std::size_t h = 0; h < counts.size(); ++h)
    estimates.push_back({counts[h].checked, counts[h].positive, bounds(counts, h, h + 1)});
  return estimates;
}

std::vector<Bounds> FixedEstimate::shares(std::uint32_t class_count) const {
  std::vector<Bounds> shares;
  for (std::uint32_t k = 0; k < class_count; ++k) {
    const auto counts = count([k](const Verdict& verdict) { return verdict.truth == ClassId{k}; });
    shares.push_back(bounds(counts, 0, counts.size()));
  }
  return shares;
}

double FixedEstimate::expected_bound(std::uint64_t checks) const {
  const auto counts = count([](const Verdict& verdict) { return verdict.right(); });
  Strata strata = design_.unmerged();
  const std::vector<std::uint64_t> allocation = allocate(strata, checks);
  std::vector<StratumCount> expected;
  for (std::size_t h = 0; h < allocation.size(); ++h) {
    // A stratum of the new audit lies in one of this audit, or covers several of them.
    double right = 0, checked = 0;
    for (std::size_t g = 0; g < counts.size(); ++g) {
      const Stratum &wide = design_.strata()[g], &narrow = strata.all()[h];
      if (wide.to <= narrow.from || wide.from >= narrow.to || counts[g].checked == 0) continue;
      const double weight = static_cast<double>(wide.answers);
      right +=
          weight * static_cast<double>(counts[g].positive) / static_cast<double>(counts[g].checked);
      checked += weight;
    }
    const double rate = checked > 0 ? right / checked : 0.5;
    expected.push_back(
        {strata.all()[h].answers, allocation[h], rate * static_cast<double>(allocation[h])});
  }
  return lower_bound(expected, risk_);
}

std::optional<std::uint64_t> FixedEstimate::checks_to_prove(double target) const {
  std::uint64_t answers = 0;
  for (const Stratum& stratum : design_.strata()) answers += stratum.answers;
  if (expected_bound(answers) < target) return {};
  std::uint64_t too_few = 0, enough = answers;
  while (enough - too_few > 1) {
    const std::uint64_t middle = too_few + (enough - too_few) / 2;
    (expected_bound(middle) < target ? too_few : enough) = middle;
  }
  return enough;
}

}  // namespace allot::audit
