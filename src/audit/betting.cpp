#include "audit/betting.hpp"

#include <algorithm>
#include <cmath>

namespace allot::audit {
namespace {

constexpr double kLargestPart = 0.75;
constexpr double kFirstVariance = 0.1;
constexpr int kHalvings = 40;

}  // namespace

void Population::add(double guess, double member_weight) {
  ++members;
  guesses += guess;
  weight += member_weight;
  most_positive = std::max(most_positive, guess / member_weight);
  most_negative = std::max(most_negative, (1 - guess) / member_weight);
}

Bettor::Bettor(const Population& population, double risk)
    : left_(population),
      members_(population.members),
      log_stake_(std::log(1 / risk)),
      sum_(population.guesses / population.members),
      squares_(kFirstVariance) {}

Round Bettor::next(double value, double guess, double weight) {
  ++rounds_;
  const double known = drawn_ + left_.guesses;
  const double bet =
      std::sqrt(2 * log_stake_ / (squares_ * std::log1p(rounds_)));  // v t is the sum of squares
  const Round round{(known + (value - guess) * left_.weight / weight) / members_,
                    (known - left_.weight * left_.most_positive) / members_,
                    (known + left_.weight * left_.most_negative) / members_, bet};
  sum_ += round.x;
  const double distance = round.x - sum_ / (rounds_ + 1);
  squares_ += distance * distance;
  drawn_ += value;
  left_.guesses -= guess;
  left_.weight -= weight;
  return round;
}

bool Capital::play(const Round& round) {
  if (rejects_) return true;
  const double room = mean_ - round.least;
  // X is never below its range, so neither is its mean.
  if (room < 0) return rejects_ = true;
  const double part = room * round.bet > kLargestPart ? kLargestPart / room : round.bet;
  capital_ *= 1 + part * (round.x - mean_);
  return rejects_ = capital_ >= goal_;
}

std::optional<std::size_t> rejection(std::span<const Round> rounds, double mean, double risk) {
  Capital capital(mean, risk);
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (capital.play(rounds[i])) return i + 1;
  }
  return {};
}

double lower_bound(std::span<const Round> rounds, double risk) {
  double rejected = 0, open = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (rejected + open) / 2;
    (rejection(rounds, middle, risk) ? rejected : open) = middle;
  }
  return rejected;
}

double upper_bound(std::span<const Round> rounds, double risk) {
  std::vector<Round> mirrored;
  for (const Round& round : rounds)
    mirrored.push_back({1 - round.x, 1 - round.most, 1 - round.least, round.bet});
  return 1 - lower_bound(mirrored, risk);
}

}  // namespace allot::audit
