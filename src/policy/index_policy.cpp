#include "allot/policy/index_policy.hpp"

#include <map>
#include <mutex>

#include "policy/choosers.hpp"

namespace allot::policy {
namespace {

using model::ItemBelief;
using model::ItemState;

class IndexPolicy final : public Policy {
 public:
  IndexPolicy(std::string name, IndexForms forms, TieBreak ties)
      : name_(std::move(name)),
        forms_(std::move(forms)),
        ties_(forms_.is_random ? TieBreak::random : ties) {}

  std::string name() const override { return name_; }
  bool has(Form form) const override {
    switch (form) {
      case Form::items:
        return forms_.items || forms_.items_by_budget;
      case Form::multiclass_items:
        return forms_.multiclass_items != nullptr;
      case Form::feature_items:
        return forms_.feature_items.has_value();
      case Form::pairs:
        return forms_.uniform_pairs || forms_.pairs;
      case Form::multiclass_pairs:
        return forms_.uniform_pairs || (forms_.pairs && forms_.pairs->multiclass);
    }
    return false;
  }
  bool depends_on_budget() const override { return forms_.items_by_budget || forms_.early_pairs; }

  Result<std::unique_ptr<Chooser>> start(const model::Beliefs& beliefs,
                                         std::uint64_t budget) const override {
    auto by = ranking(budget);
    if (!by) return Policy::start(beliefs, budget);
    return index_chooser(beliefs, std::move(*by));
  }
  Result<std::unique_ptr<Chooser>> start(const model::MulticlassBeliefs& beliefs,
                                         std::uint64_t budget) const override {
    auto by = multiclass_ranking();
    if (!by) return Policy::start(beliefs, budget);
    return index_chooser(beliefs, std::move(*by));
  }
  std::unique_ptr<Chooser> start(const model::Contextual& belief,
                                 const FeatureSearch& search) const override {
    if (!forms_.feature_items) return Policy::start(belief, search);
    return feature_chooser(belief, *forms_.feature_items, ties_, search);
  }
  std::unique_ptr<Chooser> start(const model::ContextualClasses& belief,
                                 const FeatureSearch& search) const override {
    if (!forms_.feature_items) return Policy::start(belief, search);
    return feature_chooser(belief, *forms_.feature_items, ties_, search);
  }
  std::unique_ptr<PairChooser> start(const model::Crowd& crowd,
                                     const Offers& offers) const override {
    if (forms_.uniform_pairs) return uniform_pair_chooser(offers);
    if (!forms_.pairs) return Policy::start(crowd, offers);
    auto by_index = pair_index_chooser(crowd, offers, *forms_.pairs, ties_);
    if (crowd.has_soft_labels()) return by_index;
    if (forms_.early_pairs) {
      auto early = [&crowd, &offers, indices = *forms_.early_pairs, ties = ties_] {
        return pair_index_chooser(crowd, offers, indices, ties);
      };
      return budget_chooser(std::move(early), std::move(by_index), offers);
    }
    const bool probes = forms_.probes && crowd.class_count() > 2;
    return probes ? probing_chooser(std::move(by_index), offers) : std::move(by_index);
  }
  std::string_view answers_by() const override { return forms_.answers_by; }

  std::optional<Ranking> ranking(std::uint64_t budget) const override {
    if (forms_.items) return Ranking{*forms_.items, ties_};
    if (!forms_.items_by_budget) return {};
    const std::lock_guard lock(mutex_);
    auto [entry, is_new] = made_.try_emplace(budget);
    if (is_new) entry->second = forms_.items_by_budget(budget);
    return Ranking{entry->second, ties_};
  }
  std::optional<MulticlassRanking> multiclass_ranking() const override {
    if (!forms_.multiclass_items) return {};
    return MulticlassRanking{forms_.multiclass_items, ties_};
  }

 private:
  const std::string name_;
  const IndexForms forms_;
  const TieBreak ties_;
  mutable std::mutex mutex_;
  mutable std::map<std::uint64_t, index::Index> made_;  // by budget
};

/// The Beta distribution with the mean and the variance of the belief.
ItemState matched_state(const ItemBelief& belief) {
  const auto components = model::posterior(belief);
  if (components.size() == 1) {
    return ItemState::soft_label(components.front().a, components.front().b);
  }
  double mean = 0, square = 0;
  for (const auto& [weight, a, b] : components) {
    mean += weight * a / (a + b);
    square += weight * a / (a + b) * (a + 1) / (a + b + 1);
  }
  const double count = (mean - square) / (square - mean * mean);
  return ItemState::soft_label(mean * count, (1 - mean) * count);
}

}  // namespace

std::shared_ptr<const Policy> index_policy(std::string name, IndexForms forms, TieBreak ties) {
  return std::make_shared<IndexPolicy>(std::move(name), std::move(forms), ties);
}

std::shared_ptr<const Policy> index_policy(std::string name, index::Index index, TieBreak ties) {
  return index_policy(std::move(name), IndexForms{.items = std::move(index)}, ties);
}

IndexForms by_belief(BinaryItemIndex binary, MulticlassItemIndex multiclass) {
  return {.items =
              index::Index{[=](const ItemBelief& belief) { return binary(matched_state(belief)); }},
          .multiclass_items =
              [=](const model::DirichletBelief& belief) {
                return multiclass({belief.alpha, true, 0});
              },
          .pairs = PairIndices(
              index::by_item([=](const ItemState& item, std::uint32_t) { return binary(item); }),
              index::multiclass_by_item(multiclass))};
}

}  // namespace allot::policy
