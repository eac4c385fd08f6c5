#include "cli/crowd_options.hpp"

#include <fmt/format.h>

#include "allot/io/distribution_text.hpp"
#include "base/try.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using model::Coins;
using model::CrowdOptions;
using model::Refit;

constexpr const char* kPush = "push";
constexpr const char* kOnePassPrior = "beta:4,1";
constexpr const char* kRefittedPrior = "beta:3,0.9";

/// How beliefs are updated, for every kind of items.
struct Way {
  Refit refit = Refit::off;
  std::uint32_t refit_every = 20;
  Coins coins = Coins::one;
};

/// Reads --refit and --refit-by; `only_em` for crowds that have no belief propagation.
Result<void> read_refit(const CrowdFlags& flags, std::string_view default_refit, bool only_em,
                        Way& way) {
  const std::string text = flags.refit.value_or(std::string(default_refit));
  if (text == "off") {
    if (flags.refit_by) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("--refit-by {} has no effect with --refit off; expected a number of "
                              "labels, as in --refit 20",
                              in_quotes(*flags.refit_by)));
    }
    way.refit = Refit::off;
    return {};
  }
  const auto every = parse_whole(text);
  if (!every || *every < 1 || *every > 1'000'000'000) {
    return fail(
        ErrorCode::invalid_argument,
        fmt::format("--refit {} is not understood; expected off, or a number of labels from 1 "
                    "to 1000000000",
                    in_quotes(text)));
  }
  way.refit_every = static_cast<std::uint32_t>(*every);
  if (only_em && flags.refit_by.value_or("em") != "em") {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--refit-by {} needs binary items without features; expected em",
                            in_quotes(*flags.refit_by)));
  }
  return read_choice<Refit, 2>("--refit-by", flags.refit_by.value_or(only_em ? "em" : "bp"),
                               {{{"bp", Refit::integrated}, {"em", Refit::em}}})
      .map([&](Refit refit) { way.refit = refit; });
}

Result<void> read_coins(const CrowdFlags& flags, const ItemKind& items, Way& way) {
  const bool several = items.class_count > 2 && !items.design;
  const std::string default_coins = way.refit == Refit::off || several ? "1" : "2";
  return read_choice<Coins, 2>("--coins", flags.coins.value_or(default_coins),
                               {{{"1", Coins::one}, {"2", Coins::two}}})
      .map([&](Coins coins) { way.coins = coins; });
}

Result<Way> read_way(const CrowdFlags& flags, std::string_view refit, const ItemKind& items) {
  Way way;
  return read_refit(flags, refit, !items.is_yes_no(), way)
      .and_then([&] { return read_coins(flags, items, way); })
      .map([&] { return way; });
}

const char* default_worker_prior(Refit refit) {
  return refit == Refit::off ? kOnePassPrior : kRefittedPrior;
}

std::string worker_prior_text(const CrowdFlags& flags, Refit refit) {
  return flags.worker_prior.value_or(default_worker_prior(refit));
}

Result<model::Prior> read_proper(std::string_view option, const std::string& text) {
  return in_option(option, io::parse_prior(text))
      .and_then([&](const model::Prior& prior) -> Result<model::Prior> {
        if (prior.is_proper()) return prior;
        return fail(ErrorCode::invalid_argument,
                    fmt::format("{} {} is improper; expected positive parameters, such as beta:1,1",
                                option, in_quotes(text)));
      });
}

constexpr const char* kLearn = "learn";

/// The prior; the default one for `learn`, which starts from it.
Result<model::Prior> read_worker_prior(const CrowdFlags& flags, Refit refit) {
  const std::string text = worker_prior_text(flags, refit);
  auto prior = text == kLearn ? io::parse_prior(default_worker_prior(refit))
                              : read_proper("--worker-prior", text);
  if (!prior) prior.error().message += "; or learn";
  return prior;
}

/// The prior. With refits `learn` is the uniform one: they learn the share of positive items
/// anyway.
Result<model::Prior> read_item_prior(const std::string& text, Refit refit) {
  if (text == kLearn && refit != Refit::off) return model::Prior::uniform();
  if (text == kLearn) {
    return fail(
        ErrorCode::invalid_argument,
        "--prior 'learn' needs refits where workers differ, because one pass cannot tell a poor "
        "worker from an ambiguous item; expected a Beta such as beta:1,1, or --refit with a "
        "number of labels");
  }
  if (text == "learn:mixture") {
    return fail(ErrorCode::invalid_argument,
                "--prior 'learn:mixture' needs workers who are alike; expected a Beta such as "
                "beta:1,1, or with --refit and a number of labels also learn");
  }
  return read_proper("--prior", text);
}

Result<void> check_item_prior(const std::string& text, const CrowdOptions& options) {
  if (options.refit != Refit::off || !std::get<model::Prior>(options.item_prior).is_mixture()) {
    return {};
  }
  return fail(ErrorCode::invalid_argument,
              fmt::format("--prior {} is a mixture, which needs refits where workers differ; "
                          "expected one Beta, or --refit with a number of labels",
                          in_quotes(text)));
}

Way way_of(const sim::DifferingWorkers& workers) {
  const CrowdOptions& beliefs = workers.beliefs;
  return {beliefs.refit, beliefs.refit_every, beliefs.coins};
}

/// Workers of a pool have the priors of their types.
std::string worker_prior_text(const CrowdFlags& flags, const sim::DifferingWorkers& workers) {
  return workers.beliefs.worker_priors.empty() ? worker_prior_text(flags, way_of(workers).refit)
                                               : "by type";
}

