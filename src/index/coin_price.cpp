#include "allot/index/coin_price.hpp"

#include <algorithm>
#include <cmath>

#include "allot/base/check.hpp"

namespace allot::index {
namespace {

/// A test of an item that is more probably positive, with labels that are more probably right.
class Test {
 public:
  Test(double log_odds, double reliability)
      : odds_(std::abs(log_odds)),
        reliability_(std::max(reliability, 1 - reliability)),
        step_(std::log(reliability_) - std::log1p(-reliability_)),
        error_(1 / (1 + std::exp(odds_))) {}

  bool says_nothing() const { return reliability_ == 0.5 || error_ == 0; }

  /// Gain and labels of the rule that stops at u steps up or l steps down.
  CoinStopping rule(double u, double l) const {
    if (reliability_ == 1) return {error_, 1};
    // 1 - r^k for k > 0, from r = exp(-step).
    const auto missing = [&](double k) { return -std::expm1(-k * step_); };
    const double up = missing(u), down = missing(l), both = missing(u + l);
    const double ahead_if_right = (u * down - l * (1 - down) * up) / both;
    const double ahead_if_wrong = (l * up - u * (1 - up) * down) / both;
    const double speed = 2 * reliability_ - 1;
    return {error_ * up / both * -std::expm1(odds_ - l * step_),
            ((1 - error_) * ahead_if_right + error_ * ahead_if_wrong) / speed};
  }

  /// Gain per label of the shortest rules.
  double first_price() const {
    const CoinStopping shortest = rule(1, least()), longer = rule(1, least() + 1);
    return std::max(shortest.gain / shortest.labels, longer.gain / longer.labels);
  }

  /// The best rule at a price, found by moving either end.
  CoinStopping best(double price) const {
    double u = 1, l = least();
    CoinStopping found = rule(u, l);
    if (reliability_ == 1) return found;
    const auto net = [&](const CoinStopping& stopping) {
      return stopping.gain - price * stopping.labels;
    };
    for (bool better = true; better;) {
      better = false;
      // Moves an end while the rule improves, in strides that double.
      const auto move = [&](double& end, double by, double lowest) {
        for (bool moved = true; moved;) {
          moved = false;
          for (double stride = by; end + stride >= lowest; stride *= 2) {
            const double before = end;
            end += stride;
            const CoinStopping tried = rule(u, l);
            if (!(net(tried) > net(found))) {
              end = before;
              break;
            }
            found = tried;
            moved = better = true;
          }
        }
      };
      move(u, 1, 1);
      move(l, 1, least());
      move(u, -1, 1);
      move(l, -1, least());
    }
    return found;
  }

 private:
  /// The fewest steps down after which the answer changes.
  double least() const { return std::floor(odds_ / step_) + 1; }

  const double odds_, reliability_, step_, error_;
};

void check(double log_odds, double reliability, const char* function) {
  require(!std::isnan(log_odds), function, "log_odds", log_odds, "expected a number");
  require(reliability >= 0 && reliability <= 1, function, "reliability", reliability,
          "expected 0 to 1");
}

}  // namespace

CoinStopping coin_stopping(double log_odds, double reliability, double price) {
  check(log_odds, reliability, "coin_stopping");
  require(price > 0, "coin_stopping", "price", price, "expected more than 0");
  const Test test(log_odds, reliability);
  if (test.says_nothing()) return {};
  const CoinStopping found = test.best(price);
  const double net = found.gain - price * found.labels;
  return net > 0 ? CoinStopping{net, found.labels} : CoinStopping{};
}

double coin_label_price(double log_odds, double reliability) {
  check(log_odds, reliability, "coin_label_price");
  const Test test(log_odds, reliability);
  if (test.says_nothing()) return 0;
  // The ratio of the best rule at a price is a better price; the prices rise to the final one.
  double price = test.first_price();
  while (true) {
    const CoinStopping found = test.best(price);
    const double better = found.gain / found.labels;
    if (!(better > price)) return price;
    price = better;
  }
}

}  // namespace allot::index
