// Experiments as the paper has them, and short texts about them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allot/sim/crowd_experiment.hpp"
#include "allot/sim/experiment.hpp"
#include "reproduce/study.hpp"

namespace allot::reproduce {

/// Of the simulated comparisons [CLZ sec:exp].
inline constexpr std::uint32_t kItems = 50, kWorkers = 100;

struct Shape {
  double a, b;

  model::Prior prior() const { return model::Prior::beta(a, b); }
  /// "Beta(0.5,0.5)", and as options have it "beta:0.5,0.5".
  std::string text() const;
  std::string option() const;
  bool operator==(const Shape&) const = default;
};

inline constexpr Shape kUniform{1, 1}, kUsualWorkers{4, 1};

/// 2, 3, ..., 20 labels an item.
std::vector<std::uint64_t> usual_budgets(std::uint32_t items);

/// Workers who are alike; ties are broken at random.
sim::Experiment alike(const Settings& settings, const Shape& truth, const Shape& prior,
                      const std::vector<std::string>& policies);

/// Workers who differ, each asked at most once about an item; the paper's one pass.
sim::CrowdExperiment differing(const Settings& settings, const Shape& reliability,
                               const Shape& worker_prior, const std::vector<std::string>& policies);

std::vector<std::shared_ptr<const policy::Policy>> policies_named(
    const std::vector<std::string>& names, policy::TieBreak ties);
std::vector<std::shared_ptr<const policy::PairPolicy>> pair_policies_named(
    const std::vector<std::string>& names, policy::TieBreak ties);

/// What all studies with chance say about ties.
Parameter ties_parameter();

}  // namespace allot::reproduce
