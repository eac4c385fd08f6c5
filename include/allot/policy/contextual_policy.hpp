// Policies for items with features.
//
//   policy->start(belief) -> chooser;  then  item = chooser->choose(rng),
//   belief.record(item, label), chooser->refresh(item), as often as the budget allows.
//
// A label moves the index of every item, so nothing can be kept from one decision to the next: a
// decision costs n K (p + 120) multiply-adds or what takes as long, n being the candidates. Where
// all open items fit the cost limit, all are candidates and the choice is exact. Otherwise half of
// the candidates are the open items with the largest
//   variance of the logit x variance of the label, s2 q (1 - q),
// and half are drawn at random from the others; which follows from the seed and the number of
// labels alone. Items with the same features are one candidate and share their index.
//
// Ties (policy/ties.hpp): every tied item with the same chance, or the first.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"
#include "allot/model/contextual.hpp"
#include "allot/model/contextual_classes.hpp"
#include "allot/policy/policy.hpp"

namespace allot::policy {

struct ContextualPolicyOptions {
  TieBreak ties = TieBreak::random;
  /// Multiply-adds a decision may take. The default is about a quarter of a second on one core with
  /// wide vectors: exact up to 4,000 different items with 100 features.
  double cost_limit = 4e9;
  /// Of the candidates that are drawn.
  std::uint64_t seed = 0;
  /// Who will be asked; for two classes only.
  model::Channel worker = {};
};

/// Immutable once made; one object serves every thread.
class ContextualPolicy {
 public:
  virtual ~ContextualPolicy() = default;
  /// As written in the command line, the API and logs: "opt-kg", "cvar:0.7".
  virtual std::string name() const = 0;
  /// The belief must outlive the chooser. Choosing with every item excluded throws
  /// std::invalid_argument.
  virtual std::unique_ptr<Chooser> start(const model::Contextual& belief) const = 0;
  virtual std::unique_ptr<Chooser> start(const model::ContextualClasses& belief) const = 0;
  std::unique_ptr<Chooser> start(model::Contextual&&) const = delete;
  std::unique_ptr<Chooser> start(model::ContextualClasses&&) const = delete;
};

/// One of "uniform", "kg", "opt-kg", "pessimistic-kg", "cvar:ALPHA" and "lu" (the answer most
/// likely to be wrong).
Result<std::shared_ptr<const ContextualPolicy>> make_contextual_policy(
    std::string_view name, const ContextualPolicyOptions& options = {});

}  // namespace allot::policy
