#include "allot/policy/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "allot/base/text.hpp"
#include "allot/index/gittins.hpp"
#include "allot/index/information_gain.hpp"
#include "allot/index/knowledge_gradient.hpp"
#include "allot/index/label_price.hpp"
#include "allot/index/label_uncertainty.hpp"
#include "allot/index/pair_index.hpp"
#include "allot/policy/exact.hpp"
#include "allot/policy/index_policy.hpp"
#include "allot/policy/multiclass_policy.hpp"

namespace allot::policy {
namespace {

using model::ItemBelief;
using Alike = Result<std::shared_ptr<const Policy>>;
using Differing = Result<std::shared_ptr<const PairPolicy>>;

/// What a policy is made from: its name as written, the number behind its colon, the tie rule.
struct Request {
  std::string name;
  std::string_view parameter;
  TieBreak ties;
};

template <double (*index)(const ItemBelief&)>
Alike by_index(const Request& request) {
  return index_policy(request.name, {index}, request.ties);
}

template <index::PairIndex (*index)()>
Differing by_pair_index(const Request& request) {
  return pair_index_policy(request.name, {index()}, request.ties);
}

/// The same index for several classes as well.
template <index::PairIndex (*index)(), index::MulticlassPairIndex (*multiclass_index)()>
Differing by_pair_indices(const Request& request) {
  return pair_index_policy(request.name, {index(), multiclass_index()}, request.ties);
}

Alike alike_uniform(const Request& request) {
  // Nothing is better than anything else, and there is no first among equals.
  return index_policy(request.name, {[](const ItemBelief&) { return 0.0; }}, TieBreak::random);
}

Differing differing_uniform(const Request&) { return uniform_pair_policy(); }

Result<double> read_alpha(std::string_view parameter) {
  const std::optional<double> alpha = parse_number(parameter);
  if (alpha && *alpha >= 0 && *alpha <= 1) return *alpha + 0.0;  // -0 is 0
  return fail(ErrorCode::invalid_argument,
              fmt::format("policy 'cvar:{}': ALPHA must be a number from 0 to 1, as in cvar:0.7",
                          parameter));
}

Alike alike_cvar(const Request& request) {
  return read_alpha(request.parameter).map([&](double alpha) {
    const auto value = [=](const ItemBelief& belief) { return index::cvar_kg(belief, alpha); };
    return index_policy(fmt::format("cvar:{}", alpha), {value}, request.ties);
  });
}

Differing differing_cvar(const Request& request) {
  return read_alpha(request.parameter).map([&](double alpha) {
    return pair_index_policy(fmt::format("cvar:{}", alpha),
                             {index::pair_cvar_kg(alpha), index::multiclass_pair_cvar_kg(alpha)},
                             request.ties);
  });
}

Alike alike_least_labelled(const Request& request) {
  const auto value = [](const ItemBelief& belief) {
    return -static_cast<double>(belief.counts.total());
  };
  return index_policy(request.name, {value}, request.ties);
}

Alike alike_gittins(const Request& request) {
  return budget_index_policy(
      request.name,
      [](std::uint64_t budget) {
        return index::gittins(budget == 0 ? 0 : 1 - 1 / static_cast<double>(budget));
      },
      request.ties);
}

Alike alike_label_price(const Request& request) {
  return index_policy(request.name, index::label_price(), request.ties);
}

Alike alike_dp(const Request& request) { return dp_policy(request.ties); }

/// The graph is drawn at random, whatever the rule for ties.
Differing differing_kos(const Request& request) {
  return pair_index_policy(request.name, {index::pair_balanced()}, TieBreak::random, "kos");
}

struct Registered {
  std::string_view name, parameter, summary;
  Alike (*alike)(const Request&);          // null: not for workers who are alike
  Differing (*differing)(const Request&);  // null: not for workers who differ
};

const std::array<Registered, 14> kPolicies{{
    {"uniform", "", "every item or pair with the same chance, whatever is known about it",
     alike_uniform, differing_uniform},
    {"kg", "", "largest expected gain in accuracy from one label (knowledge gradient)",
     by_index<index::kg>, by_pair_indices<index::pair_kg, index::multiclass_pair_kg>},
    {"opt-kg", "", "largest gain if the better of the two labels comes (optimistic KG)",
     by_index<index::opt_kg>, by_pair_indices<index::pair_opt_kg, index::multiclass_pair_opt_kg>},
    {"pessimistic-kg", "", "largest gain if the worse label comes; gets stuck, for comparison",
     by_index<index::pessimistic_kg>,
     by_pair_indices<index::pair_pessimistic_kg, index::multiclass_pair_pessimistic_kg>},
    {"cvar", "ALPHA",
     "mean gain over the best share ALPHA, 0 to 1, of outcomes: 0 is opt-kg, 1 is kg", alike_cvar,
     differing_cvar},
    {"eig", "", "largest expected information about the answer (expected information gain)",
     by_index<index::eig>,
     by_pair_indices<index::pair_information_gain, index::multiclass_pair_information_gain>},
    {"scout", "", "as eig, plus what the label teaches about its worker's later labels", nullptr,
     by_pair_index<index::pair_scout>},
    {"lu", "", "largest probability that the answer is wrong (label uncertainty)",
     by_index<index::lu>,
     by_pair_indices<index::pair_label_uncertainty, index::multiclass_pair_label_uncertainty>},
    {"nlu", "",
     "closest vote: smallest difference between yes and no labels (new label uncertainty)",
     by_index<index::nlu>, nullptr},
    {"least-labelled", "", "fewest labels so far", alike_least_labelled,
     by_pair_indices<index::pair_least_labelled, index::multiclass_pair_least_labelled>},
    {"gittins", "", "highest fee at which going on with the item pays, discounted by 1-1/budget",
     alike_gittins, nullptr},
    {"label-price", "", "highest price at which going on with the item pays: best gain per label",
     alike_label_price, by_pair_index<index::pair_label_price>},
    {"kos", "", "a random regular graph of items and workers, answers by message passing", nullptr,
     differing_kos},
    {"dp", "", "the optimum by dynamic programming, for a handful of items", alike_dp, nullptr},
}};

tl::unexpected<Error> refuse_unknown(std::string_view name) {
  std::vector<std::string_view> names;
  for (const PolicyEntry& entry : catalog()) names.push_back(entry.name);
  std::string guess;
  if (const auto found = nearest(name.substr(0, name.find(':')), names)) {
    const auto entry = std::ranges::find(catalog(), *found, &PolicyEntry::name);
    guess = fmt::format(", did you mean '{}'?", written(*entry));
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("policy '{}' is unknown{} ('allot policies' lists all)", name, guess));
}

/// The policy made by the given member of its registration; `wrong` says why there is none.
template <typename Made>
Made make(std::string_view text, TieBreak ties, Made (*Registered::*maker)(const Request&),
          std::string_view wrong) {
  const std::size_t colon = text.find(':');
  const std::string_view base = text.substr(0, colon);
  const bool has_parameter = colon != std::string_view::npos;
  const auto found = std::ranges::find(kPolicies, base, &Registered::name);
  if (found == kPolicies.end()) return refuse_unknown(text);
  if (has_parameter == found->parameter.empty()) {
    return fail(ErrorCode::invalid_argument,
                has_parameter ? fmt::format("policy '{}': {} takes no parameter", text, base)
                              : fmt::format("policy '{}' needs its parameter: {}:{}", text, base,
                                            found->parameter));
  }
  if (!((*found).*maker)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("policy '{}' {} ('allot policies' lists all)", text, wrong));
  }
  return ((*found).*maker)(
      {std::string(base), has_parameter ? text.substr(colon + 1) : std::string_view(), ties});
}

}  // namespace

