// Forecasts for several classes, against those of two, against exact sums and against campaigns
// that are played with a truth. Standard errors are those of 6,000 items, .003 or less; a right
// program differs by more than is allowed about once in ten thousand seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "allot/base/rng.hpp"
#include "allot/model/prior.hpp"
#include "allot/policy/forecast.hpp"
#include "allot/policy/registry.hpp"
#include "allot/sim/experiment.hpp"

namespace allot::policy::multiclass_forecast_test {
namespace {

using model::DirichletPrior;

TEST(MulticlassForecast, OfTwoClassesIsTheForecastOfTwo) {
  const auto expect = [](const auto& labels, const model::Prior& prior, std::uint64_t items,
                         const std::vector<double>& multiples) {
    Forecast opt_kg("opt-kg", prior, items), equal("least-labelled", prior, items);
    std::vector<double> budgets;
    for (const double each : multiples) {
      budgets.push_back(each * static_cast<double>(items));
    }
    const auto got = multiclass_forecast(labels, items, budgets);
    ASSERT_EQ(got.size(), budgets.size());
    for (std::size_t n = 0; n < budgets.size(); ++n) {
      EXPECT_NEAR(got[n].opt_kg, opt_kg.accuracy(budgets[n]), 0.007) << items << " " << budgets[n];
      EXPECT_NEAR(got[n].equal, equal.accuracy(budgets[n]), 0.007) << items << " " << budgets[n];
    }
  };
  for (const std::uint64_t items : {40, 300, 100'000}) {
    expect(DirichletPrior::symmetric(2), model::Prior::uniform(), items, {1, 2, 3, 5, 10, 20});
  }
  // 40 labels say how often workers are right.
  expect(ClearItems{2, 0.8}, model::Prior::mixture({{0.5, 32, 8}, {0.5, 8, 32}}), 100'000,
         {1, 2, 3, 5});
}

TEST(MulticlassForecast, OfEqualSplittingIsTheSumOverAllThatCanBeSaid) {
  for (const DirichletPrior& prior :
       {DirichletPrior::symmetric(3), DirichletPrior::symmetric(4, 0.5),
        DirichletPrior::dirichlet({3, 1, 0.5})}) {
    const std::uint32_t classes = prior.class_count();
    for (const std::uint32_t labels : {1U, 2U, 3U, 4U}) {
      double exact = 0;
      for (std::uint32_t n = 0; n < std::pow(classes, labels); ++n) {
        model::DirichletBelief belief{{prior.alpha().begin(), prior.alpha().end()}};
        double chance = 1;
        for (std::uint32_t k = 0, rest = n; k < labels; ++k, rest /= classes) {
          chance *= model::chances(belief)[rest % classes];
          belief = belief.after(ClassId{rest % classes});
        }
        exact += chance * (1 - model::error_probability(belief));
      }
      const std::vector<double> budgets{300.0 * labels};
      EXPECT_NEAR(multiclass_forecast(prior, 300, budgets)[0].equal, exact, 0.007)
          << classes << labels;
    }
  }
}

/// Unclear items, played by the policies themselves against thetas that they do not know.
TEST(MulticlassForecast, OfUnclearItemsIsWhatCampaignsReach) {
  for (const DirichletPrior& prior : {DirichletPrior::symmetric(3), DirichletPrior::symmetric(5),
                                      DirichletPrior::dirichlet({2, 1, 1, 0.5})}) {
    const sim::Experiment experiment{
        .world = sim::Simulation{.item_count = 60, .class_truth = prior},
        .workers = sim::AlikeWorkers{.prior = prior},
        .policies = {make_policy("opt-kg", TieBreak::random).value()},
        .budgets = {60, 180, 600},
        .runs = 150,
        .seed = 7};
    const auto rows = sim::run(experiment).value();
    const auto got = multiclass_forecast(prior, 60, std::vector<double>{60, 180, 600});
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_NEAR(got[n].opt_kg, rows[n].accuracy, 4 * std::hypot(rows[n].standard_error, 0.003))
          << prior.class_count() << " " << n;
    }
  }
}

/// A campaign of clear items by the plainest means: beliefs are products of chances, and every item
/// is looked at for every label.
class PlainCampaign {
 public:
  PlainCampaign(const ClearItems& items, std::size_t count, std::uint64_t run)
      : right_(40 * items.reliability),
        wrong_((40 - right_) / (items.class_count - 1.0)),
        rng_(3, Rng::Purpose::general, run) {
    for (std::size_t i = 0; i < count; ++i) {
      truth_.push_back(below(rng_, items.class_count));
      // A Dirichlet distribution, one share of what is left after the other.
      std::vector<double> alpha(items.class_count, wrong_), theta;
      alpha[truth_.back()] = right_;
      double left = 1, rest = 40;
      for (const double one : alpha) {
        rest -= one;
        theta.push_back(rest > 1e-9 ? left * beta(rng_, one, rest) : left);
        left -= theta.back();
      }
      thetas_.push_back(theta);
      counts_.emplace_back(items.class_count);
      gains_.push_back(best_gain(counts_.back()));
    }
  }

