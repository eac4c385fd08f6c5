#include "allot/audit/sequential_estimate.hpp"

#include <algorithm>

#include "allot/base/check.hpp"
#include "allot/base/rng.hpp"
#include "audit/betting.hpp"
#include "audit/streams.hpp"

namespace allot::audit {
namespace {

constexpr std::uint64_t kFutures = 25, kMostFurtherChecks = 100'000;
/// Bounds that differ by less are equal.
constexpr double kRounding = 1e-9;

double guess_of_right(const SequentialDesign& design, ItemId item) {
  return design.stated()[position(item)];
}

/// Bounds, and whether those of the bets leave no value between them.
struct FoundBounds {
  Bounds bounds;
  bool crossed;
};

/// Bounds of the mean value of the members, from those drawn.
template <typename Member, typename Value, typename Guess>
FoundBounds find_bounds(const SequentialDesign& design, std::span<const Verdict> verdicts,
                        double risk, Member member, Value value, Guess guess) {
  Population population;
  for (std::uint32_t i = 0; i < design.stated().size(); ++i) {
    if (member(ItemId{i})) population.add(guess(ItemId{i}), design.weight(design.stated()[i]));
  }
  std::vector<Round> one_sided, two_sided;
  Bettor one(population, risk), two(population, risk / 2);
  double sum = 0, positive = 0, negative = 0;
  for (const Verdict& verdict : verdicts) {
    if (!member(verdict.item)) continue;
    const double weight = design.weight(design.stated()[position(verdict.item)]);
    const bool is = value(verdict);
    one_sided.push_back(one.next(is, guess(verdict.item), weight));
    two_sided.push_back(two.next(is, guess(verdict.item), weight));
    sum += one_sided.back().x;
    (is ? positive : negative) += 1;
  }
  // Members that were drawn are known.
  const double least = positive / population.members;
  const double most = (population.members - negative) / population.members;
  const auto possible = [&](double share) { return std::max(least, std::min(share, most)); };
  const double rounds = static_cast<double>(one_sided.size());
  const double mean = rounds > 0 ? sum / rounds : population.guesses / population.members;
  const double lower = lower_bound(one_sided, risk), low = lower_bound(two_sided, risk / 2);
  const double high = upper_bound(two_sided, risk / 2);
  const bool crossed = least < most && (std::max(lower, low) > std::min(high, most) + kRounding ||
                                        high < least - kRounding);
  if (crossed) return {{possible(mean), least, least, most}, true};
  return {{possible(mean), possible(lower), possible(low), possible(high)}, false};
}

template <typename Member, typename Value, typename Guess>
Bounds bounds(const SequentialDesign& design, std::span<const Verdict> verdicts, double risk,
              Member member, Value value, Guess guess) {
  return find_bounds(design, verdicts, risk, member, value, guess).bounds;
}

FoundBounds accuracy_of(const SequentialDesign& design, std::span<const Verdict> verdicts,
                        double risk) {
  return find_bounds(
      design, verdicts, risk, [](ItemId) { return true; },
      [](const Verdict& verdict) { return verdict.right(); },
      [&](ItemId item) { return guess_of_right(design, item); });
}

/// Bets on the accuracy of all answers, round by round.
Bettor bettor_on_accuracy(const SequentialDesign& design, double risk) {
  Population population;
  for (const double p : design.stated()) population.add(p, design.weight(p));
  return {population, risk};
}

/// The chance of a right answer in each stratum, as the verdicts say.
std::vector<double> rates(const SequentialDesign& design, std::span<const Verdict> verdicts) {
  std::vector<double> right(design.strata().size()), checked(right.size());
  double all_right = 0.5, all = 1;
  for (const Verdict& verdict : verdicts) {
    const std::uint32_t stratum = design.stratum(verdict.item);
    right[stratum] += verdict.right();
    ++checked[stratum];
    all_right += verdict.right();
    ++all;
  }
  // One more check at the rate of all, so that a few verdicts are no certainty.
  for (std::size_t h = 0; h < right.size(); ++h)
    right[h] = (right[h] + all_right / all) / (checked[h] + 1);
  return right;
}

}  // namespace

SequentialEstimate::SequentialEstimate(const SequentialDesign& design,
                                       std::span<const Verdict> verdicts, double confidence)
    : design_(design), risk_(1 - confidence), verdicts_(verdicts.begin(), verdicts.end()) {
  constexpr std::string_view kName = "SequentialEstimate";
  require(confidence >= 0.5 && confidence < 1, kName, "confidence", confidence,
          "expected at least 0.5 and less than 1");
  require(verdicts.size() <= design.draws().size(), kName, "number of verdicts",
          static_cast<double>(verdicts.size()), "expected at most one per draw");
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    require(verdicts[i].item == design.draws()[i].item, kName, "item of a verdict",
            position(verdicts[i].item), "expected verdicts in the order of the draws");
  }
}

