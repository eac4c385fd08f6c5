#include "allot/policy/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "allot/base/text.hpp"
#include "allot/index/gittins.hpp"
#include "allot/index/knowledge_gradient.hpp"
#include "allot/index/label_uncertainty.hpp"
#include "allot/policy/exact.hpp"
#include "allot/policy/index_policy.hpp"

namespace allot::policy {
namespace {

using Made = Result<std::shared_ptr<const Policy>>;
using Maker = Made (*)(std::string_view parameter, TieBreak ties);

template <double (*index)(const model::ItemBelief&)>
Made by_index(std::string_view name, TieBreak ties) {
  return index_policy(std::string(name), {index}, ties);
}

Made make_uniform(std::string_view, TieBreak) {
  // Nothing is better than anything else, and there is no first among equals.
  return index_policy("uniform", {[](const model::ItemBelief&) { return 0.0; }}, TieBreak::random);
}

Made make_cvar(std::string_view parameter, TieBreak ties) {
  std::optional<double> alpha = parse_number(parameter);
  if (!alpha || *alpha < 0 || *alpha > 1) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("policy 'cvar:{}': ALPHA must be a number from 0 to 1, as in cvar:0.7",
                            parameter));
  }
  *alpha += 0.0;  // -0 is 0
  return index_policy(
      fmt::format("cvar:{}", *alpha),
      {[alpha = *alpha](const model::ItemBelief& belief) { return index::cvar_kg(belief, alpha); }},
      ties);
}

Made make_gittins(std::string_view, TieBreak ties) {
  return budget_index_policy(
      "gittins",
      [](std::uint64_t budget) {
        return index::gittins(budget == 0 ? 0 : 1 - 1 / static_cast<double>(budget));
      },
      ties);
}

struct Registered {
  PolicyEntry entry;
  Maker make;
};

const std::array<Registered, 9> kPolicies{{
    {{"uniform", "", "every item with the same chance, whatever is known about it"}, make_uniform},
    {{"kg", "", "largest expected gain in accuracy from one label (knowledge gradient)"},
     [](std::string_view, TieBreak ties) { return by_index<index::kg>("kg", ties); }},
    {{"opt-kg", "", "largest gain if the better of the two labels comes (optimistic KG)"},
     [](std::string_view, TieBreak ties) { return by_index<index::opt_kg>("opt-kg", ties); }},
    {{"pessimistic-kg", "", "largest gain if the worse label comes; gets stuck, for comparison"},
     [](std::string_view, TieBreak ties) {
       return by_index<index::pessimistic_kg>("pessimistic-kg", ties);
     }},
    {{"cvar", "ALPHA",
      "mean gain over the best share ALPHA, 0 to 1, of outcomes: 0 is opt-kg, 1 is kg"},
     make_cvar},
    {{"lu", "", "largest probability that the answer is wrong (label uncertainty)"},
     [](std::string_view, TieBreak ties) { return by_index<index::lu>("lu", ties); }},
    {{"nlu", "",
      "closest vote: smallest difference between yes and no labels (new label uncertainty)"},
     [](std::string_view, TieBreak ties) { return by_index<index::nlu>("nlu", ties); }},
    {{"gittins", "", "highest fee at which going on with the item pays, discounted by 1-1/budget"},
     make_gittins},
    {{"dp", "", "the optimum by dynamic programming, for a handful of items"},
     [](std::string_view, TieBreak ties) -> Made { return dp_policy(ties); }},
}};

Result<std::shared_ptr<const Policy>> refuse_unknown(std::string_view name) {
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

}  // namespace

std::string written(const PolicyEntry& entry) {
  return entry.parameter.empty() ? std::string(entry.name)
                                 : fmt::format("{}:{}", entry.name, entry.parameter);
}

std::span<const PolicyEntry> catalog() {
  static const auto entries = [] {
    std::array<PolicyEntry, kPolicies.size()> result;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = kPolicies[i].entry;
    return result;
  }();
  return entries;
}

Result<std::shared_ptr<const Policy>> make_policy(std::string_view name, TieBreak ties) {
  const std::size_t colon = name.find(':');
  const std::string_view base = name.substr(0, colon);
  const bool has_parameter = colon != std::string_view::npos;
  for (const auto& [entry, make] : kPolicies) {
    if (entry.name != base) continue;
    if (has_parameter == entry.parameter.empty()) {
      return fail(ErrorCode::invalid_argument,
                  has_parameter ? fmt::format("policy '{}': {} takes no parameter", name, base)
                                : fmt::format("policy '{}' needs its parameter: {}:{}", name, base,
                                              entry.parameter));
    }
    return make(has_parameter ? name.substr(colon + 1) : std::string_view(), ties);
  }
  return refuse_unknown(name);
}

}  // namespace allot::policy
