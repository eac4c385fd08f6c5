// A decision and the update after its label: the index tree against the paper's scan of all items.
// Their choices are compared.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>

#include "allot/index/knowledge_gradient.hpp"
#include "allot/policy/registry.hpp"

namespace allot {
namespace {

using model::Beliefs;
using model::Prior;

/// The paper's method: all indices in an array, two passes per decision (the best, then a random
/// one of its ties).
class Scan {
 public:
  explicit Scan(const Beliefs& beliefs) : beliefs_(beliefs), values_(beliefs.item_count()) {
    std::ranges::fill(values_, policy::quantised(index::opt_kg(beliefs[ItemId{0}])));
  }
  ItemId choose(Rng& rng) const {
    const double threshold = policy::tie_threshold(*std::ranges::max_element(values_));
    const auto ties =
        std::ranges::count_if(values_, [&](double value) { return value >= threshold; });
    auto skip = ties == 1 ? 0 : below(rng, static_cast<std::uint64_t>(ties));
    std::uint32_t item = 0;
    while (values_[item] < threshold || skip-- > 0) ++item;
    return ItemId{item};
  }
  void refresh(ItemId item) {
    values_[position(item)] = policy::quantised(index::opt_kg(beliefs_[item]));
  }

 private:
  const Beliefs& beliefs_;
  std::vector<double> values_;
};

/// A campaign of opt-kg whose labels depend on the item and the stage alone.
template <typename Chooser>
class Campaign {
 public:
  Campaign(std::uint32_t items, auto make_chooser)
      : beliefs_(items, Prior::uniform()), chooser_(make_chooser(beliefs_)), ties_(1) {}

  ItemId step() {
    const ItemId item = chooser_->choose(ties_);
    const double soft_label = unit_interval(Rng(2, Rng::Purpose::soft_label, 0, position(item))());
    const double draw = unit_interval(
        Rng(2, Rng::Purpose::label, 0, position(item)).at(beliefs_.counts(item).total()));
    beliefs_.record(item, draw < soft_label ? Label::positive : Label::negative);
    chooser_->refresh(item);
    return item;
  }

 private:
  Beliefs beliefs_;
  std::unique_ptr<Chooser> chooser_;
  Rng ties_;
};

Campaign<policy::Chooser> tree_campaign(std::uint32_t items) {
  return {items, [](const Beliefs& beliefs) {
            return policy::make_policy("opt-kg", policy::TieBreak::random)
                .value()
                ->start(beliefs, 0)
                .value();
          }};
}

Campaign<Scan> scan_campaign(std::uint32_t items) {
  return {items, [](const Beliefs& beliefs) { return std::make_unique<Scan>(beliefs); }};
}

void by_tree(benchmark::State& state, std::uint32_t items) {
  auto campaign = tree_campaign(items);
  for (auto _ : state) benchmark::DoNotOptimize(campaign.step());
  state.SetItemsProcessed(state.iterations());
}

void by_scan(benchmark::State& state, std::uint32_t items) {
  {
    auto fast = tree_campaign(items);
    auto plain = scan_campaign(items);
    const std::uint32_t steps = std::clamp(2'000'000'000U / items, 200U, 20'000U);
    for (std::uint32_t i = 0; i < steps; ++i) {
      if (fast.step() != plain.step()) return state.SkipWithError("the choices differ");
    }
    state.counters["equal_choices"] = steps;
  }
  auto campaign = scan_campaign(items);
  for (auto _ : state) benchmark::DoNotOptimize(campaign.step());
  state.SetItemsProcessed(state.iterations());
}

#define ALLOT_CHOICE(items)                                                   \
  BENCHMARK_CAPTURE(by_tree, items, items)->Name("choice/K:" #items "/tree"); \
  BENCHMARK_CAPTURE(by_scan, items, items)->Name("choice/K:" #items "/scan")
ALLOT_CHOICE(1000);
ALLOT_CHOICE(1000000);
ALLOT_CHOICE(10000000);

double allocated_bytes() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

/// Memory of beliefs and chooser together.
void memory(benchmark::State& state, bool own_priors) {
  const std::uint32_t items = 1'000'000;
  for (auto _ : state) {
    const double before = allocated_bytes();
    std::vector<Prior> priors;
    std::vector<std::uint32_t> prior_of_item;
    for (std::uint32_t i = 0; own_priors && i < items; ++i) {
      if (i == 0) priors.reserve(items), prior_of_item.reserve(items);
      priors.push_back(Prior::beta(1 + i * 1e-6, 1));
      prior_of_item.push_back(i);
    }
    const Beliefs beliefs = own_priors ? Beliefs(std::move(priors), std::move(prior_of_item))
                                       : Beliefs(items, Prior::uniform());
    const auto chooser =
        policy::make_policy("opt-kg", policy::TieBreak::random).value()->start(beliefs, 0).value();
    state.counters["bytes_an_item"] = (allocated_bytes() - before) / items;
  }
}
BENCHMARK_CAPTURE(memory, one_prior, false)
    ->Name("memory_one_prior")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(memory, own_priors, true)
    ->Name("memory_own_priors")
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace allot
