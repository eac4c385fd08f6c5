// The policy probe: kg-eig, except that some pairs compare workers.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "allot/model/crowd.hpp"
#include "allot/policy/desk.hpp"
#include "allot/policy/registry.hpp"
#include "policy/choosers.hpp"

namespace allot::policy::probing_chooser_test {
namespace {

using model::DirichletPrior;
using model::Refit;

constexpr std::uint32_t kItems = 60, kWorkers = 8;

Desk desk_of(const char* policy, const model::CrowdOptions& options, Offers offers) {
  auto crowd = model::make_crowd(options, offers.item_count(), offers.worker_count());
  return Desk(std::move(crowd), make_policy(policy, TieBreak::random).value(), std::move(offers));
}

model::CrowdOptions three_classes() { return {.item_prior = DirichletPrior::symmetric(3)}; }

/// Labels of worker j are right with a chance of .4 + .07 j.
ClassId label_of(const Pair& pair, std::uint32_t classes, Rng& rng) {
  const std::uint32_t truth = position(pair.item) % classes;
  const bool right = uniform(rng) < 0.4 + 0.07 * position(pair.worker);
  return ClassId{right ? truth : static_cast<std::uint32_t>(below(rng, classes))};
}

/// Plays both policies on the same labels, each choice with the same random numbers, and calls
/// visit(pair of probe, pair of kg-eig after `skip` numbers, desk before the label).
template <typename Visit>
void play(const model::CrowdOptions& options, const Offers& offers, int labels, int skip,
          Visit visit) {
  Desk probing = desk_of("probe", options, offers), plain = desk_of("kg-eig", options, offers);
  Rng answers(7);
  for (int n = 0; n < labels; ++n) {
    Rng rng(3, Rng::Purpose::tie, static_cast<std::uint64_t>(n)), same = rng;
    const auto pair = probing.choose(rng);
    for (int k = 0; k < skip; ++k) same();
    const auto other = plain.choose(same);
    ASSERT_TRUE(pair && other);
    visit(*pair, *other, probing);
    const ClassId label = label_of(*pair, options.class_count(), answers);
    probing.record(*pair, label);
    plain.record(*pair, label);
  }
}

TEST(Probing, IsKgEigWithTwoClassesAndWithSoftLabels) {
  const Offers offers = Offers::everyone(kItems, kWorkers);
  for (const model::CrowdOptions& options :
       {model::CrowdOptions{},
        model::CrowdOptions{.item_prior = DirichletPrior::symmetric(3), .refit = Refit::off}}) {
    play(options, offers, 100, 0,
         [](const Pair& pair, const Pair& other, Desk&) { ASSERT_EQ(pair, other); });
  }
}

TEST(Probing, ComparesWorkersOnLabelledItemsOneTimeInForty) {
  int probes = 0;
  const int labels = 440;  // 480 pairs
  play(three_classes(), Offers::everyone(kItems, kWorkers), labels, 1,
       [&](const Pair& pair, const Pair& other, Desk& desk) {
         if (pair == other) return;
         ++probes;
         EXPECT_GT(desk.offers().labels(pair.item), 0U);
         EXPECT_TRUE(desk.offers().is_open(pair));
       });
  EXPECT_GE(probes, 3);  // 11 expected; binomial, below 3 once in 400 seeds
  EXPECT_LE(probes, 22);
}

TEST(Probing, AGivenWorkerGetsTheBestItem) {
  Desk probing = desk_of("probe", three_classes(), Offers::everyone(kItems, kWorkers));
  Desk plain = desk_of("kg-eig", three_classes(), Offers::everyone(kItems, kWorkers));
  Rng answers(5);
  for (std::uint32_t n = 0; n < 200; ++n) {
    const WorkerId worker{n % kWorkers};
    Rng rng(1, Rng::Purpose::tie, n), same = rng;
    const auto item = probing.choose(worker, rng);
    ASSERT_EQ(item, plain.choose(worker, same));
    const ClassId label = label_of({*item, worker}, 3, answers);
    probing.record({*item, worker}, label);
    plain.record({*item, worker}, label);
  }
}

/// Always chooses the same pair.
class Stubborn final : public PairChooser {
 public:
  explicit Stubborn(Pair pair) : pair_(pair) {}
  std::optional<Pair> choose(Rng&) override { return pair_; }
  std::optional<ItemId> choose(WorkerId, Rng&) override { return pair_.item; }
  void refresh(const Pair&, bool) override {}
  void exclude(ItemId) override {}
  void exclude(WorkerId) override {}
  void update(ItemId) override {}
  void grow() override {}
  double value(const Pair&) const override { return 1; }

 private:
  const Pair pair_;
};

TEST(Probing, AsksExpensiveWorkersLessOften) {
  const Pair unlabelled{ItemId{2}, WorkerId{0}};
  Offers offers = Offers::everyone(3, 3);
  offers.set_prices({Money::whole(1), Money::whole(4), Money::whole(1)});
  offers.close({ItemId{0}, WorkerId{2}});
  offers.close({ItemId{1}, WorkerId{2}});
  const auto chooser = probing_chooser(std::make_unique<Stubborn>(unlabelled), offers);
  std::map<std::uint32_t, int> probes;
  Rng rng(2);
  for (int n = 0; n < 80'000; ++n) {
    const Pair pair = chooser->choose(rng).value();
    if (pair != unlabelled) ++probes[position(pair.worker)];
  }
  EXPECT_NEAR(probes[0], 1000, 160);  // five standard deviations; half of all probes
  EXPECT_NEAR(probes[1], 250, 80);
  EXPECT_EQ(probes[2], 0) << "the worker has labelled both items";
}

TEST(Probing, FollowsLabelsAndRefits) {
  const Pair unlabelled{ItemId{2}, WorkerId{0}};
  Offers offers = Offers::everyone(3, 2);
  const auto chooser = probing_chooser(std::make_unique<Stubborn>(unlabelled), offers);
  Rng rng(4);
  const auto probed_items = [&] {
    std::set<std::uint32_t> items;
    for (int n = 0; n < 2'000; ++n) {
      const Pair pair = chooser->choose(rng).value();
      if (pair != unlabelled) items.insert(position(pair.item));
    }
    return items;
  };
  EXPECT_TRUE(probed_items().empty());
  offers.close({ItemId{1}, WorkerId{0}});
  chooser->refresh({ItemId{1}, WorkerId{0}}, false);
  EXPECT_EQ(probed_items(), (std::set<std::uint32_t>{1}));
  offers.close({ItemId{0}, WorkerId{1}});
  chooser->refresh({}, true);
  EXPECT_EQ(probed_items(), (std::set<std::uint32_t>{0, 1}));
  offers.withhold(ItemId{1});
  chooser->update(ItemId{1});
  EXPECT_EQ(probed_items(), (std::set<std::uint32_t>{0}));
}

TEST(Probing, NobodyIsLeftToCompare) {
  Desk desk = desk_of("probe", three_classes(), Offers::everyone(3, 1));
  Rng rng(1);
  for (int n = 0; n < 3; ++n) desk.record(desk.choose(rng).value(), ClassId{1});
  for (int n = 0; n < 200; ++n) ASSERT_FALSE(desk.choose(rng));
}

}  // namespace
}  // namespace allot::policy::probing_chooser_test