std::uint64_t SequentialEstimate::right() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(verdicts_, &Verdict::right));
}

Bounds SequentialEstimate::accuracy() const {
  return accuracy_of(design_, verdicts_, risk_).bounds;
}

bool SequentialEstimate::is_contradictory() const {
  return accuracy_of(design_, verdicts_, risk_).crossed;
}

std::vector<StratumEstimate> SequentialEstimate::strata() const {
  std::vector<StratumEstimate> estimates;
  for (std::uint32_t h = 0; h < design_.strata().size(); ++h) {
    // Draws that fall into a stratum are drawn from it in the same way.
    const auto member = [&](ItemId item) { return design_.stratum(item) == h; };
    StratumEstimate estimate{0, 0,
                             bounds(
                                 design_, verdicts_, risk_, member,
                                 [](const Verdict& verdict) { return verdict.right(); },
                                 [&](ItemId item) { return guess_of_right(design_, item); })};
    for (const Verdict& verdict : verdicts_) {
      estimate.checked += member(verdict.item);
      estimate.right += member(verdict.item) && verdict.right();
    }
    estimates.push_back(estimate);
  }
  return estimates;
}

std::vector<Bounds> SequentialEstimate::shares(std::span<const ClassId> answers,
                                               std::uint32_t class_count) const {
  require(answers.size() == design_.stated().size(), "SequentialEstimate::shares",
          "number of answers", static_cast<double>(answers.size()), "expected one per item");
  std::vector<Bounds> shares;
  for (std::uint32_t k = 0; k < class_count; ++k) {
    // What the stated probability of the answer leaves goes to the other classes evenly.
    const auto guess = [&](ItemId item) {
      const double p = guess_of_right(design_, item);
      return answers[position(item)] == ClassId{k} ? p : (1 - p) / (class_count - 1);
    };
    shares.push_back(bounds(
        design_, verdicts_, risk_, [](ItemId) { return true; },
        [k](const Verdict& verdict) { return verdict.truth == ClassId{k}; }, guess));
  }
  return shares;
}

std::optional<std::uint64_t> SequentialEstimate::certified_after(double target) const {
  Bettor bettor = bettor_on_accuracy(design_, risk_);
  std::vector<Round> rounds;
  std::uint64_t right = 0;
  for (const Verdict& verdict : verdicts_) {
    const double p = guess_of_right(design_, verdict.item);
    rounds.push_back(bettor.next(verdict.right(), p, design_.weight(p)));
    right += verdict.right();
    const double known = static_cast<double>(right) / static_cast<double>(design_.stated().size());
    if (known >= target) return rejection(rounds, target, risk_).value_or(rounds.size());
  }
  const auto rejected = rejection(rounds, target, risk_);
  return rejected && is_contradictory() ? std::nullopt : rejected;
}

std::optional<std::uint64_t> SequentialEstimate::checks_to_prove(double target) const {
  if (certified_after(target)) return 0;
  Bettor bettor = bettor_on_accuracy(design_, risk_);
  Capital capital(target, risk_);
  for (const Verdict& verdict : verdicts_) {
    const double p = guess_of_right(design_, verdict.item);
    capital.play(bettor.next(verdict.right(), p, design_.weight(p)));
  }
  const std::uint64_t answers = design_.stated().size();
  SequentialDesign further(design_);
  const auto draws = further.draw(std::min(answers, verdicts_.size() + kMostFurtherChecks))
                         .subspan(verdicts_.size());
  const std::vector<double> chances = rates(design_, verdicts_);
  std::vector<std::uint64_t> needed;
  for (std::uint64_t future = 0; future < kFutures; ++future) {
    Rng rng(0, Rng::Purpose::general, kForecast, static_cast<std::uint32_t>(future));
    Bettor bets(bettor);
    Capital grown(capital);
    std::uint64_t checks = 0;
    std::uint64_t found = right();
    // Answers that are known to be right prove the target without any bet.
    const auto is_proven = [&] {
      return grown.rejects() || static_cast<double>(found) >= target * static_cast<double>(answers);
    };
    while (!is_proven() && checks < draws.size()) {
      const Draw& draw = draws[checks++];
      const double p = guess_of_right(design_, draw.item);
      const bool is_right = uniform(rng) < chances[draw.stratum];
      found += is_right;
      grown.play(bets.next(is_right, p, design_.weight(p)));
    }
    needed.push_back(is_proven() ? checks : UINT64_MAX);
  }
  std::ranges::nth_element(needed, needed.begin() + kFutures / 2);
  const std::uint64_t median = needed[kFutures / 2];
  if (median < UINT64_MAX) return median;
  // Futures are less sure than a few verdicts. If these are right often enough, all answers may be.
  const bool all_would_do = !verdicts_.empty() && verdicts_.size() + draws.size() == answers &&
                            accuracy().estimate >= target;
  return all_would_do ? std::optional<std::uint64_t>(draws.size()) : std::nullopt;
}

}  // namespace allot::audit
