#include "allot/policy/policy.hpp"

#include "allot/base/check.hpp"
#include "allot/policy/pair_policy.hpp"

namespace allot::policy {
namespace {

[[noreturn]] void reject_form(Form form) {
  reject("Policy::start", "form", static_cast<double>(form), "expected one that the policy has");
}

}  // namespace

Result<std::unique_ptr<Chooser>> Policy::start(const model::Beliefs&, std::uint64_t) const {
  reject_form(Form::items);
}
Result<std::unique_ptr<Chooser>> Policy::start(const model::MulticlassBeliefs&,
                                               std::uint64_t) const {
  reject_form(Form::multiclass_items);
}
std::unique_ptr<Chooser> Policy::start(const model::Contextual&, const FeatureSearch&) const {
  reject_form(Form::feature_items);
}

std::unique_ptr<Chooser> Policy::start(const model::ContextualClasses&,
                                       const FeatureSearch&) const {
  reject_form(Form::feature_items);
}

std::unique_ptr<PairChooser> Policy::start(const model::Crowd&, const Offers&) const {
  reject_form(Form::pairs);
}

std::optional<Ranking> Policy::ranking(std::uint64_t) const { return {}; }

std::optional<MulticlassRanking> Policy::multiclass_ranking() const { return {}; }

}  // namespace allot::policy
