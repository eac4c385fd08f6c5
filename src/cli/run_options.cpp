#include "cli/run_options.hpp"

#include <algorithm>

#include "allot/index/multiclass_reward.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/io/stop_text.hpp"
#include "base/errors.hpp"
#include "cli/calibration.hpp"

namespace allot::cli {
namespace {

/// Rules as one list.
std::string stop_text(const RunFlags& flags) {
  return fmt::format("{}", fmt::join(flags.stop, ","));
}

/// Adds runs, price and stop rules to the heading: "mean of 20 runs (seed 1), price 0.05".
void add_heading(const RunFlags& flags, const sim::Experiment& experiment, Comparison& comparison) {
  comparison.conditions +=
      fmt::format(", mean of {} (seed {})", count_text(experiment.runs, "run"), experiment.seed);
  append(comparison.settings, {{"ties", json_string(flags.ties)},
                               {"runs", fmt::format("{}", experiment.runs)},
                               {"seed", fmt::format("{}", experiment.seed)}});
  if (flags.price) {
    comparison.conditions += ", price " + shortened(*flags.price);
    comparison.settings.emplace_back("price", json_string(*flags.price));
  }
  if (!flags.stop.empty()) {
    comparison.conditions += ", stopped by " + shortened(stop_text(flags));
    comparison.settings.emplace_back("stop", json_string(stop_text(flags)));
  }
}

/// The prior of items with soft labels and several classes; none for other items.
std::optional<model::DirichletPrior> soft_prior(const Workers& workers) {
  using Dirichlet = model::DirichletPrior;
  if (const auto* alike = std::get_if<sim::AlikeWorkers>(&workers)) {
    const auto* prior = std::get_if<Dirichlet>(&alike->prior);
    return prior && !alike->design ? std::optional(*prior) : std::nullopt;
  }
  const model::CrowdOptions& beliefs = std::get<sim::DifferingWorkers>(workers).beliefs;
  const bool soft = beliefs.is_multiclass() && beliefs.refit == model::Refit::off;
  return soft ? std::optional(std::get<Dirichlet>(beliefs.item_prior)) : std::nullopt;
}

/// Whether opt-kg prefers an item with one label to an item without.
bool asks_again(const model::DirichletPrior& prior) {
  const auto value = [](const model::DirichletBelief& belief) {
    return index::opt_kg(index::multiclass_reward(belief));
  };
  const model::DirichletBelief fresh{{prior.alpha().begin(), prior.alpha().end()}};
  for (std::uint32_t k = 0; k < prior.class_count(); ++k) {
    if (value(fresh.after(ClassId{k})) > value(fresh)) return true;
  }
  return false;
}

/// Whether opt-kg would ask about labelled items again before all have a label.
bool spoils_opt_kg(const Workers& workers) {
  const auto prior = soft_prior(workers);
  return prior && asks_again(*prior);
}

/// The policies of the flags; if there are none, the default ones that need no warning.
std::vector<std::string> compared_policies(const RunFlags& flags, const Workers& workers) {
  if (!flags.policies.empty()) return flags.policies;
  return {spoils_opt_kg(workers) ? kPoliciesWithoutOptKg : kPolicies};
}

/// What to know before the accuracies of the policies are believed.
std::vector<std::string> policy_warnings(const sim::Experiment& experiment) {
  const bool has_opt_kg = std::ranges::any_of(
      experiment.policies, [](const auto& policy) { return policy->name() == "opt-kg"; });
  if (!has_opt_kg || !spoils_opt_kg(experiment.workers)) return {};
  return {
      fmt::format("warning: with {} classes opt-kg asks about labelled items again before all have "
                  "a label; with few labels per item it is worse than equal splitting",
                  soft_prior(experiment.workers)->class_count())};
}

}  // namespace

std::string default_policies_text() {
  return fmt::format("`{}`; `{}` where `opt-kg` asks about labelled items again too early",
                     kPolicies, kPoliciesWithoutOptKg);
}

void add_item_prior(Command& command, RunFlags& flags) {
  command.add("--prior", &flags.prior, "D",
              "Belief about every item before its first label: a distribution, or `learn`");
}

void add_run_options(Command& command, RunFlags& flags) {
  add_ties(command, flags.ties);
  command.add("--runs", &flags.runs, "N", "Independent runs to average");
  add_seed(command, flags.seed);
  add_threads(command, flags.threads);
  add_format(command, flags.format);
  add_plot(command, flags.plot);
  command.add("--calibration", &flags.calibration, "FILE",
              "Also report calibration: `FILE.csv`, `FILE.svg` (a figure) or `-`; repeatable");
}

void add_price_options(Command& command, RunFlags& flags, const char* type, const char* meaning) {
  command.add("--price", &flags.price, type, meaning);
  command.add("--stop", &flags.stop, "RULE,...",
              "Stop before the budget is spent: `accuracy:X`, `settled:X` or `worth:W`");
}

Result<Format> read_output(const RunFlags& flags, const std::vector<std::string>& reads) {
  const auto format = TRY(read_format(flags.format));
  TRY(check_plot(flags.plot));
  TRY(check_calibration(flags.calibration, format));
  std::vector<std::string> used = reads;
  const auto use = [&](std::string_view option, const std::string& path) -> Result<void> {
    if (path == "-") return {};
    if (std::ranges::any_of(used, [&](const auto& other) { return same_file(path, other); })) {
      return invalid("{} {} would overwrite another file of this command; expected another one",
                     option, in_quotes(path));
    }
    used.push_back(path);
    return {};
  };
  if (flags.plot) TRY(use("--plot", *flags.plot));
  for (const std::string& path : flags.calibration) TRY(use("--calibration", path));
  return format;
}

Result<sim::AlikeWorkers> read_alike(const RunFlags& flags, const ItemKind& items,
                                     math::LogisticMethod method) {
  if (items.design) {
    if (flags.prior != RunFlags{}.prior) {
      return invalid(
          "--prior has no effect with --features and --workers ignore; expected --feature-variance "
          "instead");
    }
    const double variance = items.weight_variance.value_or(1.0 / items.design->column_count);
    return sim::AlikeWorkers{.design = items.design, .features = {variance, method}};
  }
  if (items.is_yes_no()) {
    const auto read = TRY(in_option("--prior", io::parse_item_prior(flags.prior)));
    return sim::AlikeWorkers{.prior = read.prior, .learn = read.learn};
  }
  const auto prior =
      TRY(in_option("--prior", io::parse_dirichlet_prior(flags.prior, items.class_count)));
  return sim::AlikeWorkers{.prior = prior};
}

Result<sim::Experiment> read_experiment(const RunFlags& flags, Workers workers,
                                        const Plugins& plugins) {
  sim::Experiment experiment{.workers = std::move(workers)};
  const auto ties = TRY(read_ties(flags.ties));
  experiment.policies =
      TRY(in_option("--policy", read_policies(compared_policies(flags, experiment.workers), ties,
                                              form_of(experiment), plugins)));
  experiment.runs = TRY(read_whole<std::uint32_t>("--runs", flags.runs, 1, kMostRuns));
  experiment.seed = TRY(read_whole("--seed", flags.seed, 0, UINT64_MAX));
  experiment.threads = TRY(read_threads(flags.threads));
  return experiment;
}

Result<std::vector<io::Budget>> read_budgets(const std::string& text, std::uint32_t item_count,
                                             const Prices& prices,
                                             std::optional<std::uint64_t> label_count,
                                             std::optional<Money> all) {
  if (prices.empty()) return io::parse_budgets(text, item_count, label_count);
  const auto [lowest, highest] = std::ranges::minmax(prices);
  return io::parse_money_budgets(text, item_count, {lowest, highest, label_count, all});
}

Result<Prices> read_one_price(const RunFlags& flags) {
  if (!flags.price) return Prices{};
  return Prices{TRY(in_option("--price", parse_price(*flags.price)))};
}

Result<policy::StopRules> read_stop(const RunFlags& flags, bool yes_no) {
  if (flags.stop.empty()) return policy::StopRules{};
  const auto rules = TRY(in_option("--stop", io::parse_stop_rules(stop_text(flags))));
  if (rules.certified) {
    return invalid(
        "--stop: rule 'certified:{}' needs audits, which only campaigns have; expected "
        "accuracy, settled or worth",
        *rules.certified);
  }
  if (!rules.worth || yes_no) return rules;
  return invalid(
      "--stop 'worth:{}' needs binary items without features; expected accuracy:X or settled:X",
      money_text(*rules.worth));
}

Result<Comparison> compare(const RunFlags& flags, sim::Experiment experiment, Comparison comparison,
                           Progress& progress) {
  for (const io::Budget& budget : comparison.budgets.written) {
    if (budget.money) {
      experiment.money.push_back(*budget.money);
    } else {
      experiment.budgets.push_back(budget.labels);
    }
  }
  add_heading(flags, experiment, comparison);
  comparison.calibration = flags.calibration;
  comparison.shows_stops = !experiment.prices.empty() || !flags.stop.empty();
  comparison.rows = TRY(sim::run(experiment, &progress));
  // A bound is about the truth, not about other answers.
  if (comparison.measure_note.empty()) comparison.bounds = sim::bounds(experiment);
  comparison.warnings = policy_warnings(experiment);
  return comparison;
}

}  // namespace allot::cli
