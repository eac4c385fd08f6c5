#include "cli/crowd_options.hpp"

#include <algorithm>

#include "allot/io/distribution_text.hpp"
#include "allot/io/refit_text.hpp"
#include "base/errors.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using model::Coins;
using model::CrowdOptions;
using model::Refit;

constexpr const char* kPush = "push";
constexpr const char* kOnePassPrior = "beta:4,1";
constexpr const char* kRefittedPrior = "beta:3,0.9";

/// Reads --refit and --refit-by.
Result<void> read_refit(const CrowdFlags& flags, std::string_view default_refit,
                        const ItemKind& items, CrowdOptions& beliefs) {
  const std::string text = flags.refit.value_or(std::string(default_refit));
  if (text == "off") {
    if (flags.refit_by) {
      return invalid(
          "--refit-by {} has no effect with --refit off; expected a number of labels, as in "
          "--refit 20",
          in_quotes(*flags.refit_by));
    }
    beliefs.refit = Refit::off;
    return {};
  }
  const auto every = parse_whole(text);
  if (!every || *every < 1 || *every > 1'000'000'000) {
    return invalid(
        "--refit {} is not understood; expected off, or a number of labels from 1 to 1000000000",
        in_quotes(text));
  }
  beliefs.refit_every = static_cast<std::uint32_t>(*every);
  beliefs.refit = TRY(io::read_refit(
      "--refit-by", flags.refit_by, io::suited_refits(items.is_binary(), items.design != nullptr)));
  return {};
}

Result<Coins> read_coins(const CrowdFlags& flags, const ItemKind& items, Refit refit) {
  const bool several_by_em = refit == Refit::em && items.class_count > 2 && !items.design;
  return read_choice<Coins>("--coins",
                            flags.coins.value_or(refit == Refit::off || several_by_em ? "1" : "2"),
                            {{"1", Coins::one}, {"2", Coins::two}});
}

constexpr const char* kLearn = "learn";

/// The prior that is used, or where learning starts.
const char* usual_prior(Refit refit) {
  return refit == Refit::off ? kOnePassPrior : kRefittedPrior;
}

std::string worker_prior_text(const CrowdFlags& flags, Refit refit) {
  return flags.worker_prior.value_or(refit == Refit::pooled ? kLearn : usual_prior(refit));
}

/// Two classes have the same order either way, so it has no effect on them.
Result<void> read_ordered(const CrowdFlags& flags, std::uint32_t class_count,
                          CrowdOptions& beliefs) {
  beliefs.ordered = flags.ordered;
  if (!flags.ordered || class_count == 2 || beliefs.refit == Refit::pooled) return {};
  return invalid("--ordered needs beliefs that share errors; expected --refit-by pooled with it");
}

Result<model::Prior> read_proper(std::string_view option, const std::string& text) {
  auto prior = TRY(in_option(option, io::parse_prior(text)));
  if (prior.is_proper()) return prior;
  return invalid("{} {} is improper; expected positive parameters, such as beta:1,1", option,
                 in_quotes(text));
}

/// The prior; the default one for `learn`, which starts from it.
Result<model::Prior> read_worker_prior(const CrowdFlags& flags, Refit refit) {
  const std::string text = worker_prior_text(flags, refit);
  auto prior =
      text == kLearn ? io::parse_prior(usual_prior(refit)) : read_proper("--worker-prior", text);
  if (!prior) prior.error().message += "; or learn";
  return prior;
}

/// The prior. With refits `learn` is the uniform one: they learn the share of positive items
/// anyway.
Result<model::Prior> read_item_prior(const std::string& text, Refit refit) {
  if (text == kLearn && refit != Refit::off) return model::Prior::uniform();
  if (text == kLearn) {
    return invalid(
        "--prior 'learn' needs refits where workers differ, because one pass cannot tell a poor "
        "worker from an ambiguous item; expected a Beta such as beta:1,1, or --refit with a number "
        "of labels");
  }
  if (text == "learn:mixture") {
    return invalid(
        "--prior 'learn:mixture' needs workers who are alike; expected a Beta such as beta:1,1, or "
        "with --refit and a number of labels also learn");
  }
  return read_proper("--prior", text);
}

