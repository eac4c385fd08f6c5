// The true soft labels of a simulation.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "allot/base/rng.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/model/prior.hpp"

namespace allot::model {

/// A proper distribution to draw every soft label from, or the soft labels, one per item.
using SoftLabels = std::variant<Prior, std::vector<double>>;

/// Draws a soft label theta ~ p(theta); the distribution must be proper.
double draw(const Prior& distribution, Rng& rng);
/// Draws a soft label theta ~ Dirichlet(alpha), one share per class. Parameters can be as small as
/// those of a DirichletPrior: shares that underflow are 0.
std::vector<double> draw(const DirichletPrior& distribution, Rng& rng);

/// The soft labels of one run, or the workers' reliabilities. A given list has `count` members.
std::vector<double> soft_labels(const SoftLabels& source, std::uint32_t count, std::uint64_t seed,
                                std::uint64_t run, Rng::Purpose purpose = Rng::Purpose::soft_label);
/// Soft labels of one run, one from each distribution.
std::vector<double> soft_labels(std::span<const Prior> sources, std::uint64_t seed,
                                std::uint64_t run, Rng::Purpose purpose);
/// Multi-class soft labels of one run, item by item and class by class.
std::vector<double> soft_labels(const DirichletPrior& source, std::uint32_t count,
                                std::uint64_t seed, std::uint64_t run);

}  // namespace allot::model