std::string written(const PolicyEntry& entry) {
  return entry.parameter.empty() ? std::string(entry.name)
                                 : fmt::format("{}:{}", entry.name, entry.parameter);
}

std::span<const PolicyEntry> catalog() {
  static const auto entries = [] {
    std::array<PolicyEntry, kPolicies.size()> result;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const Registered& one = kPolicies[i];
      const std::string name = std::string(one.name) + (one.parameter.empty() ? "" : ":1");
      result[i] = {one.name,
                   one.parameter,
                   one.summary,
                   one.alike != nullptr,
                   one.differing != nullptr,
                   make_multiclass_policy(name, TieBreak::first).has_value(),
                   make_pair_policy(name, TieBreak::first, true).has_value()};
    }
    return result;
  }();
  return entries;
}

Result<std::shared_ptr<const Policy>> make_policy(std::string_view name, TieBreak ties) {
  return make<Alike>(name, ties, &Registered::alike,
                     "is for workers who differ; here all workers are alike");
}

Differing make_pair_policy(std::string_view name, TieBreak ties, bool multiclass) {
  return make<Differing>(name, ties, &Registered::differing,
                         "does not tell workers apart; here they differ")
      .and_then([&](const auto& policy) -> Differing {
        if (!multiclass || policy->for_several_classes()) return policy;
        return fail(ErrorCode::invalid_argument,
                    fmt::format("policy '{}' is for items of two classes without features ('allot "
                                "policies' lists all)",
                                name));
      });
}

}  // namespace allot::policy
