// Where the true soft labels of a simulation come from.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "allot/base/rng.hpp"
#include "allot/model/prior.hpp"

namespace allot::model {

/// A proper distribution from which every item's soft label is drawn, or the soft labels
/// themselves, one an item.
using SoftLabels = std::variant<Prior, std::vector<double>>;

/// theta ~ p(theta); the distribution must be proper.
double draw(const Prior& distribution, Rng& rng);

/// The soft labels of one run, or the workers' reliabilities. A given list must have `count`
/// members.
std::vector<double> soft_labels(const SoftLabels& source, std::uint32_t count, std::uint64_t seed,
                                std::uint64_t run, Rng::Purpose purpose = Rng::Purpose::soft_label);

}  // namespace allot::model