/// Refuses refits that know no groups, or no confidences.
Result<void> check_pooled(const CrowdFlags& flags, const ItemKind& items, Refit refit) {
  if ((items.groups.empty() && !items.confident) || refit == Refit::pooled) return {};
  const char* const what = items.confident ? "confidences of labels" : "groups of workers";
  if (refit == Refit::off) {
    return invalid("--refit 'off' cannot use {}; expected a number of labels, as in --refit 20",
                   what);
  }
  return invalid("--refit-by {} cannot use {}; expected pooled", in_quotes(*flags.refit_by), what);
}

/// Beliefs about items and workers; `refit` is the default of --refit.
Result<CrowdOptions> read_beliefs(const CrowdFlags& flags, const std::string& prior,
                                  std::string_view refit, const ItemKind& items) {
  CrowdOptions beliefs{
      .design = items.design, .weight_variance = items.weight_variance, .groups = items.groups};
  TRY(read_refit(flags, refit, items, beliefs));
  TRY(check_pooled(flags, items, beliefs.refit));
  beliefs.learn_workers = worker_prior_text(flags, beliefs.refit) == kLearn;
  TRY(read_ordered(flags, items.class_count, beliefs));
  beliefs.coins = TRY(read_coins(flags, items, beliefs.refit));
  const bool refits = beliefs.refit != Refit::off;
  if (items.design && !refits) {
    return invalid(
        "--refit 'off' cannot use features of items; expected a number of labels, as in --refit "
        "20, or --workers ignore");
  }
  if (items.is_binary() && (!items.design || beliefs.refit == Refit::integrated)) {
    beliefs.item_prior = TRY(read_item_prior(prior, beliefs.refit));
  } else {
    beliefs.item_prior =
        TRY(in_option("--prior", io::parse_dirichlet_prior(prior, items.class_count)));
  }
  beliefs.worker_prior = TRY(read_worker_prior(flags, beliefs.refit));
  if (refits || beliefs.is_multiclass() || !std::get<model::Prior>(beliefs.item_prior).is_mixture())
    return beliefs;
  return invalid(
      "--prior {} is a mixture, which needs refits where workers differ; expected one Beta, or "
      "--refit with a number of labels",
      in_quotes(prior));
}

/// Workers of a pool have the priors of their types.
std::string worker_prior_text(const CrowdFlags& flags, const CrowdOptions& beliefs) {
  return beliefs.worker_priors.empty() ? worker_prior_text(flags, beliefs.refit) : "by type";
}

std::string refit_text(const CrowdOptions& beliefs) {
  if (beliefs.refit == Refit::off) return "one pass";
  return fmt::format("refitted every {} or 2 % by {}", count_text(beliefs.refit_every, "label"),
                     io::refit_name(beliefs.refit));
}

const char* mode_text(const sim::DifferingWorkers& workers) {
  return workers.marketplace == sim::Marketplace::push ? "push" : "pull";
}

}  // namespace

void add_crowd_options(Command& command, CrowdFlags& flags, const char* refit) {
  command.add("--mode", &flags.mode, "MODE",
              "`push`: the policy chooses item and worker; `pull`: a worker arrives, the policy "
              "chooses the item",
              fmt::format("`{}`", kPush));
  command.add("--worker-prior", &flags.worker_prior, "D", kWorkerPriorMeaning,
              fmt::format("`{}` with pooled refits, `{}` with others, else `{}`", kLearn,
                          kRefittedPrior, kOnePassPrior));
  command.add("--coins", &flags.coins, "N", kCoinsMeaning,
              "`2` with refits, else `1`; `1` for more than two classes by `em`");
  command.add("--refit", &flags.refit, "N|off",
              "Labels between two refits of all beliefs; `off`: one pass, as in the paper",
              fmt::format("`{}`", refit));
  command.add("--refit-by", &flags.refit_by, "WAY", kRefitByMeaning, kRefitByDefault);
  command.add("--ordered", &flags.ordered, kOrderedMeaning);
  command.add("--final", &flags.final_answers, "METHOD",
              "Method of `allot aggregate` that turns the collected labels into answers",
              "the policy's own beliefs");
}