std::string refit_text(const Way& way) {
  if (way.refit == Refit::off) return "one pass";
  return fmt::format("refitted every {} or 2 % by {}", count_text(way.refit_every, "label"),
                     way.refit == Refit::em ? "em" : "bp");
}

const char* mode_text(const sim::DifferingWorkers& workers) {
  return workers.marketplace == sim::Marketplace::push ? "push" : "pull";
}

}  // namespace

void add_crowd_options(Command& command, CrowdFlags& flags, const char* refit) {
  command
      .add("--mode", &flags.mode, "MODE",
           "`push`: the policy chooses item and worker; `pull`: a worker arrives, the policy "
           "chooses the item")
      .by_default(fmt::format("`{}`", kPush));
  command
      .add("--worker-prior", &flags.worker_prior, "D",
           "Belief about every worker's reliability: a distribution, or `learn` from the labels")
      .by_default(fmt::format("`{}` with refits, else `{}`", kRefittedPrior, kOnePassPrior));
  command
      .add("--coins", &flags.coins, "N",
           "`1`: one reliability per worker; `2`: one per class, or a confusion table")
      .by_default("`2` with refits of binary items or features, else `1`");
  command
      .add("--refit", &flags.refit, "N|off",
           "Labels between two refits of all beliefs; `off`: one pass, as in the paper")
      .by_default(fmt::format("`{}`", refit));
  command
      .add("--refit-by", &flags.refit_by, "WAY",
           "Method of refits: `bp` (belief propagation) or `em`")
      .by_default("`bp`; `em` with more than two classes or features");
  command
      .add("--final", &flags.final_answers, "METHOD",
           "Method of `allot aggregate` that turns the collected labels into answers")
      .by_default("the policy's own beliefs");
}

std::optional<std::string> CrowdFlags::given() const {
  if (mode) return "--mode";
  if (worker_prior) return "--worker-prior";
  if (coins) return "--coins";
  if (refit) return "--refit";
  if (refit_by) return "--refit-by";
  if (final_answers) return "--final";
  return {};
}

Result<sim::Marketplace> read_mode(const CrowdFlags& flags) {
  using sim::Marketplace;
  return read_choice<Marketplace, 2>("--mode", flags.mode.value_or(kPush),
                                     {{{kPush, Marketplace::push}, {"pull", Marketplace::pull}}});
}

Result<CrowdOptions> read_beliefs(const CrowdFlags& flags, const std::string& prior,
                                  std::string_view refit) {
  return read_way(flags, refit, {}).and_then([&](const Way& way) -> Result<CrowdOptions> {
    CrowdOptions options{{}, {}, way.coins, way.refit, way.refit_every};
    options.learn_workers = flags.worker_prior == kLearn;
    Reader read;
    model::Prior item_prior;
    const bool ok = read(item_prior, read_item_prior(prior, way.refit)) &&
                    read(options.worker_prior, read_worker_prior(flags, way.refit));
    if (!ok) return tl::unexpected(read.error());
    options.item_prior = item_prior;
    return check_item_prior(prior, options).map([&] { return options; });
  });
}

Result<CrowdOptions> read_multiclass_beliefs(const CrowdFlags& flags, const std::string& prior,
                                             std::string_view refit, const ItemKind& items) {
  return read_way(flags, refit, items).and_then([&](const Way& way) -> Result<CrowdOptions> {
    if (items.design && way.refit == Refit::off) {
      return fail(ErrorCode::invalid_argument,
                  "--refit 'off' cannot use features of items; expected a number of labels, "
                  "as in --refit 20, or --workers ignore");
    }
    const auto item_prior =
        TRY(in_option("--prior", io::parse_dirichlet_prior(prior, items.class_count)));
    const auto worker_prior = TRY(read_worker_prior(flags, way.refit));
    return CrowdOptions{.item_prior = item_prior,
                        .worker_prior = worker_prior,
                        .coins = way.coins,
                        .refit = way.refit,
                        .refit_every = way.refit_every,
                        .learn_workers = flags.worker_prior == kLearn,
                        .design = items.design,
                        .weight_variance = items.weight_variance};
  });
}

Result<aggregate::SeededMethod> read_final(const CrowdFlags& flags,
                                           const aggregate::MethodOptions& options) {
  if (!flags.final_answers) return aggregate::SeededMethod{};
  return in_option("--final", aggregate::make_seeded_method(*flags.final_answers, options));
}

std::string crowd_text(const CrowdFlags& flags, const sim::DifferingWorkers& workers) {
  const Way way = way_of(workers);
  const char* several = workers.beliefs.is_multiclass() ? "confusion tables" : "two coins";
  return fmt::format(
      "{}, {}, {}, worker prior {}{}", mode_text(workers), refit_text(way),
      way.coins == Coins::one ? "one coin" : several, shortened(worker_prior_text(flags, workers)),
      flags.final_answers ? fmt::format(", answers by {}", *flags.final_answers) : "");
}

Fields crowd_settings(const CrowdFlags& flags, const sim::DifferingWorkers& workers) {
  const Way way = way_of(workers);
  const bool refits = way.refit != Refit::off;
  return {{"mode", json_string(mode_text(workers))},
          {"worker_prior", json_string(worker_prior_text(flags, workers))},
          {"coins", way.coins == Coins::one ? "1" : "2"},
          {"refit", refits ? fmt::format("{}", way.refit_every) : "null"},
          {"refit_by", refits ? json_string(way.refit == Refit::em ? "em" : "bp") : "null"},
          {"final", flags.final_answers ? json_string(*flags.final_answers) : "null"}};
}

}  // namespace allot::cli