  void label(std::size_t item) {
    double at = uniform(rng_);
    std::size_t said = 0;
    while (said + 1 < thetas_[item].size() && (at -= thetas_[item][said]) >= 0) ++said;
    ++counts_[item][said];
    gains_[item] = best_gain(counts_[item]);
  }
  void label_best() {
    label(static_cast<std::size_t>(std::ranges::max_element(gains_) - gains_.begin()));
  }
  double accuracy() const {
    double right = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const auto most = std::ranges::max_element(counts_[i]);
      const auto tied = std::ranges::count(counts_[i], *most);
      if (counts_[i][truth_[i]] == *most) right += 1.0 / static_cast<double>(tied);
    }
    return right / static_cast<double>(counts_.size());
  }

 private:
  using Counts = std::vector<double>;

  /// Of the likeliest class, from the chances of all labels under each.
  double sureness(const Counts& counts) const {
    std::vector<double> chances;
    for (std::size_t z = 0; z < counts.size(); ++z) {
      double chance = 1;
      for (std::size_t c = 0; c < counts.size(); ++c) {
        for (double n = 0; n < counts[c]; ++n) chance *= (c == z ? right_ : wrong_) + n;
      }
      chances.push_back(chance);
    }
    return std::ranges::max(chances) / std::accumulate(chances.begin(), chances.end(), 0.0);
  }
  double best_gain(const Counts& counts) const {
    double best = -1;
    for (std::size_t y = 0; y < counts.size(); ++y) {
      Counts after = counts;
      ++after[y];
      best = std::max(best, sureness(after) - sureness(counts));
    }
    return best;
  }

  const double right_, wrong_;
  Rng rng_;
  std::vector<std::size_t> truth_;
  std::vector<std::vector<double>> thetas_;
  std::vector<Counts> counts_;
  std::vector<double> gains_;
};

TEST(MulticlassForecast, OfClearItemsIsWhatPlainCampaignsReach) {
  constexpr int kRuns = 250;
  constexpr std::size_t kItems = 24;
  for (const ClearItems& items : {ClearItems{3, 0.6}, ClearItems{5, 0.7}}) {
    const std::vector<double> budgets{24, 60, 120};
    std::vector<double> opt_kg(3), equal(3);
    for (int run = 0; run < kRuns; ++run) {
      PlainCampaign adaptive(items, kItems, run), even(items, kItems, run + kRuns);
      std::size_t asked = 0;
      for (std::size_t n = 0; n < 3; ++n) {
        for (; asked < static_cast<std::size_t>(budgets[n]); ++asked) {
          adaptive.label_best();
          even.label(asked % kItems);
        }
        opt_kg[n] += adaptive.accuracy() / kRuns;
        equal[n] += even.accuracy() / kRuns;
      }
    }
    const auto got = multiclass_forecast(items, kItems, budgets);
    for (std::size_t n = 0; n < 3; ++n) {
      const double error = std::sqrt(0.25 / (kRuns * kItems));
      EXPECT_NEAR(got[n].opt_kg, opt_kg[n], 4 * error) << items.class_count << " " << n;
      EXPECT_NEAR(got[n].equal, equal[n], 4 * error) << items.class_count << " " << n;
    }
  }
}

TEST(MulticlassForecast, IsTheSameAgainAndEndsWhereLabelsDo) {
  const std::vector<double> budgets{0, 100, 100, 5e4, 1e5, 1e9};
  for (const std::uint32_t classes : {3U, 20U}) {
    const auto once = multiclass_forecast(ClearItems{classes, 0.8}, 1000, budgets);
    const auto again = multiclass_forecast(ClearItems{classes, 0.8}, 1000, budgets);
    for (std::size_t n = 0; n < budgets.size(); ++n) {
      EXPECT_EQ(once[n].opt_kg, again[n].opt_kg);
      EXPECT_EQ(once[n].equal, again[n].equal);
    }
    EXPECT_NEAR(once[0].opt_kg, 1.0 / classes, 1e-12);
    EXPECT_NEAR(once[0].equal, 1.0 / classes, 1e-12);
    EXPECT_EQ(once[1].opt_kg, once[2].opt_kg);
    EXPECT_EQ(once[4].equal, once[5].equal) << "100 labels per item are enough";
    EXPECT_GT(once[4].opt_kg, 0.999);
    EXPECT_GT(once[4].equal, 0.999);
  }
  const auto alone = multiclass_forecast(ClearItems{3, 0.8}, 1, std::vector<double>{1, 5});
  EXPECT_NEAR(alone[0].opt_kg, 0.8, 0.003);
  EXPECT_NEAR(alone[1].opt_kg, alone[1].equal, 1e-9) << "one item gets all";
  EXPECT_THROW(multiclass_forecast(ClearItems{3, 0.3}, 5, budgets), std::invalid_argument);
  EXPECT_THROW(multiclass_forecast(ClearItems{3, 1}, 5, budgets), std::invalid_argument);
  EXPECT_THROW(multiclass_forecast(ClearItems{3, 0.8}, 0, budgets), std::invalid_argument);
}

}  // namespace
}  // namespace allot::policy::multiclass_forecast_test
