// The paper's experiments, and short texts about them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allot/sim/experiment.hpp"
#include "reproduce/study.hpp"

namespace allot::reproduce {

/// Sizes of the simulated comparisons [CLZ sec:exp].
inline constexpr std::uint32_t kItems = 50, kWorkers = 100;

struct Shape {
  double a, b;

  model::Prior prior() const { return model::Prior::beta(a, b); }
  /// "Beta(0.5,0.5)", and as an option "beta:0.5,0.5".
  std::string text() const;
  std::string option() const;
  bool operator==(const Shape&) const = default;
};

inline constexpr Shape kUniform{1, 1}, kUsualWorkers{4, 1};

/// 2, 3, ..., 20 labels per item.
std::vector<std::uint64_t> usual_budgets(std::uint32_t items);

/// An experiment with alike workers; ties are broken at random.
sim::Experiment alike(const Settings& settings, const Shape& truth, const Shape& prior,
                      const std::vector<std::string>& policies);

/// Workers who differ, each asked at most once about an item; the paper's one pass.
sim::Experiment differing(const Settings& settings, const Shape& reliability,
                          const Shape& worker_prior, const std::vector<std::string>& policies);

/// The experiment with other beliefs about workers who differ.
sim::Experiment with_beliefs(sim::Experiment experiment, const model::CrowdOptions& beliefs);

std::vector<std::shared_ptr<const policy::Policy>> policies_named(
    const std::vector<std::string>& names, policy::TieBreak ties);

/// The statement about ties of all random studies.
Parameter ties_parameter();

}  // namespace allot::reproduce
