#include "allot/campaign/options.hpp"

#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/policy/registry.hpp"
#include "base/errors.hpp"
#include "campaign/coding.hpp"

namespace allot::campaign {
namespace {

Result<void> check_names(const std::vector<std::string>& names, std::string_view what) {
  auto sorted = names;
  std::ranges::sort(sorted);
  if (std::ranges::find(sorted, "") != sorted.end()) {
    return invalid("a {} has no name; expected one", what);
  }
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end()) return {};
  return invalid("{} {} comes twice; expected each once", what, in_quotes(*twice));
}

Result<void> check_numbers(const Options& options) {
  if (options.classes.size() < 2 || options.classes.size() > 250) {
    return invalid("{} class{}; expected 2 to 250", options.classes.size(),
                   options.classes.size() == 1 ? "" : "es");
  }
  if (options.budget < Money()) {
    return invalid("the budget is {}; expected 0 or more", money_text(options.budget));
  }
  if (options.price < Money()) {
    return invalid("the price is {}; expected 0 or more", money_text(options.price));
  }
  if (options.lease.count() <= 0 || options.lease > std::chrono::years(10)) {
    return invalid("the lease is {} s; expected 1 s to 10 years", options.lease.count());
  }
  if (!(options.gold_rate >= 0 && options.gold_rate <= 1)) {
    return invalid("the gold rate is {}; expected 0 to 1", options.gold_rate);
  }
  if (const auto& sample = options.agreement_sample) {
    if (sample->items < 2 || sample->labels < 2) {
      return invalid("an agreement sample of {} items with {} labels; expected at least 2 of each",
                     sample->items, sample->labels);
    }
    if (options.labels_per_item > 0 && sample->labels > options.labels_per_item) {
      return invalid(
          "an agreement sample with {} labels per item; expected at most the {} that an "
          "item can get",
          sample->labels, options.labels_per_item);
    }
  }
  if (options.people_sample == 0U)
    return invalid("a people's sample of 0 items; expected at least 1");
  if (options.refit_every == 0) return invalid("refits every 0 labels; expected at least 1");
  if (!options.features.empty() && options.refit == model::Refit::off) {
    return invalid("features need refits; expected a number of labels, as in 20");
  }
  if (options.ordered && options.classes.size() > 2 && options.refit != model::Refit::pooled)
    return invalid("ordered classes need pooled refits; expected pooled as their method");
  return {};
}

Result<void> check_rules(const Options& options) {
  const auto& [accuracy, settled, worth, certified] = options.stop;
  if (accuracy && !(*accuracy > 0 && *accuracy <= 1)) {
    return invalid("the accuracy to stop at is {}; expected above 0 and at most 1", *accuracy);
  }
  if (settled && !(*settled > 0.5 && *settled <= 1)) {
    return invalid("items are settled at a probability of {}; expected above 0.5 and at most 1",
                   *settled);
  }
  if (certified && !(*certified > 0 && *certified < 1)) {
    return invalid("the accuracy to be certified is {}; expected above 0 and below 1", *certified);
  }
  if (worth && *worth <= Money()) {
    return invalid("a right answer is worth {}; expected more than 0", money_text(*worth));
  }
  if (worth && (options.classes.size() > 2 || !options.features.empty())) {
    return invalid(
        "the stop rule 'worth' is for binary items without features; expected the stop rules "
        "accuracy and settled");
  }
  return {};
}

Result<void> check_models(const Options& options) {
  const auto proper = [](const model::Prior& prior) -> Result<void> {
    if (prior.is_proper()) return {};
    return invalid("the prior 'haldane' is improper; expected a proper one");
  };
  TRY(io::parse_prior(options.worker_prior).and_then(proper));
  const auto ignore = [](const auto&) {};
  if (!has_binary_beliefs(options)) {
    const auto classes = static_cast<std::uint32_t>(options.classes.size());
    TRY(io::parse_dirichlet_prior(options.item_prior, classes).map(ignore));
    return policy::make_policy(options.policy, options.ties, policy::Form::multiclass_pairs)
        .map(ignore);
  }
  const auto prior = io::parse_prior(options.item_prior);
  if (!prior) return prior.map(ignore);
  if (options.refit == model::Refit::off && prior->is_mixture()) {
    return invalid("the prior {} is a mixture, which needs refits; expected a single Beta",
                   in_quotes(options.item_prior));
  }
  TRY(proper(*prior));
  return policy::make_policy(options.policy, options.ties, policy::Form::pairs).map(ignore);
}

template <typename Bytes, typename Of>
void code_options(Bytes& bytes, Of& options) {
  code_all(bytes, options.classes, options.budget, options.price, options.policy, options.ties,
           options.seed, options.lease, options.labels_per_item, options.labels_per_worker,
           options.gold_rate, options.item_prior, options.worker_prior, options.coins,
           options.refit, options.refit_every, options.features);
  bool has_more = options.calibrated || options.stop.certified || options.lower_end ||
                  options.local_reviews || options.people_sample || options.mean_answers;
  code_flags(bytes, options.learn_workers, options.stop.accuracy, options.stop.settled,
             options.stop.worth, options.ordered, options.learn_features, options.agreement_sample,
             has_more);
  if (has_more) {
    code_flags(bytes, options.calibrated, options.stop.certified, options.lower_end,
               options.local_reviews, options.people_sample, options.mean_answers);
  } else if constexpr (!std::is_const_v<Of>) {
    options.calibrated = options.lower_end = options.local_reviews = options.mean_answers = false;
  }
}

Result<void> check_people_sample(const Options& options) {
  if (!options.people_sample) return {};
  const auto groups = check_groups(options);
  if (groups) return {};
  return invalid("a people's sample is for workers outside all groups, but {}",
                 groups.error().message);
}

}  // namespace

