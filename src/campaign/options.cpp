#include "allot/campaign/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/policy/registry.hpp"
#include "base/try.hpp"

namespace allot::campaign {
namespace {

tl::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

Result<void> check_names(const std::vector<std::string>& names, std::string_view what) {
  auto sorted = names;
  std::ranges::sort(sorted);
  if (std::ranges::find(sorted, "") != sorted.end()) {
    return refuse(fmt::format("a {} has no name; expected one", what));
  }
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) return {};
  return refuse(fmt::format("{} {} comes twice; expected each once", what, in_quotes(*twice)));
}

Result<void> check_numbers(const Options& options) {
  if (options.classes.size() < 2 || options.classes.size() > 250) {
    return refuse(fmt::format("{} class{}; expected 2 to 250", options.classes.size(),
                              options.classes.size() == 1 ? "" : "es"));
  }
  if (options.budget < Money()) {
    return refuse(fmt::format("the budget is {}; expected 0 or more", money_text(options.budget)));
  }
  if (options.price < Money()) {
    return refuse(fmt::format("the price is {}; expected 0 or more", money_text(options.price)));
  }
  if (options.lease.count() <= 0 || options.lease > std::chrono::years(10)) {
    return refuse(
        fmt::format("the lease is {} s; expected 1 s to 10 years", options.lease.count()));
  }
  if (!(options.gold_rate >= 0 && options.gold_rate <= 1)) {
    return refuse(fmt::format("the gold rate is {}; expected 0 to 1", options.gold_rate));
  }
  if (options.refit_every == 0) return refuse("refits every 0 labels; expected at least 1");
  if (!options.features.empty() && options.refit == model::Refit::off) {
    return refuse("features need refits; expected em");
  }
  return {};
}

Result<void> check_rules(const Options& options) {
  const auto& [accuracy, settled, worth] = options.stop;
  if (accuracy && !(*accuracy > 0 && *accuracy <= 1)) {
    return refuse(
        fmt::format("the accuracy to stop at is {}; expected above 0 and at most 1", *accuracy));
  }
  if (settled && !(*settled > 0.5 && *settled <= 1)) {
    return refuse(fmt::format(
        "items are settled at a probability of {}; expected above 0.5 and at most 1", *settled));
  }
  if (worth && *worth <= Money()) {
    return refuse(
        fmt::format("a right answer is worth {}; expected more than 0", money_text(*worth)));
  }
  if (worth && (options.classes.size() > 2 || !options.features.empty())) {
    return refuse(
        "the stop rule 'worth' is for binary items without features; expected the stop rules "
        "accuracy and settled");
  }
  return {};
}

Result<void> check_models(const Options& options) {
  const auto proper = [](const model::Prior& prior) -> Result<void> {
    if (prior.is_proper()) return {};
    return refuse("the prior 'haldane' is improper; expected a proper one");
  };
  TRY(io::parse_prior(options.worker_prior).and_then(proper));
  const auto ignore = [](const auto&) {};
  if (options.classes.size() > 2 || !options.features.empty()) {
    const auto classes = static_cast<std::uint32_t>(options.classes.size());
    TRY(io::parse_dirichlet_prior(options.item_prior, classes).map(ignore));
    return policy::make_policy(options.policy, options.ties, policy::Form::multiclass_pairs)
        .map(ignore);
  }
  const auto prior = io::parse_prior(options.item_prior);
  if (!prior) return prior.map(ignore);
  if (options.refit == model::Refit::off && prior->is_mixture()) {
    return refuse(fmt::format("the prior {} is a mixture, which needs refits; expected a single Beta",
                              in_quotes(options.item_prior)));
  }
  TRY(proper(*prior));
  return policy::make_policy(options.policy, options.ties, policy::Form::pairs).map(ignore);
}

}  // namespace

Result<void> check(const Options& options) {
  return check_numbers(options)
      .and_then([&] { return check_rules(options); })
      .and_then([&] { return check_names(options.classes, "class"); })
      .and_then([&] { return check_names(options.features, "feature"); })
      .and_then([&] { return check_models(options); });
}

void save(const Options& options, ByteWriter& to) {
  to.number(options.classes.size());
  for (const std::string& name : options.classes) to.text(name);
  to.signed_number(options.budget.in_billionths());
  to.signed_number(options.price.in_billionths());
  to.text(options.policy);
  to.byte(static_cast<std::uint8_t>(options.ties));
  to.number(options.seed);
  to.signed_number(options.lease.count());
  to.number(options.labels_per_item);
  to.number(options.labels_per_worker);
  to.real(options.gold_rate);
  to.text(options.item_prior);
  to.text(options.worker_prior);
  to.byte(options.coins ? static_cast<std::uint8_t>(1 + static_cast<int>(*options.coins)) : 0);
  to.byte(static_cast<std::uint8_t>(options.refit));
  to.number(options.refit_every);
  to.number(options.features.size());
  for (const std::string& name : options.features) to.text(name);
  const auto& [accuracy, settled, worth] = options.stop;
  to.byte(static_cast<std::uint8_t>((options.learn_workers ? 1 : 0) | (accuracy ? 2 : 0) |
                                    (settled ? 4 : 0) | (worth ? 8 : 0)));
  if (accuracy) to.real(*accuracy);
  if (settled) to.real(*settled);
  if (worth) to.signed_number(worth->in_billionths());
}

Options load_options(ByteReader& from) {
  Options options;
  options.classes.resize(from.count(1));
  for (std::string& name : options.classes) name = from.text();
  options.budget = Money::billionths(from.signed_number());
  options.price = Money::billionths(from.signed_number());
  options.policy = from.text();
  options.ties = from.at_most<policy::TieBreak>(1);
  options.seed = from.number();
  options.lease = std::chrono::seconds(from.signed_number());
  options.labels_per_item = from.at_most(UINT32_MAX);
  options.labels_per_worker = from.at_most(UINT32_MAX);
  options.gold_rate = from.real();
  options.item_prior = from.text();
  options.worker_prior = from.text();
  const auto coins = from.at_most<int>(2);
  if (coins > 0) options.coins = static_cast<model::Coins>(coins - 1);
  options.refit = from.at_most<model::Refit>(2);
  options.refit_every = from.at_most(UINT32_MAX);
  options.features.resize(from.count(1));
  for (std::string& name : options.features) name = from.text();
  const auto flags = from.at_most<unsigned>(15);
  options.learn_workers = (flags & 1) != 0;
  if ((flags & 2) != 0) options.stop.accuracy = from.real();
  if ((flags & 4) != 0) options.stop.settled = from.real();
  if ((flags & 8) != 0) options.stop.worth = Money::billionths(from.signed_number());
  return options;
}

}  // namespace allot::campaign
