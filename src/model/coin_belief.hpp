// A worker's coins as Betas, or as a mixture of worker types with Betas, moved by moment matching.
//
// The likelihood of a label is linear in either coin, so each moves by math::matched_after: with p
// the item's mean and one coin rho
//   positive:  p rho + (1-p)(1-rho)          [CLZ eq:Z_1],  negative: p and 1-p swapped,
// with two coins s and t, the other one at its mean,
//   positive:  p s + (1-p)(1-t),             negative:  p (1-s) + (1-p) t.
// The weight of a type is multiplied by the chance that it gave the label.
#pragma once

#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/math/beta_match.hpp"
#include "allot/model/prior.hpp"
#include "allot/model/worker_state.hpp"

namespace allot::model {

class CoinBelief {
 public:
  CoinBelief(const Prior& prior, Coins coins);
  /// One type with these coins; with one coin both must be the same.
  CoinBelief(const math::BetaShape& sensitivity, const math::BetaShape& specificity, Coins coins)
      : coins_(coins), types_{{1, sensitivity, specificity}} {}

  void record(double positive, Label label);
  WorkerState state() const;

  void save(ByteWriter& to) const { to.array(types_); }
  void load(ByteReader& from) { from.array(types_); }

 private:
  struct Type {
    double weight;
    math::BetaShape sensitivity, specificity;  // equal if there is one coin
  };
  /// Chance of the label if the item is positive with that probability.
  static double chance(const Type& type, double positive, Label label);
  void absorb(Type& type, double positive, Label label) const;

  Coins coins_;
  std::vector<Type> types_;
};

}  // namespace allot::model
