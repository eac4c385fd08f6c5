#include "allot/policy/exact.hpp"

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/io/budget_text.hpp"
#include "allot/io/distribution_text.hpp"
#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/progress_bar.hpp"

namespace allot::cli {
namespace {

using model::Beliefs;
using model::Counts;

constexpr std::uint64_t kMostExactItems = 1000;

struct ExactOptions {
  std::optional<std::string> items;
  std::optional<std::string> state;
  std::string budget;
  std::string prior = "uniform";
  std::vector<std::string> policies = {"opt-kg,kg,uniform"};
  std::string ties = "random";
  std::string format = "table";
};

/// "2:0,1:1": positive and negative labels of each item.
Result<std::vector<Counts>> read_state(const std::string& text) {
  constexpr std::uint64_t kMostLabels = 1'000'000;
  std::vector<Counts> state;
  for (const std::string_view part : split(text, ',')) {
    const auto numbers = split(trim(part), ':');
    const std::uint64_t positive = parse_whole(numbers.front()).value_or(UINT64_MAX);
    const std::uint64_t negative = parse_whole(numbers.back()).value_or(UINT64_MAX);
    if (numbers.size() != 2 || positive > kMostLabels || negative > kMostLabels) {
      return invalid(
          "--state '{}' has the part '{}', which is not understood; expected the positive and "
          "negative labels of each item, as in 2:0,1:1,0:0 (at most a million of each)",
          text, part);
    }
    state.push_back({static_cast<std::uint32_t>(positive), static_cast<std::uint32_t>(negative)});
  }
  return state;
}

Result<std::vector<Counts>> read_items(const ExactOptions& options) {
  if (!options.state) {
    if (!options.items)
      return invalid("--items is missing; expected a whole number, or --state instead");
    return std::vector<Counts>(TRY(read_whole("--items", *options.items, 1, kMostExactItems)));
  }
  auto state = TRY(read_state(*options.state));
  if (!options.items || *options.items == fmt::format("{}", state.size())) return state;
  return invalid("--items '{}' contradicts --state, which lists {}; expected one of them",
                 *options.items, count_text(state.size(), "item"));
}

Beliefs beliefs_of(const std::vector<Counts>& state, const model::Prior& prior) {
  Beliefs beliefs(static_cast<std::uint32_t>(state.size()), prior);
  for (std::uint32_t i = 0; i < state.size(); ++i) {
    for (std::uint32_t n = 0; n < state[i].positive; ++n)
      beliefs.record(ItemId{i}, Label::positive);
    for (std::uint32_t n = 0; n < state[i].negative; ++n)
      beliefs.record(ItemId{i}, Label::negative);
  }
  return beliefs;
}

struct PolicyValue {
  std::string name;
  double accuracy;
  std::optional<double> at_best;  // if every tie were broken in the best way; none for `uniform`
};

struct Report {
  std::vector<Counts> state;
  std::uint64_t budget;
  std::vector<PolicyValue> policies;  // "dp" first
  std::vector<double> if_asked;       // expected accuracy by item

