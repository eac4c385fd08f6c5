#include "allot/aggregate/one_coin.hpp"

#include "aggregate/em.hpp"
#include "base/try.hpp"

namespace allot::aggregate {
namespace {

class Coins {
 public:
  Coins(const model::LabelSet& labels, double smoothing)
      : coins_(labels.worker_count),
        smoothing_(smoothing),
        log_others_(std::log(std::max(1.0, labels.class_count - 1.0))) {}

  void forget() { std::ranges::fill(coins_, Coin{}); }

  void learn(const ItemLabels::Entry& entry, std::span<const double> classes) {
    coins_[entry.worker].right += classes[entry.label];
    ++coins_[entry.worker].all;
  }

  double estimate() {
    double log_density = 0;
    for (Coin& coin : coins_) {
      const double right = coin.right + smoothing_, all = coin.all + 2 * smoothing_;
      // A sum of probabilities may exceed their number by rounding.
      const double wrong = std::max(coin.all - coin.right, 0.0) + smoothing_;
      coin.reliability = right / all;
      coin.log_right = std::log(right / all);
      coin.log_wrong = std::log(wrong / all);
      log_density += smoothing_ * (coin.log_right + coin.log_wrong);
    }
    return log_density;
  }

  void weigh(const ItemLabels::Entry& entry, std::span<double> scores) const {
    const Coin& coin = coins_[entry.worker];
    const double wrong = coin.log_wrong - log_others_;
    for (std::size_t k = 0; k < scores.size(); ++k)
      scores[k] += k == entry.label ? coin.log_right : wrong;
  }

  std::vector<double> reliability() const {
    std::vector<double> chances;
    for (const Coin& coin : coins_)
      chances.push_back(coin.all > 0 ? coin.reliability : std::nan(""));
    return chances;
  }

 private:
  struct Coin {
    double right = 0, all = 0;  // right ones as expected
    double reliability = 0, log_right = 0, log_wrong = 0;
  };
  std::vector<Coin> coins_;
  double smoothing_;
  double log_others_;
};

}  // namespace

Result<Aggregation> one_coin(const model::LabelSet& labels, const EmOptions& options) {
  check_options("one_coin", options);
  const double numbers =
      static_cast<double>(labels.item_count) * labels.class_count + 5.0 * labels.worker_count;
  TRY(check_size("one-coin", labels, numbers));
  Coins coins(labels, options.smoothing);
  Em em(labels, coins);
  Aggregation result;
  result.fit = em.run(options);
  result.answers = with_answers(em.take_classes(), labels);
  result.workers.reliability = coins.reliability();
  return result;
}

}  // namespace allot::aggregate
