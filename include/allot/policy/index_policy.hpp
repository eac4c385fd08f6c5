// A policy that always asks for the label with the largest index [CLZ Algorithm 1 and the
// competitors of sec:exp].
//
// One index has up to five forms (IndexForms), and a policy has the forms that its index has. Where
// workers are alike, a label changes the index of one item and of no other, so a decision and an
// update cost O(log K) by IndexTree instead of the paper's O(K) scan; the choices are the same.
// Multi-class values are computed once per state; at most 2^17 states are kept.
//
// To add an index: write it for a binary item (model::ItemState) and for a multi-class one
// (index::MulticlassItemView), and give both to by_belief in a row of policy/registry.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "allot/index/contextual_reward.hpp"
#include "allot/policy/pair_policy.hpp"

namespace allot::policy {

/// One index in the forms it has. An empty form is one that the policy lacks.
struct IndexForms {
  /// Index of binary items where workers are alike.
  std::optional<index::Index> items = {};
  /// In place of `items` where the index depends on the budget; called once per budget.
  std::function<index::Index(std::uint64_t budget)> items_by_budget = {};
  /// Index of multi-class items where workers are alike.
  index::MulticlassIndex multiclass_items = {};
  /// Index of items with features where workers are alike.
  std::optional<index::FeatureIndex> feature_items = {};
  /// For pairs, binary ones or both kinds.
  std::optional<PairIndices> pairs = {};
  /// In place of `pairs` while more than one label per item is left and the policy chooses the
  /// worker, in refitted crowds (policy/choosers.hpp); the same kinds of pairs as `pairs`.
  std::optional<PairIndices> early_pairs = {};
  /// Whether some pairs of refitted crowds with more than two classes compare workers
  /// (docs/guide/policies.md).
  bool probes = false;
  /// Whether pairs are drawn with equal chances instead, both kinds.
  bool uniform_pairs = false;
  /// The aggregator that answers for pairs come from; empty for answers from beliefs.
  std::string_view answers_by = {};
  /// Whether ties are broken at random, whatever the rule.
  bool is_random = false;
};

/// Makes a policy with the given forms. `name` is the name to report, parameter included.
std::shared_ptr<const Policy> index_policy(std::string name, IndexForms forms, TieBreak ties);

/// A policy for binary items alone.
std::shared_ptr<const Policy> index_policy(std::string name, index::Index index, TieBreak ties);

/// Index of a binary item, computed from its belief: larger is asked first.
using BinaryItemIndex = std::function<double(const model::ItemState&)>;
/// Index of a multi-class item, computed from its belief: larger is asked first.
using MulticlassItemIndex = std::function<double(const index::MulticlassItemView&)>;

/// The forms of an index that looks at the belief about an item alone, where `labels` can be 0.
/// Under a mixture prior the index sees the Beta with the mixture's mean and variance.
IndexForms by_belief(BinaryItemIndex binary, MulticlassItemIndex multiclass);

}  // namespace allot::policy