Result<void> check(const Options& options) {
  return check_numbers(options)
      .and_then([&] { return check_rules(options); })
      .and_then([&] { return check_names(options.classes, "class"); })
      .and_then([&] { return check_names(options.features, "feature"); })
      .and_then([&] { return check_models(options); })
      .and_then([&] { return check_people_sample(options); });
}

model::Coins used_coins(const Options& options, model::Refit refit) {
  const bool two = options.classes.size() == 2 || refit == model::Refit::pooled;
  return options.coins.value_or(two ? model::Coins::two : model::Coins::one);
}

bool has_binary_beliefs(const Options& options) {
  if (options.classes.size() > 2) return false;
  const bool by_propagation = options.refit == model::Refit::integrated && options.learn_features;
  return options.features.empty() || by_propagation;
}

Result<void> check_groups(const Options& options) {
  if (options.refit == model::Refit::off) {
    return invalid(
        "groups of workers need refits; expected refits every number of labels, or no "
        "groups");
  }
  if (options.stop.worth) {
    return invalid(
        "the stop rule 'worth' does not know groups of workers; expected the stop rules "
        "accuracy and settled, or no groups");
  }
  const auto ignore = [](const auto&) {};
  const auto classes = static_cast<std::uint32_t>(options.classes.size());
  TRY(io::parse_dirichlet_prior(options.item_prior, classes).map(ignore));
  return policy::make_policy(options.policy, options.ties, policy::Form::multiclass_pairs)
      .map(ignore);
}

bool same_but_for_model(const Options& one, const Options& other) {
  Options same = one;
  same.policy = other.policy;
  same.ties = other.ties;
  same.item_prior = other.item_prior;
  same.worker_prior = other.worker_prior;
  same.coins = other.coins;
  same.refit = other.refit;
  same.refit_every = other.refit_every;
  same.learn_workers = other.learn_workers;
  same.ordered = other.ordered;
  same.learn_features = other.learn_features;
  same.calibrated = other.calibrated;
  same.lower_end = other.lower_end;
  same.local_reviews = other.local_reviews;
  same.mean_answers = other.mean_answers;
  return same == other;
}

bool keeps_beliefs(const Options& one, const Options& other) {
  Options same = one;
  same.lease = other.lease;
  same.labels_per_item = other.labels_per_item;
  same.labels_per_worker = other.labels_per_worker;
  same.gold_rate = other.gold_rate;
  return same == other;
}

bool can_change(const Options& one, const Options& other) {
  Options same = one;
  same.policy = other.policy;
  same.stop = other.stop;
  return keeps_beliefs(same, other);
}

void save(const Options& options, ByteWriter& to) { code_options(to, options); }

Options load_options(ByteReader& from) {
  Options options;
  code_options(from, options);
  return options;
}

}  // namespace allot::campaign
