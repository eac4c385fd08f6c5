#include "allot/index/coin_price.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace allot::index::coin_price_test {
namespace {

double positive(double log_odds) { return 1 / (1 + std::exp(-log_odds)); }
double confidence(double log_odds) { return positive(std::abs(log_odds)); }

/// V - h by value iteration on the line of states, ended 60 log-odds away.
double iterated_gain(double log_odds, double q, double price) {
  const double step = std::log(q / (1 - q));
  const int reach = static_cast<int>(60 / step) + 2;
  const auto state = [&](int k) { return log_odds + k * step; };
  std::vector<double> value;
  for (int k = -reach; k <= reach; ++k) value.push_back(confidence(state(k)));
  const auto at = [&](int k) -> double& { return value[static_cast<std::size_t>(k + reach)]; };
  for (double change = 1; change > 1e-15;) {
    change = 0;
    for (int k = 1 - reach; k < reach; ++k) {
      const double p = positive(state(k)), up = p * q + (1 - p) * (1 - q);
      const double on = -price + up * at(k + 1) + (1 - up) * at(k - 1);
      change = std::max(change, on - at(k));
      at(k) = std::max(at(k), on);
    }
  }
  return at(0) - confidence(log_odds);
}

TEST(CoinStopping, MatchesValueIteration) {
  for (const double q : {0.55, 0.6, 0.75, 0.9, 0.99}) {
    for (const double log_odds : {0.0, 0.3, -0.8, 1.7, 4.0}) {
      for (const double price : {0.1, 0.01, 0.001}) {
        EXPECT_NEAR(coin_stopping(log_odds, q, price).gain, iterated_gain(log_odds, q, price),
                    1e-10)
            << log_odds << " " << q << " " << price;
      }
    }
  }
}

TEST(CoinStopping, HasItsLabelsAsSlope) {
  for (const double q : {0.6, 0.8, 0.95}) {
    for (const double price : {0.03, 0.004, 0.0007}) {
      const CoinStopping here = coin_stopping(0.4, q, price);
      for (const double other : {0.7 * price, 0.999 * price, 1.001 * price, 1.4 * price}) {
        EXPECT_GE(coin_stopping(0.4, q, other).gain,
                  here.gain - (other - price) * here.labels - 1e-13);
      }
    }
  }
}

TEST(CoinLabelPrice, IsThePriceAtWhichGoingOnStopsPaying) {
  for (const double q : {0.501, 0.55, 0.7, 0.9, 0.999}) {
    for (const double log_odds : {0.0, 0.1, -0.8, 2.0, 6.0}) {
      const double price = coin_label_price(log_odds, q);
      ASSERT_GT(price, 0);
      EXPECT_EQ(coin_stopping(log_odds, q, price * (1 + 1e-7)).labels, 0) << q << " " << log_odds;
      EXPECT_GE(coin_stopping(log_odds, q, price * (1 - 1e-7)).labels, 1 - 1e-9)
          << q << " " << log_odds;
    }
  }
}

TEST(CoinLabelPrice, HasItsClosedFormsAndSymmetries) {
  EXPECT_NEAR(coin_label_price(0, 0.7), 0.2, 1e-15);  // one label of an even item: q - 1/2
  EXPECT_NEAR(coin_label_price(1.5, 1), 1 - positive(1.5), 1e-15);
  EXPECT_EQ(coin_label_price(0.7, 0.5), 0);
  EXPECT_NEAR(coin_label_price(0.7, 0.2), coin_label_price(-0.7, 0.8), 1e-15);
}

TEST(CoinLabelPrice, GrowsWithTheReliability) {
  for (const double log_odds : {0.0, 0.5, 1.1, 3.0}) {
    double last = 0;
    for (double q = 0.5; q < 1; q += 0.01) {
      EXPECT_GE(coin_label_price(log_odds, q), last - 1e-13) << log_odds << " " << q;
      last = coin_label_price(log_odds, q);
    }
  }
}

TEST(CoinLabelPrice, RefusesInvalidProbabilities) {
  EXPECT_THROW(coin_label_price(0, 1.1), std::invalid_argument);
  EXPECT_THROW(coin_label_price(NAN, 0.6), std::invalid_argument);
  EXPECT_THROW(coin_stopping(0, 0.6, 0), std::invalid_argument);
}

}  // namespace
}  // namespace allot::index::coin_price_test
