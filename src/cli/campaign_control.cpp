// Steering a campaign while it runs.
#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
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

/// Refuses items that are unknown or settled, before any is settled.
Result<void> check_open_items(const OpenCampaign& open, const std::vector<std::string>& items) {
  const auto wrong = looked_at(open, [&](const State& state) -> std::string {
    for (const std::string& id : items) {
      const auto item = state.find_item(id);
      if (!item) {
        return fmt::format("item {} is unknown; expected the id of one of {}", in_quotes(id),
                           count_text(state.item_count(), "item"));
      }
      if (!state.settled(*item).empty()) {
        return fmt::format("item {} is settled already ({}); expected one that goes on",
                           in_quotes(id), state.settled(*item));
      }
    }
    return "";
  });
  if (!wrong) return tl::unexpected(wrong.error());
  if (!wrong->empty()) return fail(ErrorCode::conflict, *wrong);
  return {};
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
  const auto budget = in_option("AMOUNT", parse_money(*amount));
  if (!budget) return tl::unexpected(budget.error());
  return changing(where, [&](const OpenCampaign& open) {
    return open->set_budget(*budget, open.now).and_then([&] { return say_budget(open); });
  });
}

Result<Output> set_worker_prices(const CampaignFlags& where,
                                 const std::vector<std::string>& texts) {
  const auto prices = read_worker_prices("WORKER=PRICE", texts);
  if (!prices) return tl::unexpected(prices.error());
  return changing(where, [&](const OpenCampaign& open) -> Result<Output> {
    for (const auto& [worker, price] : *prices) {
      const auto set = open->set_price(worker, price, open.now);
      if (!set) return tl::unexpected(set.error());
    }
    return said(open,
                fmt::format("has prices for {} from now on", count_text(prices->size(), "worker")));
  });
}

Result<Output> settle_items(const CampaignFlags& where, const SettleFlags& flags) {
  return changing(where, [&](const OpenCampaign& open) -> Result<Output> {
    const auto items = read_names(flags.items);
    const auto checked = check_open_items(open, items);
    if (!checked) return tl::unexpected(checked.error());
    for (const std::string& item : items) {
      const auto settled = open->settle(item, flags.reason, open.now);
      if (!settled) return tl::unexpected(settled.error());
    }
    return said(open, fmt::format("asks nobody any more about {} ({})",
                                  count_text(items.size(), "item"), flags.reason));
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
