#include "sim/crowd_bounds.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace allot::sim {
namespace {

using model::Prior;
using policy::Roster;
using policy::RosterDraw;

constexpr std::uint64_t kSeed = 1;
/// Draws of the workers, and soft labels per draw (of a component of the prior).
constexpr std::uint64_t kDraws = 16;
constexpr std::uint32_t kQuantiles = 32, kClassDraws = 64;
/// Draws for recorded labels, and items per draw.
constexpr std::uint64_t kRecordedDraws = 8;
constexpr std::uint32_t kRecordedItems = 1000;

/// log f(theta) without a constant, which both theta and 1 - theta have.
double log_density(const Prior& prior, double theta) {
  double most = -HUGE_VAL, sum = 0;
  for (const auto& [weight, a, b] : prior.components()) {
    const double part = std::log(weight) + (a - 1) * std::log(theta) +
                        (b - 1) * std::log1p(-theta) - std::lgamma(a) - std::lgamma(b) +
                        std::lgamma(a + b);
    sum = part > most ? sum * std::exp(most - part) + 1 : sum + std::exp(part - most);
    most = std::max(most, part);
  }
  return most + std::log(sum);
}

/// One item with that soft label, and the crowd's labels of it.
Roster roster_of(const Prior& prior, double theta, double weight, const std::vector<double>& rho) {
  const double sure = std::clamp(std::max(theta, 1 - theta), 0.5, 1 - 1e-15);
  Roster roster;
  for (const double one : rho) {
    roster.reliabilities.push_back(one * sure + (1 - one) * (1 - sure));
  }
  roster.items.add(log_density(prior, sure) - log_density(prior, 1 - sure), weight);
  return roster;
}

RosterDraw draw_of(const Prior& prior, const std::vector<double>& rho, double offset) {
  RosterDraw rosters;
  for (const auto& [weight, a, b] : prior.components()) {
    for (std::uint32_t i = 0; i < kQuantiles; ++i) {
      const double theta = boost::math::ibeta_inv(a, b, (i + offset) / kQuantiles);
      rosters.push_back(roster_of(prior, theta, weight / kQuantiles, rho));
    }
  }
  return rosters;
}

Roster roster_of(const model::DirichletPrior& prior, const std::vector<double>& theta,
                 const std::vector<double>& rho, Rng& rng) {
  const auto largest = std::ranges::max_element(theta);
  const auto a = static_cast<std::size_t>(largest - theta.begin());
  std::size_t b = a == 0 ? 1 : 0;
  for (std::size_t c = 0; c < theta.size(); ++c) {
    if (c != a && theta[c] > theta[b]) b = c;
  }
  const auto others = static_cast<double>(theta.size() - 1);
  Roster roster;
  for (const double one : rho) {
    const auto chance = [&](double share) {
      return one * share + (1 - one) * (1 - share) / others;
    };
    const double first = chance(theta[a]), both = first + chance(theta[b]);
    roster.reliabilities.push_back(uniform(rng) < both ? first / both : 0.5);
  }
  // Shares that underflow are certainly the smaller ones.
  const double ratio = std::log(theta[a] / std::max(theta[b], 1e-300));
  const double lean = prior.alpha()[a] - prior.alpha()[b];
  roster.items.add(lean == 0 ? 0 : lean * ratio, 1);
  return roster;
}

RosterDraw draw_of(const model::DirichletPrior& prior, const std::vector<double>& rho, Rng& rng) {
  RosterDraw rosters;
  for (std::uint32_t i = 0; i < kClassDraws; ++i) {
    rosters.push_back(roster_of(prior, model::draw(prior, rng), rho, rng));
  }
  return rosters;
}

std::vector<double> reliabilities(const Simulation& simulation, std::uint64_t draw) {
  constexpr auto kPurpose = Rng::Purpose::reliability;
  if (!simulation.reliabilities.empty()) {
    return model::soft_labels(simulation.reliabilities, kSeed, draw, kPurpose);
  }
  return model::soft_labels(simulation.reliability, simulation.worker_count, kSeed, draw, kPurpose);
}

}  // namespace

std::optional<policy::RosterBound> crowd_bound(const Simulation& simulation) {
  const auto* prior = std::get_if<Prior>(&simulation.truth);
  const auto& classes = simulation.class_truth;
  if (!classes && !(prior && prior->is_proper())) return {};
  std::vector<RosterDraw> draws;
  for (std::uint64_t n = 0; n < kDraws; ++n) {
    const std::vector<double> rho = reliabilities(simulation, n);
    Rng rng(kSeed, Rng::Purpose::soft_label, n);
    draws.push_back(classes ? draw_of(*classes, rho, rng) : draw_of(*prior, rho, uniform(rng)));
  }
  return policy::RosterBound(std::vector(simulation.worker_count, 1.0), draws);
}

policy::RosterBound crowd_bound(const model::LabelSet& labels, const model::BinaryCrowd& crowd,
                                double log_odds) {
  std::vector<std::vector<std::uint32_t>> workers(labels.item_count);
  for (const model::GivenLabel& one : labels.labels) {
    workers[position(one.item)].push_back(position(one.worker));
  }
  const std::uint32_t items = std::min(labels.item_count, kRecordedItems);
  std::vector<RosterDraw> draws;
  for (std::uint64_t n = 0; n < kRecordedDraws; ++n) {
    Rng rng(kSeed, Rng::Purpose::reliability, n);
    RosterDraw rosters;
    const std::uint64_t first = below(rng, labels.item_count);
    for (std::uint64_t i = 0; i < items; ++i) {
      // Evenly spaced, so that every part of the recording counts.
      auto& these = workers[(first + i * labels.item_count / items) % labels.item_count];
      std::ranges::sort(these);
      const auto again = std::ranges::unique(these);
      these.erase(again.begin(), again.end());
      Roster roster;
      for (const std::uint32_t j : these) {
        roster.reliabilities.push_back(policy::draw_label(crowd[WorkerId{j}].mean, rng));
      }
      roster.items.add(log_odds, 1);
      rosters.push_back(std::move(roster));
    }
    draws.push_back(std::move(rosters));
  }
  return {std::vector(std::max(labels.worker_count, 1U), 1.0), draws};
}

}  // namespace allot::sim
