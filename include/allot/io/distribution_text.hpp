// Distributions of soft labels as people write them.
//
//   uniform  jeffreys  haldane  beta:4,1  mix:0.6*beta(5,1)+0.4*beta(1,5)
// and of those of several classes, one parameter for all or one a class:
//   uniform  jeffreys  dirichlet:0.5  dirichlet:2,1,1
// A prior of yes/no items can be left to the labels:
//   learn  learn:mixture
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "allot/base/result.hpp"
#include "allot/model/multiclass_belief.hpp"
#include "allot/model/prior.hpp"
#include "allot/model/prior_fit.hpp"
#include "allot/model/soft_labels.hpp"

namespace allot::io {

/// A prior of two classes, of which the second is the positive one: dirichlet:B,A is beta:A,B.
/// Refusals name the text and what would be accepted.
Result<model::Prior> parse_prior(std::string_view text);

/// A prior of yes/no items, or how one is to be learned; before the first labels it is `prior`.
struct ItemPrior {
  model::Prior prior;
  std::optional<model::PriorLearning> learn = {};
};

/// As parse_prior, and "learn" (a Beta distribution) and "learn:mixture", both from the uniform
/// prior on.
Result<ItemPrior> parse_item_prior(std::string_view text);

/// A prior of at least two classes; of two also beta:A,B. Mixtures and improper priors are refused.
Result<model::DirichletPrior> parse_dirichlet_prior(std::string_view text,
                                                    std::uint32_t class_count);

/// Refuses what is a prior for no number of classes, before their number is known.
Result<void> check_prior(std::string_view text);

/// A proper distribution as above, or soft labels from 0 to 1: a list with ranges, "0.1,0.25,0.9"
/// or "0..1:0.05". Refusals call the numbers `plural`.
Result<model::SoftLabels> parse_soft_labels(std::string_view text,
                                            std::string_view plural = "soft labels");

}  // namespace allot::io
