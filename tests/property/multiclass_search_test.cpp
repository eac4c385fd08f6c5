// Choices of multi-class items by slots and bounds are those of the double loop: many items and
// classes, untouched ones beside ones of all beliefs, tables with zeros, poor workers, refits.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "allot/policy/pair_policy.hpp"
#include "support/fixed_multiclass_crowd.hpp"
#include "support/pair_play.hpp"
#include "support/pair_states.hpp"

namespace allot::multiclass_search_test {
namespace {

using index::MulticlassPairIndex;
using policy::Offers;
using policy::Pair;
using policy::TieBreak;
using Numbers = std::vector<double>;

struct World {
  std::uint32_t classes, items, workers;
  bool soft;
};

void append_scaled(Numbers& all, const Numbers& shares) {
  double sum = 0;
  for (const double share : shares) sum += share;
  for (const double share : shares) all.push_back(share / sum);
}

/// A third of the items is untouched, with a prior of unequal shares; some others are alike.
Numbers some_items(const World& world, Rng& rng) {
  Numbers prior, all;
  for (std::uint32_t k = 0; k < world.classes; ++k) prior.push_back(1 + k % 3);
  for (std::uint32_t i = 0; i < world.items; ++i) {
    Numbers item = prior;
    if (i % 3 != 0) {
      const double smallest = test::log_uniform(rng, 1e-8, 1);
      for (double& share : item) share *= test::log_uniform(rng, smallest, 1);
      if (i % 7 == 1) item[below(rng, world.classes)] = 0;
      if (i % 5 == 2) {
        item = prior;
        item[below(rng, world.classes)] *= 4;
      }
    }
    if (world.soft) {
      for (const double share : item) all.push_back(0.5 + share);
    } else {
      append_scaled(all, item);
    }
  }
  return all;
}

/// Good workers, poor ones, one who says nothing, and rows with zeros.
Numbers some_tables(const World& world, Rng& rng) {
  Numbers all;
  for (std::uint32_t j = 0; j < world.workers; ++j) {
    for (std::uint32_t k = 0; k < world.classes; ++k) {
      Numbers row(world.classes, j % 5 == 1 ? 1 : 0.3);
      if (j % 3 == 0) {
        for (double& share : row) share = below(rng, 4) == 0 ? 0 : uniform(rng);
      }
      row[k] += j % 5 == 1 ? 0 : j % 2 == 0 ? 3 : 0.05;
      append_scaled(all, row);
    }
  }
  return all;
}

Offers some_recorded(const World& world, Rng& rng) {
  std::vector<Pair> pairs;
  for (std::uint32_t i = 0; i < world.items; ++i) {
    for (std::uint32_t j = 0; j < world.workers; ++j) {
      if (below(rng, 3) > 0) pairs.push_back({ItemId{i}, WorkerId{j}});
    }
  }
  return Offers::recorded(world.items, world.workers, pairs);
}

/// Random steps: choices of both kinds, refits, and items withheld, restored and excluded.
void play(const World& world, const MulticlassPairIndex& index, bool recorded, std::uint64_t seed,
          int steps) {
  Rng rng(seed);
  test::FixedMulticlassCrowd crowd(world.classes, world.soft, some_items(world, rng),
                                   some_tables(world, rng));
  Offers offers =
      recorded ? some_recorded(world, rng) : Offers::everyone(world.items, world.workers);
  const TieBreak ties = seed % 2 == 0 ? TieBreak::first : TieBreak::random;
  const auto chooser =
      policy::pair_index_policy("tested", {index::pair_kg(), index}, ties)->start(crowd, offers);
  const test::PairScan scan(crowd, offers, index, ties);
  test::PairPlay play(*chooser, scan, seed);
  const auto draw = [&](std::uint32_t n) { return static_cast<std::uint32_t>(below(rng, n)); };
  for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
    const ItemId item{draw(world.items)};
    switch (draw(12)) {
      case 0:
        crowd.refit(some_items(world, rng), some_tables(world, rng));
        chooser->refresh({}, true);
        break;
      case 1:
        offers.withhold(item);
        chooser->update(item);
        break;
      case 2:
        offers.restore(item);
        chooser->update(item);
        break;
      case 3:
        offers.exclude(item);
        chooser->exclude(item);
        break;
      default: {
        const auto pair = draw(3) == 0 ? play.push() : play.pull(WorkerId{draw(world.workers)});
        if (!pair) break;
        crowd.record(pair->item, pair->worker, ClassId{draw(world.classes)});
        offers.close(*pair);
        chooser->refresh(*pair, false);
      }
    }
  }
}

const std::vector<std::pair<const char*, std::function<MulticlassPairIndex()>>> kIndices{
    {"kg", index::multiclass_pair_kg},
    {"opt-kg", index::multiclass_pair_opt_kg},
    {"pessimistic-kg", index::multiclass_pair_pessimistic_kg},
    {"cvar", [] { return index::multiclass_pair_cvar_kg(0.4); }},
    {"eig", index::multiclass_pair_information_gain},
    {"kg-eig", index::multiclass_pair_kg_eig},
    {"lu", index::multiclass_pair_label_uncertainty},
    {"least-labelled", index::multiclass_pair_least_labelled}};

TEST(MulticlassSearch, IsEqualToTheDoubleLoopForManyClasses) {
  for (const auto& [name, make] : kIndices) {
    SCOPED_TRACE(name);
    for (const std::uint32_t classes : {2U, 3U, 5U, 9U, 20U}) {
      for (const bool recorded : {false, true}) {
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
          play({classes, 120, 11, false}, make(), recorded, seed, 40);
          ASSERT_FALSE(HasFailure()) << classes << " classes, seed " << seed;
        }
      }
    }
  }
}

