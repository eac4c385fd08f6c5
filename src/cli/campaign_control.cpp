// Controls a campaign while it runs.
#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/campaign/option_text.hpp"
#include "allot/io/refit_text.hpp"
#include "base/errors.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/crowd_options.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

struct BudgetFlags : CampaignFlags {
  std::optional<std::string> amount;
};

struct PriceFlags : CampaignFlags {
  std::vector<std::string> prices;
};

struct FollowFlags : CampaignFlags {
  std::vector<std::string> followers;
};

struct ModelFlags : CampaignFlags {
  std::optional<std::string> refit_by, policy, worker_prior, coins, refit;
  bool ordered = false;

  /// The first option that says something about the method of refits.
  const char* of_method() const {
    if (worker_prior) return "--worker-prior";
    if (coins) return "--coins";
    if (refit) return "--refit";
    return ordered ? "--ordered" : nullptr;
  }
};

struct SettleFlags : CampaignFlags {
  std::vector<std::string> items;
  std::string reason = "settled by hand";
};

struct CloseFlags : CampaignFlags {
  std::string reason = "done";
};

Output report(const OpenCampaign& open, std::string_view what) {
  return {fmt::format("campaign {} {}\n", in_quotes(open->name()), what)};
}

Result<Output> report_budget(const OpenCampaign& open) {
  const auto account = TRY(open.read([](const campaign::State& state) { return state.account(); }));
  return report(open, fmt::format("has a budget of {}: spent {}, reserved {}, left {}",
                                  money_text(account.budget), money_text(account.spent),
                                  money_text(account.reserved), money_text(account.left())));
}

Result<Output> pause_campaign(const CampaignFlags& flags) {
  return changing(flags, [](const OpenCampaign& open) -> Result<Output> {
    TRY(open->pause(open.now));
    return report(open, "is paused: nothing is handed out, answers are recorded");
  });
}

Result<Output> resume_campaign(const CampaignFlags& flags) {
  return changing(flags, [](const OpenCampaign& open) -> Result<Output> {
    TRY(open->resume(open.now));
    return report(open, "is running");
  });
}

/// Without an amount it only reports the budget.
Result<Output> change_budget(const BudgetFlags& flags) {
  if (!flags.amount) return open_campaign(flags).and_then(report_budget);
  const auto budget = TRY(in_option("AMOUNT", parse_money(*flags.amount)));
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    TRY(open->set_budget(budget, open.now));
    return report_budget(open);
  });
}

/// `before`: the options that the model replaces.
Result<Output> report_model(const OpenCampaign& open, const campaign::Options* before = nullptr) {
  const auto options = TRY(open.read([](const campaign::State& state) { return state.options(); }));
  const bool forgets = before && before->ordered && !options.ordered;
  return report(open,
                fmt::format("decides by {}: {}{}", options.policy, campaign::model_text(options),
                            forgets ? "; the order of classes is no longer used" : ""));
}

/// Methods that suit the items, such as "bp, em or off".
std::string methods_text(const campaign::Options& options) {
  std::vector<std::string_view> names;
  for (const model::Refit one :
       io::suited_refits(options.classes.size() == 2, !options.features.empty()))
    names.push_back(io::refit_name(one));
  return fmt::format("{} or {}", fmt::join(names, ", "), io::refit_name(model::Refit::off));
}

Result<void> check_method(const campaign::Options& options, const std::string& method) {
  const auto suited = io::suited_refits(options.classes.size() == 2, !options.features.empty());
  const auto is_method = [&](model::Refit one) { return io::refit_name(one) == method; };
  if (std::ranges::any_of(suited, is_method) || is_method(model::Refit::off)) return {};
  return invalid("METHOD {} is no method for {}; expected {}", in_quotes(method),
                 options.classes.size() > 2 ? "items of several classes"
                 : options.features.empty() ? "items of two classes without features"
                                            : "items of two classes",
                 methods_text(options));
}

/// The options with the method of refits, and the defaults that a new campaign with it has.
Result<campaign::Options> with_method(const campaign::Options& before, const ModelFlags& flags) {
  campaign::OptionTexts texts{.worker_prior = flags.worker_prior,
                              .coins = flags.coins,
                              .refit = flags.refit.value_or("20"),
                              .refit_by = flags.refit_by};
  const bool can_order = before.classes.size() == 2 || flags.refit_by == "pooled";
  texts.ordered = flags.ordered || (before.ordered && can_order);
  TRY(check_method(before, *flags.refit_by));
  if (flags.refit_by == "off") {
    if (flags.refit) {
      return invalid(
          "--refit {} has no effect with METHOD 'off'; expected another method, or no --refit",
          in_quotes(*flags.refit));
    }
    texts.refit = "off";
    texts.refit_by = {};
  }
  return campaign::parse_model(before, texts,
                               [](std::string_view name) { return fmt::format("--{}", name); });
}

