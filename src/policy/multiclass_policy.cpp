#include "allot/policy/multiclass_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "allot/base/text.hpp"
#include "allot/policy/index_tree.hpp"
#include "allot/policy/multiclass_exact.hpp"
#include "allot/policy/registry.hpp"

namespace allot::policy {
namespace {

using model::DirichletBelief;
using model::MulticlassBeliefs;
using Made = Result<std::shared_ptr<const MulticlassPolicy>>;

/// Steady index values of the items of a campaign; those of states that occurred are kept.
class MulticlassIndexValues {
 public:
  MulticlassIndexValues(const MulticlassBeliefs& beliefs, index::MulticlassIndex index)
      : beliefs_(beliefs), index_(std::move(index)) {}

  double at(ItemId item) {
    DirichletBelief belief = beliefs_[item];
    std::ranges::sort(belief.alpha, std::greater());
    const auto found = known_.find(belief.alpha);
    if (found != known_.end()) return found->second;
    const double value = steady(index_(belief));
    if (known_.size() < kMostStates) known_.emplace(std::move(belief.alpha), value);
    return value;
  }

  std::vector<double> of_all() {
    std::vector<double> result(beliefs_.item_count());
    for (std::uint32_t i = 0; i < result.size(); ++i) result[i] = at(ItemId{i});
    return result;
  }

 private:
  static constexpr std::size_t kMostStates = 1U << 17;

  const MulticlassBeliefs& beliefs_;
  const index::MulticlassIndex index_;
  std::map<std::vector<double>, double> known_;  // by the parameters in order of size
};

class MulticlassIndexChooser final : public Chooser {
 public:
  MulticlassIndexChooser(const MulticlassBeliefs& beliefs, MulticlassRanking ranking)
      : ties_(ranking.ties), values_(beliefs, std::move(ranking.index)), tree_(values_.of_all()) {}

  ItemId choose(Rng& rng) override { return ItemId{tree_.choose(ties_, rng)}; }
  void refresh(ItemId item) override { tree_.set(position(item), values_.at(item)); }
  void exclude(ItemId item) override {
    tree_.set(position(item), -std::numeric_limits<double>::infinity());
  }

 private:
  const TieBreak ties_;
  MulticlassIndexValues values_;
  IndexTree tree_;
};

class MulticlassIndexPolicy final : public MulticlassPolicy {
 public:
  MulticlassIndexPolicy(std::string name, MulticlassRanking ranking)
      : name_(std::move(name)), ranking_(std::move(ranking)) {}

  std::string name() const override { return name_; }
  bool depends_on_budget() const override { return false; }
  Result<std::unique_ptr<Chooser>> start(const MulticlassBeliefs& beliefs,
                                         std::uint64_t) const override {
    return std::make_unique<MulticlassIndexChooser>(beliefs, ranking_);
  }
  std::optional<MulticlassRanking> ranking() const override { return ranking_; }

 private:
  const std::string name_;
  const MulticlassRanking ranking_;
};

template <double (*index)(const index::MulticlassReward&)>
Made by_reward(std::string_view name, TieBreak ties) {
  return multiclass_index_policy(
      std::string(name),
      [](const DirichletBelief& belief) { return index(index::multiclass_reward(belief)); }, ties);
}

Made uniform_policy(std::string_view name, TieBreak) {
  return multiclass_index_policy(
      std::string(name), [](const DirichletBelief&) { return 0.0; }, TieBreak::random);
}

Made dp(std::string_view, TieBreak ties) { return multiclass_dp_policy(ties); }

/// The number was checked.
Made cvar(std::string_view parameter, TieBreak ties) {
  const double alpha = *parse_number(parameter) + 0.0;  // -0 is 0
  return multiclass_index_policy(
      fmt::format("cvar:{}", alpha),
      [=](const DirichletBelief& belief) {
        return index::cvar_kg(index::multiclass_reward(belief), alpha);
      },
      ties);
}

struct Registered {
  std::string_view name;
  /// Makes the policy from its name, or from its parameter where it has one.
  Made (*make)(std::string_view, TieBreak);
};

constexpr std::array<Registered, 6> kPolicies{{
    {"uniform", uniform_policy},
    {"kg", by_reward<index::kg>},
    {"opt-kg", by_reward<index::opt_kg>},
    {"pessimistic-kg", by_reward<index::pessimistic_kg>},
    {"cvar", cvar},
    {"dp", dp},
}};

}  // namespace

std::shared_ptr<const MulticlassPolicy> multiclass_index_policy(std::string name,
                                                                index::MulticlassIndex index,
                                                                TieBreak ties) {
  return std::make_shared<MulticlassIndexPolicy>(std::move(name),
                                                 MulticlassRanking{std::move(index), ties});
}

Made make_multiclass_policy(std::string_view text, TieBreak ties) {
  // What is wrong with a name or its parameter is said once, for all kinds of policies.
  if (const auto alike = make_policy(text, ties); !alike) {
    const auto differing = make_pair_policy(text, ties);
    if (!differing) return tl::unexpected(alike.error());
  }
  const std::size_t colon = text.find(':');
  const std::string_view base = text.substr(0, colon);
  const auto found = std::ranges::find(kPolicies, base, &Registered::name);
  if (found == kPolicies.end()) {
    const bool differing = make_pair_policy(text, ties, true).has_value();
    return fail(ErrorCode::invalid_argument,
                fmt::format("policy '{}' is for {} ('allot policies' lists all)", text,
                            differing ? "workers who differ if items have several classes; here "
                                        "all workers are alike"
                                      : "items of two classes; here they have several"));
  }
  return found->make(colon == std::string_view::npos ? base : text.substr(colon + 1), ties);
}

}  // namespace allot::policy
