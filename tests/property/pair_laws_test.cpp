// The laws by which pairs are chosen without looking at all of them, on states drawn from
// everywhere; and what they mean for perfect workers, spammers and those who are mostly wrong.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <map>

#include "allot/index/pair_index.hpp"
#include "allot/policy/index_policy.hpp"
#include "allot/policy/pair_policy.hpp"
#include "support/beliefs.hpp"
#include "support/fixed_crowd.hpp"
#include "support/pair_states.hpp"

namespace allot::index::pair_laws_test {
namespace {

using model::Channel;
using model::ItemState;
using model::WorkerState;
using policy::Offers;
using policy::Pair;
using policy::TieBreak;

/// States for each of RapidCheck's seeds.
constexpr int kStates = 200;

template <typename Check>
void for_many_states(std::uint64_t seed, Check check) {
  Rng rng(seed);
  for (int i = 0; i < kStates; ++i) check(rng);
}

/// What a difference of error probabilities may be off by: they are exact to 1e-14.
double noise(const ItemState& item) { return 1e-13 * error_probability(item); }

/// What a mean of rewards may be off by.
double noise(const ItemState& item, const Reward& reward) {
  return 1e-13 * std::max({error_probability(item), std::abs(reward.if_positive),
                           std::abs(reward.if_negative)});
}

double optimistic(const ItemState& item, double reliability) {
  return opt_kg(reward(item, Channel::one_coin(reliability)));
}

RC_GTEST_PROP(PairReward, OfAWorkerWhoIsMostlyWrongIsThatOfTheOppositeLabel,
              (std::uint64_t seed)) {  // R_1(q) = R_2(1-q)
  for_many_states(seed, [](Rng& rng) {
    const ItemState item = test::random_item(rng);
    const double q = uniform(rng);
    const Reward one = reward(item, Channel::one_coin(q)),
                 other = reward(item, Channel::one_coin(1 - q));
    RC_ASSERT(std::abs(one.if_positive - other.if_negative) <= noise(item, one));
    RC_ASSERT(std::abs(one.if_negative - other.if_positive) <= noise(item, one));
    RC_ASSERT(std::abs(one.expected - other.expected) <= noise(item, one));
  });
}

RC_GTEST_PROP(OptimisticPairReward, GrowsWithTheDistanceOfTheReliabilityFromAHalf,
              (std::uint64_t seed)) {
  for_many_states(seed, [](Rng& rng) {
    const ItemState item = test::random_item(rng);
    const double near = 0.5 * uniform(rng);
    const double far = near + (0.5 - near) * (below(rng, 2) ? 1e-3 : 1.0) * uniform(rng);
    const double less = optimistic(item, 0.5 + near);
    RC_ASSERT(std::abs(optimistic(item, 0.5 - near) - less) <= noise(item));
    RC_ASSERT(less <= optimistic(item, 0.5 + far) + noise(item));
    RC_ASSERT(less >= -noise(item));
  });
}

RC_GTEST_PROP(PairConfidence, IsQuasiConvexInTheLogOfTheLikelihoodRatio, (std::uint64_t seed)) {
  for_many_states(seed, [](Rng& rng) {
    const ItemState item = test::random_item(rng);
    std::array<double, 3> ratio{}, error{};
    for (double& one : ratio) one = test::sign(rng) * 30 * uniform(rng) * uniform(rng);
    std::ranges::sort(ratio);
    for (std::size_t k = 0; k < 3; ++k) {
      const Channel channel{1 / (1 + std::exp(-ratio[k])), 1 / (1 + std::exp(-ratio[k]))};
      error[k] = error_probability(after(item, channel, Label::positive));
    }
    RC_ASSERT(error[1] >= std::min(error[0], error[2]) * (1 - 1e-12) - noise(item));
  });
}

std::map<std::string, PairIndex> indices() {
  return {{"kg", pair_kg()},
          {"opt-kg", pair_opt_kg()},
          {"pessimistic-kg", pair_pessimistic_kg()},
          {"cvar", pair_cvar_kg(0.7)},
          {"eig", pair_information_gain()},
          {"kg-eig", pair_kg_eig()},
          {"even-kg", pair_even_kg()},
          {"scout", pair_scout()},
          {"label-price", pair_label_price()},
          {"lu", pair_label_uncertainty()},
          {"least-labelled", pair_least_labelled()},
          {"balanced", pair_balanced()}};
}

double bound_of(const PairIndex& index, const PairView& view, double reliability) {
  const double bound = index.bound(view.item, view.item_labels, reliability);
  if (!index.worker_bound) return bound;
  return bound + index.worker_bound(view.worker, view.worker_left + 1, 0, 1);
}

/// The reliability to which a search rounds a worker's up.
double rounded_up(double reliability) { return 0.5 + std::ceil((reliability - 0.5) * 32) / 32; }

RC_GTEST_PROP(PairIndexBound, IsNeverBelowTheValueWhereASearchTakesIt, (std::uint64_t seed)) {
  static const auto kIndices = indices();
  for_many_states(seed, [](Rng& rng) {
    const ItemState item = test::random_item(rng);
    const WorkerState worker = test::random_worker(rng);
    const auto left = static_cast<std::uint32_t>(below(rng, 3) == 0 ? 0 : below(rng, 1'000'000));
    const PairView view{item, static_cast<std::uint32_t>(below(rng, 100)), worker,
                        static_cast<std::uint32_t>(below(rng, 100)), left};
    // Below this there are not enough digits; nobody is that sure.
    if (error_probability(item) < 1e-100) return;
    for (const auto& [name, index] : kIndices) {
      const double value = index.value(view), own = model::dominating_reliability(worker.mean);
      const double bound = bound_of(index, view, rounded_up(own));
      RC_ASSERT(value <= bound + 1e-9 * std::abs(bound));
      // At the worker's own reliability, itself rounded, the law holds as far as differences of
      // errors have digits.
      const double close = bound_of(index, view, std::min(1.0, own + 1e-15));
      RC_ASSERT(value <= close + 1e-9 * std::abs(close) + 100 * noise(item));
    }
  });
}

RC_GTEST_PROP(PairIndexBound, LiesBelowItsChordsInItsScale, (std::uint64_t seed)) {
  static const auto kIndices = indices();
  for_many_states(seed, [](Rng& rng) {
    const ItemState item = test::random_item(rng);
    if (error_probability(item) < 1e-100) return;
    const double step = 0.5 / static_cast<double>(16 + below(rng, 113));
    const double low =
        0.5 + step * static_cast<double>(below(rng, 1 + static_cast<std::uint64_t>(0.499 / step)));
    const double high = std::min(1.0, low + step), middle = low + (high - low) * uniform(rng);
    for (const auto& [name, index] : kIndices) {
      if (!index.scale) {
        RC_ASSERT(index.bound(item, 3, low) == index.bound(item, 3, high));
        continue;
      }
      const double from = index.scale(low), to = index.scale(high);
      RC_ASSERT(from < to);
      const double weight = (index.scale(middle) - from) / (to - from);
      const double chord =
          (1 - weight) * index.bound(item, 3, low) + weight * index.bound(item, 3, high);
      RC_ASSERT(index.bound(item, 3, middle) <= chord * (1 + 1e-9) + 10 * noise(item));
    }
  });
}

RC_GTEST_PROP(PairIndexBound, IsNeverBelowTheValueOfItemsBetweenTwoOdds, (std::uint64_t seed)) {
  static const auto kIndices = indices();
  for_many_states(seed, [](Rng& rng) {
    const bool near = below(rng, 2) == 0;
    const double width = test::log_uniform(rng, 1e-15, 1);
    std::array<double, 3> odds{};
    for (double& one : odds) {
      one = test::sign(rng) *
            (below(rng, 2) == 0 ? test::log_uniform(rng, 1e-17, 200) : 4 * uniform(rng));
    }
    std::ranges::sort(odds);
    constexpr double kCertain = std::numeric_limits<double>::infinity();
    if (near) odds = {odds[1] - width, odds[1], odds[1] + width};
    if (below(rng, 8) == 0) odds[0] = -kCertain;
    if (below(rng, 8) == 0) odds[2] = kCertain;
    const ItemState low = ItemState::hard_odds(odds[0]), item = ItemState::hard_odds(odds[1]),
                    high = ItemState::hard_odds(odds[2]);
    const WorkerState worker = test::random_worker(rng);
    const auto left = static_cast<std::uint32_t>(below(rng, 1'000'000));
    for (const auto& [name, index] : kIndices) {
      if (!index.hard_bound) continue;
      double bound = index.hard_bound(low, high, worker.mean);
      if (index.worker_bound) {
        bound += index.worker_bound(worker, left + 1, low.mean(), high.mean());
      }
      RC_ASSERT(index.value({item, 3, worker, 5, left}) <= bound + 1e-9 * std::abs(bound));
    }
  });
}

RC_GTEST_PROP(WorkerInformation, IsAtMostItsMeanAtKnownAnswers, (std::uint64_t seed)) {
  for_many_states(seed, [](Rng& rng) {
    const WorkerState worker = test::random_worker(rng);
    const double p = below(rng, 3) == 0 ? test::random_coin(rng) : uniform(rng);
    const double here = worker_information(p, worker);
    RC_ASSERT(here >= 0);
    RC_ASSERT(here <=
              p * worker_information(1, worker) + (1 - p) * worker_information(0, worker) + 1e-14);
  });
}

RC_GTEST_PROP(InformationGain, IsNeverNegativeAndAtMostTheEntropy, (std::uint64_t seed)) {
  for_many_states(seed, [](Rng& rng) {
    const ItemState item = test::random_item(rng);
    const double error = error_probability(item);
    if (error < 1e-100) return;
    const double entropy = -error * std::log(error) - (1 - error) * std::log1p(-error);
    const double gain = information_gain(item, test::random_channel(rng));
    RC_ASSERT(gain >= -1e-14 * entropy);
    RC_ASSERT(gain <= entropy * (1 + 1e-14));
  });
}

RC_GTEST_PROP(EvenKg, IsKgEigOfAWorkerWithoutALean, (std::uint64_t seed)) {
  static const PairIndex kEven = pair_even_kg(), kPlain = pair_kg_eig();
  for_many_states(seed, [](Rng& rng) {
    const ItemState item = test::random_item(rng);
    const WorkerState worker = test::random_worker(rng);
    WorkerState even = worker;
    even.mean = Channel::one_coin((worker.mean.sensitivity + worker.mean.specificity) / 2);
    RC_ASSERT(kEven.value({item, 3, worker, 2, 0}) == kPlain.value({item, 3, even, 2, 0}));
  });
}

RC_GTEST_PROP(Spammer, HasIndexZeroWhateverTheItem, (std::uint64_t seed)) {
  for_many_states(seed, [](Rng& rng) {
    const ItemState item = test::random_item(rng);
    const double yes = uniform(rng);
    for (const Channel& spammer : {Channel::one_coin(0.5), Channel{yes, 1 - yes}}) {
      const Reward r = reward(item, spammer);
      RC_ASSERT(r.if_positive == 0);
      RC_ASSERT(r.if_negative == 0);
      RC_ASSERT(r.expected == 0);
      RC_ASSERT(information_gain(item, spammer) == 0);
    }
    for (const Label label : {Label::positive, Label::negative}) {
      RC_ASSERT(after(item, Channel::one_coin(0.5), label) == item);
    }
  });
}

TEST(Spammer, IsNotWorthMoreForTheRoundingOfItsCoins) {  // 1 - 0.7 is not 0.3, 1 - 0.9 not 0.1
  for (const Channel& spammer : {Channel{0.3, 0.7}, Channel{0.1, 0.9}, Channel{0.15, 0.85}}) {
    for (const ItemState& item : {ItemState::hard_odds(0), ItemState::soft_label(19, 16)}) {
      EXPECT_EQ(opt_kg(reward(item, spammer)), 0);
      EXPECT_EQ(kg(reward(item, spammer)), 0);
      EXPECT_EQ(information_gain(item, spammer), 0);
    }
  }
}

/// Plays a campaign of known workers to its end.
template <typename Visit>
void play(test::FixedCrowd& crowd, const PairIndex& index, TieBreak ties, std::uint64_t seed,
          Visit visit) {
  Offers offers = Offers::everyone(crowd.item_count(), crowd.worker_count());
  const auto policy = policy::pair_index_policy("tested", index, ties);
  const auto chooser = policy->start(crowd, offers);
  Rng rng(seed), labels(seed + 1);
  while (const std::optional<Pair> pair = chooser->choose(rng)) {
    if (!visit(*pair)) return;
    const Label label = below(labels, 2) == 0 ? Label::negative : Label::positive;
    const bool all = crowd.record(pair->item, pair->worker, model::to_class(label));
    offers.close(*pair);
    chooser->refresh(*pair, all);
  }
}

TEST(Spammer, IsAskedAfterAllOthers) {
  const std::vector<Channel> workers{Channel::one_coin(0.5), {0.8, 0.2}, {0.25, 0.75},
                                     Channel::one_coin(0.9), {0.8, 0.4}, Channel::one_coin(0.2)};
  for (const auto& index : {pair_opt_kg(), pair_information_gain()}) {
    for (const TieBreak ties : {TieBreak::first, TieBreak::random}) {
      for (const ItemState& item : {ItemState::soft_label(1, 1), ItemState::hard_odds(0.5)}) {
        test::FixedCrowd crowd(std::vector<ItemState>(5, item), workers);
        int asked = 0;
        play(crowd, index, ties, 1, [&](const Pair& pair) {
          EXPECT_EQ(position(pair.worker) >= 3, asked < 15) << asked;
          ++asked;
          return true;
        });
        EXPECT_EQ(asked, 30);
      }
    }
  }
}

RC_GTEST_PROP(MaliciousWorker, IsWorthWhatTheHonestOneIs, (std::uint64_t seed)) {
  static const auto kIndices = indices();
  for_many_states(seed, [](Rng& rng) {
    const ItemState item = test::random_item(rng);
    const double q = uniform(rng);
    const WorkerState one{Channel::one_coin(q), q * q, q * q, q * q};
    const WorkerState other{Channel::one_coin(1 - q), (1 - q) * (1 - q), (1 - q) * (1 - q),
                            (1 - q) * (1 - q)};
    for (const auto& [name, index] : kIndices) {
      RC_ASSERT(std::abs(index.value({item, 3, one, 2, 0}) - index.value({item, 3, other, 2, 0})) <=
                40 * noise(item, reward(item, one.mean)));
    }
  });
}

TEST(PerfectWorker, HasTheRewardsOfTheModelOfAlikeWorkersBitForBit) {
  for (std::uint32_t a = 1; a <= 60; ++a) {
    for (std::uint32_t b = 1; b <= 60; ++b) {
      const Reward alike = reward(test::beta_belief(a, b));
      const ItemState item = ItemState::soft_label(a, b);
      const Reward here = reward(item, Channel{});
      EXPECT_EQ(here.if_positive, alike.if_positive);
      EXPECT_EQ(here.if_negative, alike.if_negative);
      EXPECT_EQ(here.expected, alike.expected);
      EXPECT_EQ(here.chance_positive, alike.chance_positive);
      const Reward reversed = reward(item, Channel::one_coin(0));
      EXPECT_EQ(reversed.if_positive, alike.if_negative);
      EXPECT_EQ(reversed.if_negative, alike.if_positive);
      EXPECT_EQ(reversed.expected, alike.expected);
    }
  }
}

RC_GTEST_PROP(PerfectWorker, IsTheLimitOfGoodOnes, (std::uint64_t seed)) {
  for_many_states(seed, [](Rng& rng) {
    const ItemState item =
        ItemState::soft_label(test::log_uniform(rng, 0.3, 30), test::log_uniform(rng, 0.3, 30));
    const Reward perfect = reward(item, Channel{}),
                 good = reward(item, Channel::one_coin(1 - 1e-12));
    const double tolerance = 1e5 * noise(item, perfect);
    RC_ASSERT(std::abs(perfect.if_positive - good.if_positive) <= tolerance);
    RC_ASSERT(std::abs(perfect.if_negative - good.if_negative) <= tolerance);
    RC_ASSERT(std::abs(perfect.expected - good.expected) <= tolerance);
  });
}

TEST(PerfectWorkers, AreAskedAboutTheItemsThatAlikeWorkersWouldBe) {
  constexpr std::uint32_t kItems = 6, kLabels = 40;
  using HomogeneousIndex = double (*)(const model::ItemBelief&);
  const std::pair<PairIndex, HomogeneousIndex> same[] = {
      {pair_opt_kg(), opt_kg}, {pair_kg(), kg}, {pair_pessimistic_kg(), pessimistic_kg}};
  for (const auto& [pair_index, index] : same) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      // More workers than labels, so that somebody is left for every item.
      test::FixedCrowd crowd(std::vector<ItemState>(kItems, ItemState::soft_label(1, 1)),
                             std::vector<Channel>(kLabels + 1, Channel{}));
      model::Beliefs beliefs(kItems, model::Prior::uniform());
      const auto policy = policy::index_policy("alike", {index}, TieBreak::first);
      const auto chooser = policy->start(beliefs, kLabels).value();
      Offers offers = Offers::everyone(kItems, kLabels + 1);
      const auto pair_policy = policy::pair_index_policy("pairs", pair_index, TieBreak::first);
      const auto pair_chooser = pair_policy->start(crowd, offers);
      Rng rng(seed);
      for (std::uint32_t n = 0; n < kLabels; ++n) {
        const ItemId item = chooser->choose(rng);
        const std::optional<Pair> pair = pair_chooser->choose(rng);
        ASSERT_TRUE(pair);
        ASSERT_EQ(pair->item, item) << n;
        // The values are the same, so the sets of tied items are, not just the first of them.
        for (std::uint32_t i = 0; i < kItems; ++i) {
          const ItemState& state = crowd[ItemId{i}];
          ASSERT_EQ(pair_index.value({state, 0, crowd[WorkerId{0}], 0, 0}),
                    index(beliefs[ItemId{i}]));
        }
        const Label label = below(rng, 3) == 0 ? Label::negative : Label::positive;
        beliefs.record(item, label);
        chooser->refresh(item);
        const bool all = crowd.record(item, pair->worker, model::to_class(label));
        offers.close(*pair);
        pair_chooser->refresh(*pair, all);
      }
    }
  }
}

}  // namespace
}  // namespace allot::index::pair_laws_test
