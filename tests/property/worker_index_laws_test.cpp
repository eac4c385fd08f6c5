// An index that is prepared for one worker has the bits of the index, and its linear bounds hold in
// the whole box, also where tables have zeros, workers are poor and items are confident.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "allot/index/multiclass_pair_index.hpp"
#include "support/pair_states.hpp"

namespace allot::index::worker_index_laws_test {
namespace {

using Numbers = std::vector<double>;

Numbers scaled(Numbers shares) {
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= all;
  return shares;
}

/// Shares of all sizes, some of them 0.
Numbers some_shares(Rng& rng, std::size_t count, double smallest) {
  Numbers shares;
  for (std::size_t k = 0; k < count; ++k) {
    shares.push_back(below(rng, 6) == 0 ? 0 : test::log_uniform(rng, smallest, 1));
  }
  shares[below(rng, count)] = 1;
  return scaled(shares);
}

/// One coin, any rows, or rows that hardly differ.
Numbers some_table(Rng& rng, std::size_t classes) {
  Numbers table;
  const auto kind = below(rng, 3);
  const double right =
      1.0 / static_cast<double>(classes) + uniform(rng) * (1 - 1.0 / static_cast<double>(classes));
  const Numbers shared = some_shares(rng, classes, 1e-3);
  const double poor = test::log_uniform(rng, 1e-6, 0.3);
  for (std::size_t k = 0; k < classes; ++k) {
    Numbers row = some_shares(rng, classes, 1e-4);
    if (kind == 0) {
      row.assign(classes, (1 - right) / static_cast<double>(classes - 1));
      row[k] = right;
    } else if (kind == 1) {
      for (std::size_t y = 0; y < classes; ++y) row[y] = poor * row[y] + (1 - poor) * shared[y];
    }
    table.insert(table.end(), row.begin(), row.end());
  }
  return table;
}

/// Items near one another: a cluster of any size around one of them.
std::vector<Numbers> some_cluster(Rng& rng, std::size_t classes) {
  const double smallest = test::log_uniform(rng, 1e-9, 0.5), size = test::log_uniform(rng, 1e-6, 1);
  const Numbers centre = some_shares(rng, classes, smallest);
  std::vector<Numbers> items{centre};
  for (int i = 0; i < 20; ++i) {
    const Numbers other = some_shares(rng, classes, smallest);
    Numbers item;
    for (std::size_t k = 0; k < classes; ++k)
      item.push_back((1 - size) * centre[k] + size * other[k]);
    items.push_back(scaled(item));
  }
  return items;
}

struct Box {
  Numbers low, high;
};
Box box_around(const std::vector<Numbers>& items) {
  Box box{items[0], items[0]};
  for (const Numbers& item : items) {
    for (std::size_t k = 0; k < item.size(); ++k) {
      box.low[k] = std::min(box.low[k], item[k]);
      box.high[k] = std::max(box.high[k], item[k]);
    }
  }
  return box;
}

std::map<std::string, MulticlassPairIndex> prepared_indices() {
  return {{"kg", multiclass_pair_kg()},
          {"opt-kg", multiclass_pair_opt_kg()},
          {"pessimistic-kg", multiclass_pair_pessimistic_kg()},
          {"cvar", multiclass_pair_cvar_kg(0.3)},
          {"eig", multiclass_pair_information_gain()},
          {"kg-eig", multiclass_pair_kg_eig()}};
}

RC_GTEST_PROP(WorkerIndex, HasTheBitsOfTheIndexAndBoundsThatHold, (std::uint64_t seed)) {
  Rng rng(seed);
  for (int round = 0; round < 30; ++round) {
    const std::size_t classes = 2 + below(rng, 11);
    const Numbers table = some_table(rng, classes);
    const std::vector<Numbers> items = some_cluster(rng, classes);
    const Box box = box_around(items);
    for (const auto& [name, index] : prepared_indices()) {
      const auto worker = index.prepare(table);
      Numbers slope(classes);
      // Also for values of at least some value.
      const double least = below(rng, 2) == 0 ? -1 : worker->value(items[below(rng, items.size())]);
      const double offset = worker->bound(box.low, box.high, least, slope);
      for (const Numbers& p : items) {
        const double value = worker->value(p);
        RC_ASSERT(value == index.value({p, false, 0}, table));
        const double bound = std::inner_product(p.begin(), p.end(), slope.begin(), offset);
        if (value >= least && !(value <= bound + 1e-9 * std::abs(bound))) RC_FAIL(name);
        const double at = worker->bound_at(p, least);
        if (value >= least && !(value <= at + 1e-9 * std::abs(at))) RC_FAIL(name + " at an item");
      }
    }
  }
}

/// A tangent is off by the square of the size of a box.
TEST(WorkerIndex, BoundsInformationTheCloserTheSmallerTheBox) {
  Rng rng(1);
  for (int round = 0; round < 50; ++round) {
    const std::size_t classes = 3 + below(rng, 4);
    Numbers table;
    for (std::size_t k = 0; k < classes; ++k) {
      Numbers row;
      for (std::size_t y = 0; y < classes; ++y) row.push_back(0.1 + uniform(rng));
      row = scaled(row);
      table.insert(table.end(), row.begin(), row.end());
    }
    Numbers centre;
    for (std::size_t k = 0; k < classes; ++k) centre.push_back(0.2 + uniform(rng));
    centre = scaled(centre);
    for (const auto& [name, index] : prepared_indices()) {
      if (name != "eig" && name != "opt-kg") continue;
      const auto worker = index.prepare(table);
      for (const double size : {1e-2, 1e-3, 1e-4}) {
        Box box{centre, centre};
        for (double& share : box.low) share -= size;
        for (double& share : box.high) share += size;
        Numbers slope(classes);
        const double offset = worker->bound(box.low, box.high, -1, slope);
        const double bound =
            std::inner_product(centre.begin(), centre.end(), slope.begin(), offset);
        // Where two labels or classes change places inside the box, the reward has a kink.
        const double gap = bound - worker->value(centre);
        if (name == "eig") {
          EXPECT_LE(gap, 100 * size * size + 1e-13) << name;
        }
        EXPECT_LE(gap, 20 * size) << name;
      }
    }
  }
}

RC_GTEST_PROP(WorkerIndex, ReachesNoMoreThanItsShareOfThePotential, (std::uint64_t seed)) {
  Rng rng(seed);
  const MulticlassPairIndex index = multiclass_pair_information_gain();
  for (int round = 0; round < 20; ++round) {
    const std::size_t classes = 2 + below(rng, 4);
    const Numbers table = some_table(rng, classes);
    const bool soft = below(rng, 2) == 0;
    Numbers item = some_shares(rng, classes, 1e-4);
    if (soft) {
      for (double& count : item) count = 0.3 + 20 * count;
    }
    const MulticlassItemView view{item, soft, 0};
    RC_ASSERT(index.value(view, table) <= index.reach(table) * index.potential(view) + 1e-13);
  }
}

/// Confident items keep their digits: with the leading class almost certain, the information is
/// about  sum_k p_k D(T_k || T_a)  with k all other classes.
TEST(WorkerIndex, InformationOfConfidentItemsKeepsItsDigits) {
  const Numbers table{0.7, 0.2, 0.1, 0.1, 0.8, 0.1, 0.2, 0.1, 0.7};
  const auto worker = multiclass_pair_information_gain().prepare(table);
  const auto divergence = [&](std::size_t k) {
    double sum = 0;
    for (std::size_t y = 0; y < 3; ++y)
      sum += table[3 * k + y] * std::log(table[3 * k + y] / table[y]);
    return sum;
  };
  const double e = 1e-13;
  const double wanted = e * divergence(1) + 2 * e * divergence(2);
  EXPECT_NEAR(worker->value(Numbers{1 - 3 * e, e, 2 * e}) / wanted, 1, 1e-11);
}

}  // namespace
}  // namespace allot::index::worker_index_laws_test
