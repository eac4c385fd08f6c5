// Observations and bets of sequential audits, by exact enumeration.
#include "audit/betting.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace allot::test::betting_test {
namespace {

using audit::Bettor;
using audit::Population;
using audit::Round;

struct Member {
  double value, guess, weight;
};

const std::vector<Member> kMembers{
    {1, 0.99, 0.1}, {0, 0.95, 0.15}, {1, 0.5, 0.3}, {0, 0.7, 0.25}, {1, 0.2, 0.2}};

Population population() {
  Population all;
  for (const auto& [value, guess, weight] : kMembers) all.add(guess, weight);
  return all;
}

/// Visits every order of draws up to a depth with its probability and rounds.
void enumerate(int depth, const std::function<void(double, const std::vector<Round>&)>& visit) {
  const std::function<void(std::vector<bool>, const Bettor&, double, std::vector<Round>)> go =
      [&](const std::vector<bool>& drawn, const Bettor& bettor, double chance,
          const std::vector<Round>& rounds) {
        visit(chance, rounds);
        if (static_cast<int>(rounds.size()) == depth) return;
        double left = 0;
        for (std::size_t i = 0; i < kMembers.size(); ++i) left += drawn[i] ? 0 : kMembers[i].weight;
        for (std::size_t i = 0; i < kMembers.size(); ++i) {
          if (drawn[i]) continue;
          const auto& [value, guess, weight] = kMembers[i];
          std::vector<bool> then(drawn);
          then[i] = true;
          Bettor bets(bettor);
          std::vector<Round> more(rounds);
          more.push_back(bets.next(value, guess, weight));
          go(then, bets, chance * weight / left, more);
        }
      };
  go(std::vector<bool>(kMembers.size()), Bettor(population(), 0.05), 1, {});
}

TEST(Betting, ObservationsAreUnbiasedWhateverWasDrawnBefore) {
  constexpr double kMean = 3.0 / 5;
  std::vector<double> means(6), chances(6), squares(6);
  enumerate(5, [&](double chance, const std::vector<Round>& rounds) {
    if (rounds.empty()) return;
    means[rounds.size()] += chance * rounds.back().x;
    chances[rounds.size()] += chance;
    // The observation times any function of those before it, such as their sum, is unbiased too.
    double before = 0;
    for (std::size_t i = 0; i + 1 < rounds.size(); ++i) before += rounds[i].x;
    squares[rounds.size()] += chance * before * (rounds.back().x - kMean);
    EXPECT_GE(rounds.back().x, rounds.back().least - 1e-12);
    EXPECT_LE(rounds.back().x, rounds.back().most + 1e-12);
  });
  for (std::size_t t = 1; t <= 5; ++t) {
    EXPECT_NEAR(chances[t], 1, 1e-12);
    EXPECT_NEAR(means[t], kMean, 1e-12) << t;
    EXPECT_NEAR(squares[t], 0, 1e-12) << t;
  }
}

/// Ville's inequality, exactly: the true mean is rejected with a probability of at most the risk.
TEST(Betting, RejectsTheTrueMeanSeldom) {
  for (const double risk : {0.5, 0.3, 0.2}) {
    double rejected = 0, mirrored = 0;
    enumerate(5, [&](double chance, const std::vector<Round>& rounds) {
      if (rounds.size() < 5) return;
      if (audit::lower_bound(rounds, risk) > 0.6 + 1e-9) rejected += chance;
      if (audit::upper_bound(rounds, risk) < 0.6 - 1e-9) mirrored += chance;
    });
    EXPECT_LE(rejected, risk);
    EXPECT_LE(mirrored, risk);
  }
}

TEST(Betting, RejectsAllMeansBelowARejectedOne) {
  Bettor bettor(population(), 0.4);
  std::vector<Round> rounds;
  for (const std::size_t i : {2U, 0U, 4U, 3U}) {
    const auto& [value, guess, weight] = kMembers[i];
    rounds.push_back(bettor.next(value, guess, weight));
  }
  const double bound = audit::lower_bound(rounds, 0.4);
  EXPECT_GT(bound, 0);
  for (double mean = 0; mean <= 1; mean += 0.005)
    EXPECT_EQ(audit::rejection(rounds, mean, 0.4).has_value(), mean <= bound) << mean;
}

}  // namespace
}  // namespace allot::test::betting_test
