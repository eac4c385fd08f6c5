// Distributions of soft labels as people write them.
//
//   uniform  jeffreys  haldane  beta:4,1  mix:0.6*beta(5,1)+0.4*beta(1,5)
// With several classes, one parameter for all or one per class:
//   uniform  jeffreys  dirichlet:0.5  dirichlet:2,1,1
// A prior of binary items can also be learned from the labels:
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

/// Parses a prior of two classes; the second class is the positive one: dirichlet:B,A is beta:A,B.
/// Error messages name the text and the accepted forms.
Result<model::Prior> parse_prior(std::string_view text);

/// A prior of binary items, and how to learn it from labels if at all.
struct ItemPrior {
  /// The prior before the first labels.
  model::Prior prior;
  /// Family to learn; nothing if the prior is fixed.
  std::optional<model::PriorLearning> learn = {};
};

/// Parses a prior as parse_prior does, or "learn" (a Beta distribution) or "learn:mixture". Both
/// start from the uniform prior.
Result<ItemPrior> parse_item_prior(std::string_view text);

/// Parses a prior of at least two classes; of two also beta:A,B. Refuses mixtures and improper
/// priors.
Result<model::DirichletPrior> parse_dirichlet_prior(std::string_view text,
                                                    std::uint32_t class_count);

/// Refuses a text that is not a prior for any number of classes. For use before their number is
/// known.
Result<void> check_prior(std::string_view text);

/// Parses a proper distribution as above, or a list of soft labels from 0 to 1 with ranges:
/// "0.1,0.25,0.9" or "0..1:0.05". Error messages call the numbers `plural`.
Result<model::SoftLabels> parse_soft_labels(std::string_view text,
                                            std::string_view plural = "soft labels");

}  // namespace allot::io