  double optimum() const { return policies.front().accuracy; }
  std::vector<std::uint32_t> best_items() const { return policy::best_candidates(if_asked); }
};

Result<Report> report(const ExactOptions& options) {
  const auto state = TRY(read_items(options));
  const auto budget =
      TRY(io::parse_budget(options.budget, static_cast<std::uint32_t>(state.size())));
  const auto prior = TRY(in_option("--prior", io::parse_prior(options.prior)));
  const auto ties = TRY(read_ties(options.ties));
  const auto policies =
      TRY(in_option("--policy", read_policies(options.policies, ties, policy::Form::items)));

  const Beliefs beliefs = beliefs_of(state, prior);
  const auto timed = [](const std::string& label, const auto& work) {
    Progress progress;
    const ProgressBar bar(label, progress);
    return work(&progress);
  };
  const auto if_asked =
      TRY(timed("dp", [&](Progress* p) { return policy::accuracy_by_choice(beliefs, budget, p); }));
  const double optimum = std::ranges::max(if_asked);
  Report result{state, budget, {{"dp", optimum, optimum}}, if_asked};
  for (const auto& policy : policies) {
    if (!policy->ranking(budget)) continue;
    const auto value = [&](policy::Ties treated) {
      return timed(policy->name(), [&](Progress* p) {
        return policy::policy_accuracy(beliefs, budget, *policy, treated, p);
      });
    };
    const double by_rule = TRY(value(policy::Ties::by_rule));
    result.policies.push_back({policy->name(), by_rule, std::nullopt});
    if (policy->name() != "uniform")
      result.policies.back().at_best = TRY(value(policy::Ties::at_best));
  }
  return result;
}

std::string table_text(const ExactOptions& options, const Report& report) {
  std::string text =
      fmt::format("Exact expected share of right answers: {}, prior {}, {} {}{}\n\n",
                  count_text(report.state.size(), "item"), options.prior, report.budget,
                  options.state ? "more " : "", report.budget == 1 ? "label" : "labels");
  Table values({"policy", "expected accuracy", "below the optimum", "with the best ties"});
  for (const auto& [name, accuracy, at_best] : report.policies) {
    const double gap = report.optimum() - accuracy;
    values.add({name, fmt::format("{:.6f}", accuracy),
                gap < 5e-7 ? "0" : fmt::format("{:.6f}", gap),
                at_best ? fmt::format("{:.6f}", *at_best) : "-"});
  }
  text += values.text() + "\nThe next label\n\n";
  Table choices({"item", "labels", "accuracy if asked", "below the optimum", ""});
  const auto best = report.best_items();
  const auto count = static_cast<std::uint32_t>(report.state.size());
  for (std::uint32_t i = 0, next; i < count; i = next) {
    for (next = i + 1; next < count && report.state[next] == report.state[i];) ++next;
    const double gap = report.optimum() - report.if_asked[i];
    const bool optimal = std::ranges::find(best, i) != best.end();
    choices.add({next == i + 1 ? fmt::format("{}", next) : fmt::format("{}..{}", i + 1, next),
                 fmt::format("{}:{}", report.state[i].positive, report.state[i].negative),
                 fmt::format("{:.6f}", report.if_asked[i]),
                 optimal ? "0" : fmt::format("{:.3g}", gap), optimal ? "ask" : ""});
  }
  text += choices.text();
  return text;
}

std::vector<Fields> fields(const Report& report) {
  std::vector<Fields> rows;
  for (const auto& [name, accuracy, at_best] : report.policies) {
    rows.push_back({{"policy", name},
                    {"items", fmt::format("{}", report.state.size())},
                    {"budget", fmt::format("{}", report.budget)},
                    {"expected_accuracy", number_text(accuracy)}});
  }
  return rows;
}

std::string json_text(const ExactOptions& options, const Report& report) {
  std::vector<Fields> rows = fields(report);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [name, accuracy, at_best] = report.policies[i];
    rows[i].emplace_back("below_optimum", number_text(report.optimum() - accuracy));
    rows[i].emplace_back("with_luckiest_ties", at_best ? number_text(*at_best) : "");
  }
  std::vector<std::string> items, best;
  for (std::uint32_t i = 0; i < report.if_asked.size(); ++i) {
    items.push_back("\n  " + json_object({{"item", fmt::format("{}", i + 1)},
                                          {"positive", fmt::format("{}", report.state[i].positive)},
                                          {"negative", fmt::format("{}", report.state[i].negative)},
                                          {"accuracy_if_asked", number_text(report.if_asked[i])}}));
  }
  for (const std::uint32_t i : report.best_items()) best.push_back(fmt::format("{}", i + 1));
  return json_object({{"prior", json_string(options.prior)},
                      {"ties", json_string(options.ties)},
                      {"rows", json_rows(rows)},
                      {"next", json_array(best)},
                      {"choices", json_array(items)}}) +
         "\n";
}

Result<Output> exact(const ExactOptions& options) {
  const auto format = TRY(read_format(options.format));
  const auto result = TRY(report(options));
  return Output{format == Format::csv    ? csv_text(fields(result))
                : format == Format::json ? json_text(options, result)
                                         : table_text(options, result)};
}

void add_options(Command& command, ExactOptions& options) {
  command.add("--items", &options.items, "N", "Number of items, none of which has labels",
              "as many as `--state` lists");
  command.add("--state", &options.state, "S",
              "Positive and negative labels that each item has: `2:0,1:1,0:0`");
  command.require("--budget", &options.budget, "B", "Labels to buy: `15`, or `3x` per item");
  command.add("--prior", &options.prior, "D",
              "Belief about every item before its first label: a distribution");
  add_policies(command, options.policies);
  add_ties(command, options.ties);
  add_format(command, options.format);
}

}  // namespace

Command exact_command() {
  return make_command("exact",
                      "Compute the best possible accuracy for a few items, and that of policies",
                      exact, add_options,
                      {"Distributions: `uniform`, `jeffreys`, `haldane`, `beta:A,B` or "
                       "`mix:W*beta(A,B)+W*beta(A,B)`."},
                      {"allot exact --items 5 --budget 15 --policy opt-kg,kg,gittins"});
}

}  // namespace allot::cli
