// Controls a campaign while it runs.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/campaign_file.hpp"
#include "cli/campaign_prices.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

using campaign::State;

/// Options of a command that has only those of every command.
struct NoFlags {};

void add_nothing(Command&, NoFlags&) {}

struct BudgetFlags {
  std::optional<std::string> amount;
};

struct PriceFlags {
  std::vector<std::string> prices;
};

struct SettleFlags {
  std::vector<std::string> items;
  std::string reason = "settled by hand";
};

struct CloseFlags {
  std::string reason = "done";
};

Output report(const OpenCampaign& open, std::string_view what) {
  return {fmt::format("campaign {} {}\n", in_quotes(open->name()), what)};
}

std::string budget_text(const State& state) {
  return fmt::format("has a budget of {}: spent {}, reserved {}, left {}",
                     money_text(state.account().budget), money_text(state.account().spent),
                     money_text(state.account().reserved), money_text(state.account().left()));
}

Result<Output> report_budget(const OpenCampaign& open) {
  return state_value(open, budget_text).map([&](const std::string& text) {
    return report(open, text);
  });
}

Result<Output> pause_campaign(const CampaignFlags& where, const NoFlags&) {
  return changing(where, [&](const OpenCampaign& open) {
    return open->pause(open.now).map(
        [&] { return report(open, "is paused: nothing is handed out, answers are recorded"); });
  });
}

Result<Output> resume_campaign(const CampaignFlags& where, const NoFlags&) {
  return changing(where, [&](const OpenCampaign& open) {
    return open->resume(open.now).map([&] { return report(open, "is running"); });
  });
}

/// Without an amount it only reports the budget.
Result<Output> change_budget(const CampaignFlags& where, const BudgetFlags& flags) {
  if (!flags.amount) return reading(where, report_budget);
  const auto budget = TRY(in_option("AMOUNT", parse_money(*flags.amount)));
  return changing(where, [&](const OpenCampaign& open) {
    return open->set_budget(budget, open.now).and_then([&] { return report_budget(open); });
  });
}

Result<Output> set_worker_prices(const CampaignFlags& where, const PriceFlags& flags) {
  const auto prices = TRY(read_worker_prices("WORKER=PRICE", flags.prices));
  return changing(where, [&](const OpenCampaign& open) {
    return open->set_prices(prices, open.now).map([&] {
      return report(
          open, fmt::format("has prices for {} from now on", count_text(prices.size(), "worker")));
    });
  });
}

Result<Output> settle_items(const CampaignFlags& where, const SettleFlags& flags) {
  return changing(where, [&](const OpenCampaign& open) {
    return open->settle(flags.items, flags.reason, open.now).map([&] {
      return report(open, fmt::format("buys no more labels for {} ({})",
                                      count_text(flags.items.size(), "item"), flags.reason));
    });
  });
}

Result<Output> close_campaign(const CampaignFlags& where, const CloseFlags& flags) {
  return changing(where, [&](const OpenCampaign& open) {
    return open->close(flags.reason, open.now).map([&] {
      return report(open, fmt::format("is closed for good ({})", flags.reason));
    });
  });
}

}  // namespace

Command pause_command() {
  return campaign_command("pause", "Hand out nothing until resume; answers are still recorded",
                          Access::write, pause_campaign, add_nothing);
}

Command resume_command() {
  return campaign_command("resume", "Resume a paused campaign", Access::write, resume_campaign,
                          add_nothing);
}

Command budget_command() {
  Command command = campaign_command<BudgetFlags>(
      "budget", "Change the budget, or print it", Access::write, change_budget,
      [](Command& budget, BudgetFlags& flags) {
        budget.add("AMOUNT", &flags.amount,
                   "New total budget, at least what is spent and reserved");
      });
  command.examples = {"allot campaign budget sentiment.db 7500"};
  return command;
}

Command price_command() {
  Command command = campaign_command<PriceFlags>(
      "price", "Set the price of labels of single workers from now on", Access::write,
      set_worker_prices, [](Command& price, PriceFlags& flags) {
        price
            .add("WORKER=PRICE", &flags.prices,
                 "Prices such as `ann=0.05`, or a file with one row per worker")
            .require();
      });
  command.examples = {"allot campaign price sentiment.db ann=0.05 bob=0.02"};
  return command;
}

Command settle_command() {
  Command command = campaign_command<SettleFlags>(
      "settle", "Buy no more labels for items", Access::write, settle_items,
      [](Command& settle, SettleFlags& flags) {
        settle.add("ITEM", &flags.items, "Ids of items").require();
        settle.add("--reason", &flags.reason, "TEXT", "Reason, shown by status and answers");
      });
  command.examples = {"allot campaign settle sentiment.db review-17 --reason 'not a review'"};
  return command;
}

Command close_command() {
  return campaign_command<CloseFlags>(
      "close", "End the campaign for good; answers are no longer recorded", Access::write,
      close_campaign, [](Command& command, CloseFlags& flags) {
        command.add("--reason", &flags.reason, "TEXT", "Reason");
      });
}

}  // namespace allot::cli