/// Without a method and a policy it only reports the model.
Result<Output> change_model(const ModelFlags& flags) {
  if (const char* const option = flags.of_method(); option && !flags.refit_by) {
    const auto open = TRY(open_campaign(flags));
    const auto options =
        TRY(open.read([](const campaign::State& state) { return state.options(); }));
    return invalid("{} needs METHOD; expected {} before it", option, methods_text(options));
  }
  if (!flags.refit_by && !flags.policy) return report_model(TRY(open_campaign(flags)));
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    auto options = TRY(open.read([](const campaign::State& state) { return state.options(); }));
    const campaign::Options before = options;
    if (flags.refit_by) {
      options = TRY(with_method(before, flags));
      options.calibrated = options.lower_end = options.local_reviews = options.mean_answers = true;
    }
    if (flags.policy) options.policy = *flags.policy;
    TRY(open->set_model(options, open.now));
    return report_model(open, &before);
  });
}

Result<Output> set_worker_prices(const PriceFlags& flags) {
  const auto prices = TRY(read_worker_prices("WORKER=PRICE", flags.prices));
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    TRY(open->set_prices(prices, open.now));
    return report(
        open, fmt::format("has prices for {} from now on", count_text(prices.size(), "worker")));
  });
}

Result<Output> follow_workers(const FollowFlags& flags) {
  const auto followers = TRY(read_followers("NEW=OLD", flags.followers));
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    for (const auto& [worker, before] : followers)
      TRY(open->set_version({.worker = worker, .follows = before}, open.now));
    return report(open, fmt::format("lets {} start from what is believed of earlier ones",
                                    count_text(followers.size(), "worker")));
  });
}

Result<Output> settle_items(const SettleFlags& flags) {
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    TRY(open->settle(flags.items, flags.reason, open.now));
    return report(open, fmt::format("buys no more labels for {} ({})",
                                    count_text(flags.items.size(), "item"), flags.reason));
  });
}

Result<Output> close_campaign(const CloseFlags& flags) {
  return changing(flags, [&](const OpenCampaign& open) -> Result<Output> {
    TRY(open->close(flags.reason, open.now));
    return report(open, fmt::format("is closed for good ({})", flags.reason));
  });
}

void add_budget_options(Command& command, BudgetFlags& flags) {
  command.add("AMOUNT", &flags.amount, "New total budget, at least what is spent and reserved");
}

void add_model_options(Command& command, ModelFlags& flags) {
  command.add("METHOD", &flags.refit_by,
              "Method of refits: `bp`, `em`, `pooled`, or `off` for one pass");
  command.add("--policy", &flags.policy, "NAME", "Policy that chooses items", "stays");
  command.add("--worker-prior", &flags.worker_prior, "D", kWorkerPriorMeaning,
              "that of a new campaign");
  command.add("--coins", &flags.coins, "N", kCoinsMeaning, "that of a new campaign");
  command.add("--refit", &flags.refit, "N", "Labels between two refits of all beliefs", "`20`");
  command.add("--ordered", &flags.ordered, kOrderedMeaning);
}

void add_price_options(Command& command, PriceFlags& flags) {
  command.require("WORKER=PRICE", &flags.prices,
                  "Prices such as `ann=0.05`, or a file with one row per worker");
}

void add_follow_options(Command& command, FollowFlags& flags) {
  command.require("NEW=OLD", &flags.followers,
                  "Workers and the versions before them, such as `judge-2=judge-1`");
}

void add_settle_options(Command& command, SettleFlags& flags) {
  command.require("ITEM", &flags.items, "Ids of items");
  command.add("--reason", &flags.reason, "TEXT", "Reason, shown by status and answers");
}

void add_close_options(Command& command, CloseFlags& flags) {
  command.add("--reason", &flags.reason, "TEXT", "Reason");
}

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> read_followers(
    const std::string& option, const std::vector<std::string>& lists) {
  std::vector<std::pair<std::string, std::string>> followers;
  for (const std::string& text : read_names(lists)) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      return invalid("{} {} names no two workers; expected NEW=OLD, such as judge-2=judge-1",
                     option, in_quotes(text));
    }
    followers.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    const auto twice = [&](const auto& one) { return one.first == followers.back().first; };
    if (std::ranges::count_if(followers, twice) > 1) {
      return invalid("{} lets worker {} follow two; expected one", option,
                     in_quotes(followers.back().first));
    }
  }
  return followers;
}

std::vector<Command> control_commands() {
  return {
      campaign_command("pause", "Hand out nothing until resume; answers are still recorded",
                       Access::write, pause_campaign),
      campaign_command("resume", "Resume a paused campaign", Access::write, resume_campaign),
      campaign_command("budget", "Change the budget, or print it", Access::write, change_budget,
                       add_budget_options, {"allot campaign budget sentiment.db 7500"}),
      campaign_command("model", "Change how the campaign believes and decides, or print it",
                       Access::write, change_model, add_model_options,
                       {"allot campaign model sentiment.db em"}),
      campaign_command("price", "Set the price of labels of single workers from now on",
                       Access::write, set_worker_prices, add_price_options,
                       {"allot campaign price sentiment.db ann=0.05 bob=0.02"}),
      campaign_command("follow",
                       "Let a new version of a worker start from what is known of the old",
                       Access::write, follow_workers, add_follow_options,
                       {"allot campaign follow sentiment.db judge-2=judge-1"}),
      campaign_command("settle", "Buy no more labels for items", Access::write, settle_items,
                       add_settle_options,
                       {"allot campaign settle sentiment.db review-17 --reason 'not a review'"}),
      campaign_command("close", "End the campaign for good; answers are no longer recorded",
                       Access::write, close_campaign, add_close_options)};
}

}  // namespace allot::cli
