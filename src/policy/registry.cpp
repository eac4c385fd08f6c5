#include "allot/policy/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/index/gittins.hpp"
#include "allot/index/knowledge_gradient.hpp"
#include "allot/index/uncertainty.hpp"
#include "allot/policy/exact.hpp"
#include "allot/policy/index_policy.hpp"
#include "base/try.hpp"

namespace allot::policy {
namespace {

using model::DirichletBelief;
using model::ItemBelief;

/// The forms of an index that `function` makes of the reward of one label, binary or multi-class.
template <typename Function>
IndexForms by_reward(Function function, PairIndices pairs) {
  return {
      .items =
          index::Index{[=](const ItemBelief& belief) { return function(index::reward(belief)); }},
      .multiclass_items =
          [=](const DirichletBelief& belief) { return function(index::multiclass_reward(belief)); },
      .feature_items = index::feature_index_of_rewards(function),
      .pairs = std::move(pairs)};
}

/// Nothing is better than anything else.
IndexForms uniform_forms() {
  return {
      .items = index::Index{[](const ItemBelief&) { return 0.0; }},
      .multiclass_items = [](const DirichletBelief&) { return 0.0; },
      .feature_items = index::feature_index_of_rows([](const auto&, std::uint32_t) { return 0.0; }),
      .uniform_pairs = true,
      .is_random = true};
}

/// Gain in accuracy, and information where no single label can change the answer. Among alike
/// multi-class items and items with features it is the gain alone.
IndexForms kg_eig_forms(index::PairIndex two_classes = index::pair_kg_eig()) {
  IndexForms forms = by_reward([](const auto& reward) { return index::kg(reward); },
                               {std::move(two_classes), index::multiclass_pair_kg_eig()});
  forms.items = index::Index{[](const ItemBelief& belief) {
    return index::kg(index::reward(belief)) + index::kInformationWorth * index::eig(belief);
  }};
  return forms;
}

/// While labels are to spare, budget-kg counts the better half of what a label may bring. Later
/// labels can mend what hope got wrong; docs/replays/choices.md has the figures.
constexpr double kEarlyShare = 0.5;

index::Index gittins_for(std::uint64_t budget) {
  return index::gittins(budget == 0 ? 0 : 1 - 1 / static_cast<double>(budget));
}

struct Row {
  std::string_view name, parameter, summary;
  /// The index in its forms, for a value of the parameter.
  IndexForms (*forms)(double parameter);
  /// The policy where it has no index.
  std::shared_ptr<const Policy> (*make)(TieBreak ties) = nullptr;
};

const Row kRows[] = {
    {"uniform", "", "every item or pair with the same chance, whatever is known about it",
     [](double) { return uniform_forms(); }},
    {"kg", "", "largest expected gain in accuracy from one label (knowledge gradient)",
     [](double) {
       return by_reward([](const auto& reward) { return index::kg(reward); },
                        {index::pair_kg(), index::multiclass_pair_kg()});
     }},
    {"opt-kg", "", "largest gain if the better of the two labels comes (optimistic KG)",
     [](double) {
       return by_reward([](const auto& reward) { return index::opt_kg(reward); },
                        {index::pair_opt_kg(), index::multiclass_pair_opt_kg()});
     }},
    {"pessimistic-kg", "", "largest gain if the worse label comes; gets stuck, for comparison",
     [](double) {
       return by_reward([](const auto& reward) { return index::pessimistic_kg(reward); },
                        {index::pair_pessimistic_kg(), index::multiclass_pair_pessimistic_kg()});
     }},
    {"cvar", "ALPHA",
     "mean gain over the best share ALPHA, 0 to 1, of outcomes: 0 is opt-kg, 1 is kg",
     [](double alpha) {
       return by_reward([=](const auto& reward) { return index::cvar_kg(reward, alpha); },
                        {index::pair_cvar_kg(alpha), index::multiclass_pair_cvar_kg(alpha)});
     }},
    {"eig", "", "largest expected information about the answer (expected information gain)",
     [](double) {
       return IndexForms{.items = index::Index{index::eig},
                         .pairs = PairIndices(index::pair_information_gain(),
                                              index::multiclass_pair_information_gain())};
     }},
    {"kg-eig", "", "expected gain in accuracy plus a tenth of the information about the answer",
     [](double) { return kg_eig_forms(); }},
    {"even-kg", "", "as kg-eig; with two classes, workers count as equally reliable for both",
     [](double) { return kg_eig_forms(index::pair_even_kg()); }},
    {"budget-kg", "",
     "as even-kg; of pairs, as cvar:0.5 while more than one label per item is left",
     [](double) {
       IndexForms forms = kg_eig_forms(index::pair_even_kg());
       forms.early_pairs = {index::pair_cvar_kg(kEarlyShare),
                            index::multiclass_pair_cvar_kg(kEarlyShare)};
       return forms;
     }},
    {"probe", "", "as kg-eig; with three or more classes one pair in 40 compares workers",
     [](double) {
       IndexForms forms = kg_eig_forms();
       forms.probes = true;
       return forms;
     }},
    {"scout", "", "as eig, plus what the label teaches about its worker's later labels",
     [](double) { return IndexForms{.pairs = PairIndices(index::pair_scout())}; }},
    {"lu", "", "largest probability that the answer is wrong (label uncertainty)",
     [](double) {
       return IndexForms{
           .items = index::Index{index::lu},
           .feature_items = index::feature_index_of_rows([](const auto& belief, std::uint32_t row) {
             return index::contextual_uncertainty(belief, row);
           }),
           .pairs = PairIndices(index::pair_label_uncertainty(),
                                index::multiclass_pair_label_uncertainty())};
     }},
    {"nlu", "",
     "closest vote: smallest difference between yes and no labels (new label uncertainty)",
     [](double) { return IndexForms{.items = index::Index{index::nlu}}; }},
    {"least-labelled", "", "fewest labels so far",
     [](double) {
       const auto fewest_labels = [](const ItemBelief& belief) {
         return -static_cast<double>(belief.counts.total());
       };
       return IndexForms{.items = index::Index{fewest_labels},
                         .pairs = PairIndices(index::pair_least_labelled(),
                                              index::multiclass_pair_least_labelled())};
     }},
    {"gittins", "", "highest fee at which going on with the item pays, discounted by 1-1/budget",
     [](double) { return IndexForms{.items_by_budget = gittins_for}; }},
    {"label-price", "", "highest price at which going on with the item pays: best gain per label",
     [](double) {
       return IndexForms{.items = index::label_price(),
                         .pairs = PairIndices(index::pair_label_price())};
     }},
    {"kos", "", "a random regular graph of items and workers, answers by message passing",
     [](double) {
       return IndexForms{
           .pairs = PairIndices(index::pair_balanced()), .answers_by = "kos", .is_random = true};
     }},
    {"dp", "", "the optimum by dynamic programming, for a handful of items", nullptr, dp_policy},
};

/// The reason to refuse a policy without the form, form by form.
constexpr std::string_view kProblems[] = {
    "is for workers who differ; here all workers are alike",
    "cannot choose among multi-class items where workers are alike",
    "cannot choose among items with features where workers are alike",
    "does not tell workers apart; here they differ",
    "cannot choose among multi-class items, or items with features, where workers differ"};

std::shared_ptr<const Policy> make(const Row& row, std::string name, double parameter,
                                   TieBreak ties) {
  return row.make ? row.make(ties) : index_policy(std::move(name), row.forms(parameter), ties);
}

/// The entry of a row; which forms its policy has does not depend on the parameter.
PolicyEntry entry_of(const Row& row) {
  PolicyEntry entry{row.name, row.parameter, row.summary, 0};
  const auto policy = make(row, std::string(row.name), 0.5, TieBreak::first);
  for (unsigned form = 0; form < std::size(kProblems); ++form) {
    if (policy->has(static_cast<Form>(form))) entry.forms |= 1U << form;
  }
  return entry;
}

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

tl::unexpected<Error> refuse_form(std::string_view name, Form form) {
  std::vector<std::string> names;
  for (const PolicyEntry& entry : catalog()) {
    if (entry.has(form)) names.push_back(written(entry));
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("policy '{}' {}; expected {}", name,
                          kProblems[static_cast<std::size_t>(form)], fmt::join(names, ", ")));
}

}  // namespace

std::string written(const PolicyEntry& entry) {
  return entry.parameter.empty() ? std::string(entry.name)
                                 : fmt::format("{}:{}", entry.name, entry.parameter);
}

std::span<const PolicyEntry> catalog() {
  static const auto entries = [] {
    std::vector<PolicyEntry> all;
    for (const Row& row : kRows) all.push_back(entry_of(row));
    return all;
  }();
  return entries;
}

Result<std::shared_ptr<const Policy>> make_policy(std::string_view name, TieBreak ties) {
  const std::size_t colon = name.find(':');
  const std::string_view base = name.substr(0, colon);
  const auto row = std::ranges::find(kRows, base, &Row::name);
  if (row == std::end(kRows)) return refuse_unknown(name);
  if (colon == std::string_view::npos) {
    if (row->parameter.empty()) return make(*row, std::string(base), 0, ties);
    return fail(ErrorCode::invalid_argument,
                fmt::format("policy '{}' needs its parameter: {}:{}", name, base, row->parameter));
  }
  if (row->parameter.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("policy '{}': {} takes no parameter", name, base));
  }
  const std::optional<double> parameter = parse_number(name.substr(colon + 1));
  if (!parameter || !(*parameter >= 0 && *parameter <= 1)) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("policy '{}': {} must be a number from 0 to 1, as in {}:0.7", name,
                            row->parameter, base));
  }
  const double value = *parameter + 0.0;  // -0 is 0
  return make(*row, fmt::format("{}:{}", base, value), value, ties);
}

Result<std::shared_ptr<const Policy>> make_policy(std::string_view name, TieBreak ties, Form form) {
  auto policy = TRY(make_policy(name, ties));
  if (!policy->has(form)) return refuse_form(name, form);
  return policy;
}

}  // namespace allot::policy
