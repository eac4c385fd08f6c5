#include "cli/crowd_options.hpp"

#include <fmt/format.h>

#include "allot/io/distribution_text.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using model::Coins;
using model::CrowdOptions;
using model::Refit;

constexpr const char* kOnePassPrior = "beta:4,1";
constexpr const char* kRefittedPrior = "beta:3,0.9";

Result<void> read_refit(const CrowdFlags& flags, std::string_view usual, CrowdOptions& options) {
  const std::string text = flags.refit.value_or(std::string(usual));
  if (text == "off") {
    if (flags.refit_by) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("--refit-by {} is of no use with --refit off; expected a number of "
                              "labels, as in --refit 20",
                              in_quotes(*flags.refit_by)));
    }
    options.refit = Refit::off;
    return {};
  }
  const auto every = parse_whole(text);
  if (!every || *every < 1 || *every > 1'000'000'000) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--refit {} is neither off nor a number of labels from 1 to "
                            "1000000000",
                            in_quotes(text)));
  }
  options.refit_every = static_cast<std::uint32_t>(*every);
  return read_choice<Refit, 2>("--refit-by", flags.refit_by.value_or("bp"),
                               {{{"bp", Refit::integrated}, {"em", Refit::em}}})
      .map([&](Refit refit) { options.refit = refit; });
}

Result<void> read_coins(const CrowdFlags& flags, CrowdOptions& options) {
  const std::string usual = options.refit == Refit::off ? "1" : "2";
  return read_choice<Coins, 2>("--coins", flags.coins.value_or(usual),
                               {{{"1", Coins::one}, {"2", Coins::two}}})
      .map([&](Coins coins) { options.coins = coins; });
}

std::string worker_prior_text(const CrowdFlags& flags, const CrowdOptions& options) {
  return flags.worker_prior.value_or(options.refit == Refit::off ? kOnePassPrior : kRefittedPrior);
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

Result<void> check_item_prior(const std::string& text, const CrowdOptions& options) {
  if (options.refit != Refit::off || !options.item_prior.is_mixture()) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("--prior {} is a mixture, which one pass over workers who differ cannot "
                          "keep; expected one Beta, or --refit with a number of labels",
                          in_quotes(text)));
}

std::string refit_text(const CrowdOptions& options) {
  if (options.refit == Refit::off) return "one pass";
  return fmt::format("refitted every {} or 2 % by {}", count_text(options.refit_every, "label"),
                     options.refit == Refit::em ? "em" : "bp");
}

}  // namespace

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
  return read_choice<Marketplace, 2>("--mode", flags.mode.value_or("push"),
                                     {{{"push", Marketplace::push}, {"pull", Marketplace::pull}}});
}

Result<CrowdOptions> read_beliefs(const CrowdFlags& flags, const std::string& prior,
                                  std::string_view refit) {
  CrowdOptions options;
  Reader read;
  return read_refit(flags, refit, options)
      .and_then([&] { return read_coins(flags, options); })
      .and_then([&]() -> Result<CrowdOptions> {
        const bool ok = read(options.item_prior, read_proper("--prior", prior)) &&
                        read(options.worker_prior,
                             read_proper("--worker-prior", worker_prior_text(flags, options)));
        if (!ok) return tl::unexpected(read.error());
        return check_item_prior(prior, options).map([&] { return options; });
      });
}

Result<aggregate::SeededMethod> read_final(const CrowdFlags& flags, const model::Prior& prior) {
  if (!flags.final_answers) return aggregate::SeededMethod{};
  aggregate::MethodOptions options;
  options.prior = prior;
  return in_option("--final", aggregate::make_seeded_method(*flags.final_answers, options));
}

std::string crowd_text(sim::Marketplace mode, const CrowdFlags& flags,
                       const CrowdOptions& beliefs) {
  return fmt::format(
      "{}, {}, {}, worker prior {}{}", mode == sim::Marketplace::push ? "push" : "pull",
      refit_text(beliefs), beliefs.coins == Coins::one ? "one coin" : "two coins",
      shortened(worker_prior_text(flags, beliefs)),
      flags.final_answers ? fmt::format(", answers by {}", *flags.final_answers) : "");
}

Fields crowd_settings(sim::Marketplace mode, const CrowdFlags& flags, const CrowdOptions& beliefs) {
  const bool refits = beliefs.refit != Refit::off;
  return {{"mode", json_string(mode == sim::Marketplace::push ? "push" : "pull")},
          {"worker_prior", json_string(worker_prior_text(flags, beliefs))},
          {"coins", beliefs.coins == Coins::one ? "1" : "2"},
          {"refit", refits ? fmt::format("{}", beliefs.refit_every) : "null"},
          {"refit_by", refits ? json_string(beliefs.refit == Refit::em ? "em" : "bp") : "null"},
          {"final", flags.final_answers ? json_string(*flags.final_answers) : "null"}};
}

}  // namespace allot::cli
