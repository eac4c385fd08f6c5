// The belief about an item before its first label.
//
// A prior is a Beta distribution of the soft label theta or a mixture of them [CLZ sec:discussion]:
//   p(theta) = sum_m w_m Beta(a_m, b_m).
// The uniform prior suits balanced classes; where one class is rare, a matching prior saves more
// labels than any choice of policy [CLZ sec:exp_prior_instance]. Under Haldane's Beta(0,0) the
// first label decides entirely.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "allot/math/beta_match.hpp"

namespace allot::model {

/// One component of a mixture, w Beta(a, b).
struct BetaComponent {
  double weight = 1;  ///< share w of the mixture; 1 for a single Beta
  double a = 1;       ///< pseudo-count of positive labels
  double b = 1;       ///< pseudo-count of negative labels

  bool operator==(const BetaComponent&) const = default;
};

/// Distribution of a soft label or a reliability. An immutable value, 40 bytes; copies share the
/// components of a mixture.
class Prior {
 public:
  /// Beta(1,1).
  Prior() = default;
  /// Beta(a,b): both positive, or both 0. Throws std::invalid_argument otherwise.
  static Prior beta(double a, double b);
  /// Beta(1,1): all soft labels are equally likely.
  static Prior uniform() { return {}; }
  /// Beta(1/2,1/2), Jeffreys' prior: soft labels near 0 and 1 are more likely.
  static Prior jeffreys() { return beta(0.5, 0.5); }
  /// Beta(0,0), Haldane's prior: improper, the first label decides.
  static Prior haldane() { return beta(0, 0); }
  /// Mixture of Betas. Weights must be positive and are scaled to sum to 1; a and b must be
  /// positive. One component gives beta(a,b). Throws std::invalid_argument otherwise.
  static Prior mixture(std::vector<BetaComponent> components);

  /// Components with weights that sum to 1. Valid as long as this object.
  std::span<const BetaComponent> components() const;
  /// Whether there are two components or more.
  bool is_mixture() const { return mixture_ != nullptr; }
  /// False for Haldane's prior, from which no soft label can be drawn.
  bool is_proper() const { return is_mixture() || single_.a > 0; }
  /// Whether swapping the two labels leaves the prior as it is.
  bool is_symmetric() const { return mixture_ ? mixture_->symmetric : single_.a == single_.b; }

  /// Whether both have equal components in the same order.
  bool operator==(const Prior& other) const;

 private:
  struct Mixture {
    std::vector<BetaComponent> components;
    bool symmetric;
  };

  BetaComponent single_;
  std::shared_ptr<const Mixture> mixture_;
};

/// The Beta with the first two moments of a proper prior. Its pseudo-counts sum to
/// E(rho (1 - rho)) / Var(rho), computed without differences, which would cancel for a sharp prior.
math::BetaShape matched(const Prior& prior);

}  // namespace allot::model
