// Steering a campaign while it runs.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "cli/campaign_commands.hpp"
#include "cli/campaign_file.hpp"
#include "cli/campaign_prices.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"

namespace allot::cli {
namespace {

using campaign::State;

Output said(const OpenCampaign& open, std::string_view what) {
  return {fmt::format("campaign {} {}\n", in_quotes(open->name()), what)};
}

std::string budget_text(const State& state) {
  return fmt::format("has a budget of {}: spent {}, reserved {}, left {}",
                     money_text(state.budget()), money_text(state.spent()),
                     money_text(state.reserved()), money_text(state.left()));
}

Result<Output> say_budget(const OpenCampaign& open) {
  return looked_at(open, budget_text).map([&](const std::string& text) {
    return said(open, text);
  });
}

}  // namespace

Result<Output> pause_campaign(const CampaignFlags& where) {
  return changing(where, [&](const OpenCampaign& open) {
    return open->pause(open.now).map(
        [&] { return said(open, "is paused: nothing is handed out, answers are taken"); });
  });
}

Result<Output> resume_campaign(const CampaignFlags& where) {
  return changing(where, [&](const OpenCampaign& open) {
    return open->resume(open.now).map([&] { return said(open, "is running"); });
  });
}

Result<Output> change_budget(const CampaignFlags& where, const std::optional<std::string>& amount) {
  if (!amount) return reading(where, say_budget);
  const auto budget = TRY(in_option("AMOUNT", parse_money(*amount)));
  return changing(where, [&](const OpenCampaign& open) {
    return open->set_budget(budget, open.now).and_then([&] { return say_budget(open); });
  });
}

Result<Output> set_worker_prices(const CampaignFlags& where,
                                 const std::vector<std::string>& texts) {
  const auto prices = TRY(read_worker_prices("WORKER=PRICE", texts));
  return changing(where, [&](const OpenCampaign& open) {
    return open->set_prices(prices, open.now).map([&] {
      return said(
          open, fmt::format("has prices for {} from now on", count_text(prices.size(), "worker")));
    });
  });
}

Result<Output> settle_items(const CampaignFlags& where, const SettleFlags& flags) {
  return changing(where, [&](const OpenCampaign& open) {
    return open->settle(flags.items, flags.reason, open.now).map([&] {
      return said(open, fmt::format("asks nobody any more about {} ({})",
                                    count_text(flags.items.size(), "item"), flags.reason));
    });
  });
}

Result<Output> close_campaign(const CampaignFlags& where, const std::string& reason) {
  return changing(where, [&](const OpenCampaign& open) {
    return open->close(reason, open.now).map([&] {
      return said(open, fmt::format("is closed for good ({})", reason));
    });
  });
}

}  // namespace allot::cli