TEST(MulticlassSearch, IsEqualToTheDoubleLoopForSoftLabels) {
  for (const auto& [name, make] : kIndices) {
    SCOPED_TRACE(name);
    for (const bool recorded : {false, true}) {
      play({3, 12, 4, true}, make(), recorded, 1, 12);
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST(MulticlassSearch, IsEqualToTheDoubleLoopWhereItemsAreMany) {
  for (const auto& [name, make] : kIndices) {
    SCOPED_TRACE(name);
    play({4, 3000, 5, false}, make(), false, 3, 60);
    play({20, 1200, 4, false}, make(), false, 3, 30);  // boxes stay wide
    ASSERT_FALSE(HasFailure());
  }
}

/// Without refits, so that the tree changes label by label.
TEST(MulticlassSearch, IsEqualToTheDoubleLoopWhileLabelsCome) {
  const World world{5, 120, 7, false};
  for (const auto& [name, make] : kIndices) {
    SCOPED_TRACE(name);
    Rng rng(5);
    test::FixedMulticlassCrowd crowd(world.classes, false,
                                     Numbers(world.items * world.classes, 1.0 / world.classes),
                                     some_tables(world, rng));
    Offers offers = Offers::open_ended();
    offers.add_items(world.items);
    offers.add_workers(world.workers);
    const MulticlassPairIndex index = make();
    const auto chooser =
        policy::pair_index_policy("tested", {index::pair_kg(), index}, TieBreak::random)
            ->start(crowd, offers);
    const test::PairScan scan(crowd, offers, index, TieBreak::random);
    test::PairPlay play(*chooser, scan, 5);
    for (int step = 0; step < 500; ++step) {
      if (step % 100 == 99) {
        offers.add_items(30);
        offers.add_workers(1);
        crowd.grow(offers.item_count(), offers.worker_count(), nullptr, {});
        chooser->grow();
      }
      const auto pair =
          play.pull(WorkerId{static_cast<std::uint32_t>(below(rng, offers.worker_count()))});
      ASSERT_FALSE(HasFailure()) << step;
      if (!pair) continue;
      crowd.record(pair->item, pair->worker,
                   ClassId{static_cast<std::uint32_t>(below(rng, world.classes))});
      offers.close(*pair);
      chooser->refresh(*pair, false);
    }
  }
}

/// Groups of workers who err together, between refits and through them: members read items that
/// their group has labelled through other tables than the rest.
TEST(MulticlassSearch, IsEqualToTheDoubleLoopWhereWorkersErrTogether) {
  for (const auto& [name, make] : kIndices) {
    SCOPED_TRACE(name);
    for (const bool recorded : {false, true}) {
      const World world{recorded ? 2U : 3U, 60, 8, false};
      Rng rng(7);
      model::CrowdOptions options{.item_prior = model::DirichletPrior::symmetric(world.classes),
                                  .refit_every = 25};
      options.groups = {1, 1, 1, 2, 2, 0, 1};
      const auto crowd = model::make_crowd(options, world.items, world.workers);
      Offers offers =
          recorded ? some_recorded(world, rng) : Offers::everyone(world.items, world.workers);
      std::vector<Money> prices(world.workers, Money::billionths(2));
      prices[1] = prices[4] = Money::billionths(1);
      offers.set_prices(prices);
      const MulticlassPairIndex index = make();
      const auto chooser =
          policy::pair_index_policy("tested", {index::pair_kg(), index}, TieBreak::random)
              ->start(*crowd, offers);
      const test::PairScan scan(*crowd->multiclass(), offers, index, TieBreak::random);
      test::PairPlay play(*chooser, scan, 7);
      const auto draw = [&](std::uint32_t n) { return static_cast<std::uint32_t>(below(rng, n)); };
      for (int step = 0; step < 150; ++step) {
        const auto pair = draw(3) == 0 ? play.push() : play.pull(WorkerId{draw(world.workers)});
        ASSERT_FALSE(HasFailure()) << step;
        if (!pair) continue;
        const bool all =
            crowd->record(pair->item, pair->worker,
                          ClassId{(position(pair->item) + draw(4) / 3) % world.classes});
        offers.close(*pair);
        chooser->refresh(*pair, all);
      }
    }
  }
}

}  // namespace
}  // namespace allot::multiclass_search_test
