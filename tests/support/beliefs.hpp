// Small beliefs for tests.
#pragma once

#include "allot/model/belief.hpp"

namespace allot::test {

inline const model::Prior& uniform_prior() {
  static const model::Prior prior = model::Prior::uniform();
  return prior;
}

/// The belief Beta(a,b) with integers, as reached from the uniform prior.
inline model::ItemBelief beta_belief(std::uint32_t a, std::uint32_t b) {
  return {&uniform_prior(), {a - 1, b - 1}};
}

/// A symmetric mixture and one that is not.
inline model::Prior symmetric_mixture() {
  return model::Prior::mixture({{0.3, 5, 1}, {0.4, 1, 1}, {0.3, 1, 5}});
}
inline model::Prior skewed_mixture() {
  return model::Prior::mixture({{0.7, 6.5, 1}, {0.3, 1.5, 3}});
}

inline void record(model::Beliefs& beliefs, std::uint32_t item, model::Counts counts) {
  for (std::uint32_t i = 0; i < counts.positive; ++i) beliefs.record(ItemId{item}, Label::positive);
  for (std::uint32_t i = 0; i < counts.negative; ++i) beliefs.record(ItemId{item}, Label::negative);
}

}  // namespace allot::test