std::optional<std::string> CrowdFlags::given() const {
  if (mode) return "--mode";
  if (worker_prior) return "--worker-prior";
  if (coins) return "--coins";
  if (refit) return "--refit";
  if (refit_by) return "--refit-by";
  if (ordered) return "--ordered";
  if (final_answers) return "--final";
  return {};
}

Result<sim::DifferingWorkers> read_differing(const CrowdFlags& flags, const std::string& prior,
                                             std::string_view refit, const ItemKind& items,
                                             const Plugins& plugins) {
  using sim::Marketplace;
  sim::DifferingWorkers workers;
  workers.marketplace =
      TRY(read_choice<Marketplace>("--mode", flags.mode.value_or(kPush),
                                   {{kPush, Marketplace::push}, {"pull", Marketplace::pull}}));
  workers.beliefs = TRY(read_beliefs(flags, prior, refit, items));
  if (!flags.final_answers) return workers;
  for (const auto& [name, method] : plugins.methods) {
    if (name != *flags.final_answers) continue;
    workers.final_answers = method;
    return workers;
  }
  aggregate::MethodOptions method;
  if (const auto* binary = std::get_if<model::Prior>(&workers.beliefs.item_prior)) {
    method.prior = *binary;
  } else {
    method.class_prior = std::get<model::DirichletPrior>(workers.beliefs.item_prior);
  }
  method.design = items.design;
  method.pooled.weight_variance = items.weight_variance;
  method.contextual.weight_variance = items.weight_variance.value_or(0);
  method.pooled.groups = items.groups;
  method.pooled.ordered = workers.beliefs.ordered;
  workers.final_answers =
      TRY(in_option("--final", aggregate::make_seeded_method(*flags.final_answers, method)));
  return workers;
}

std::string crowd_text(const CrowdFlags& flags, const sim::DifferingWorkers& workers) {
  const CrowdOptions& beliefs = workers.beliefs;
  const char* several = beliefs.is_multiclass() ? "confusion tables" : "two coins";
  const std::uint32_t groups =
      beliefs.groups.empty() ? 0 : *std::ranges::max_element(beliefs.groups);
  return fmt::format("{}, {}, {}, {}{}worker prior {}{}", mode_text(workers), refit_text(beliefs),
                     beliefs.coins == Coins::one ? "one coin" : several,
                     beliefs.ordered ? "ordered classes, " : "",
                     groups == 0 ? "" : count_text(groups, "group") + ", ",
                     shortened(worker_prior_text(flags, beliefs)),
                     flags.final_answers ? ", answers by " + *flags.final_answers : "");
}

Fields crowd_settings(const CrowdFlags& flags, const sim::DifferingWorkers& workers) {
  const CrowdOptions& beliefs = workers.beliefs;
  const bool refits = beliefs.refit != Refit::off;
  return {{"mode", json_string(mode_text(workers))},
          {"worker_prior", json_string(worker_prior_text(flags, beliefs))},
          {"coins", beliefs.coins == Coins::one ? "1" : "2"},
          {"refit", refits ? fmt::format("{}", beliefs.refit_every) : "null"},
          {"refit_by", refits ? json_string(std::string(io::refit_name(beliefs.refit))) : "null"},
          {"ordered", beliefs.ordered ? "true" : "false"},
          {"final", flags.final_answers ? json_string(*flags.final_answers) : "null"}};
}

}  // namespace allot::cli
