#include "allot/model/worker_pool.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace allot::model::worker_pool_test {
namespace {

const Money kCheap = Money::billionths(1'000'000);

WorkerPool two_types() {
  return {{{"llm", 2, Prior::beta(9, 1), kCheap}, {"people", 3, Prior::beta(4, 1)}}};
}

TEST(WorkerPool, NumbersWorkersTypeByType) {
  const WorkerPool pool = two_types();
  EXPECT_EQ(worker_count(pool), 5U);
  EXPECT_EQ(type_of(pool, WorkerId{1}), 0U);
  EXPECT_EQ(type_of(pool, WorkerId{2}), 1U);
  EXPECT_EQ(type_of(pool, WorkerId{4}), 1U);
  EXPECT_THROW((void)type_of(pool, WorkerId{5}), std::invalid_argument);
  EXPECT_EQ(prices(pool), (std::vector{kCheap, kCheap, kUnitPrice, kUnitPrice, kUnitPrice}));
  EXPECT_EQ(reliability_priors(pool)[1], Prior::beta(9, 1));
  EXPECT_EQ(reliability_priors(pool)[2], Prior::beta(4, 1));
}

TEST(WorkerPool, KnowsWhetherPricesDiffer) {
  WorkerPool pool = two_types();
  EXPECT_FALSE(has_one_price(pool));
  pool.types[1].price = kCheap;
  EXPECT_TRUE(has_one_price(pool));
}

TEST(WorkerPool, RefusesWhatCannotWork) {
  EXPECT_NO_THROW(check(two_types()));
  EXPECT_THROW(check({}), std::invalid_argument);
  const auto refused = [](auto change) {
    WorkerPool pool = two_types();
    change(pool.types[1]);
    EXPECT_THROW(check(pool), std::invalid_argument);
  };
  refused([](WorkerType& type) { type.count = 0; });
  refused([](WorkerType& type) { type.count = UINT32_MAX; });
  refused([](WorkerType& type) { type.price = Money(); });
  refused([](WorkerType& type) { type.reliability = Prior::haldane(); });
}

}  // namespace
}  // namespace allot::model::worker_pool_test
