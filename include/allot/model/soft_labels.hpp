// Where the true soft labels of a simulation come from.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "allot/base/rng.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/model/prior.hpp"

namespace allot::model {

/// A proper distribution from which every item's soft label is drawn, or the soft labels
/// themselves, one an item.
using SoftLabels = std::variant<Prior, std::vector<double>>;

/// theta ~ p(theta); the distribution must be proper.
double draw(const Prior& distribution, Rng& rng);
/// theta ~ Dirichlet(alpha), a share a class. Parameters may be as small as a DirichletPrior's:
/// shares that underflow are 0.
std::vector<double> draw(const DirichletPrior& distribution, Rng& rng);

/// The soft labels of one run, or the workers' reliabilities. A given list must have `count`
/// members.
std::vector<double> soft_labels(const SoftLabels& source, std::uint32_t count, std::uint64_t seed,
                                std::uint64_t run, Rng::Purpose purpose = Rng::Purpose::soft_label);
/// One from each distribution.
std::vector<double> soft_labels(std::span<const Prior> sources, std::uint64_t seed,
                                std::uint64_t run, Rng::Purpose purpose);
/// Of several classes: item by item, class by class.
std::vector<double> soft_labels(const DirichletPrior& source, std::uint32_t count,
                                std::uint64_t seed, std::uint64_t run);

}  // namespace allot::model
