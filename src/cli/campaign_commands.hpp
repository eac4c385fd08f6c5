// The commands of `allot campaign`. Each opens the file, does one thing to a campaign, and says
// what came of it.
#pragma once

#include "allot/base/result.hpp"
#include "cli/campaign_flags.hpp"
#include "cli/commands.hpp"

namespace allot::cli {

// campaign_create
Result<Output> create_campaign(const CampaignFlags& where, const CreateFlags& flags);
Result<Output> add_items(const CampaignFlags& where, const AddItemsFlags& flags);

// campaign_work
Result<Output> hand_out(const CampaignFlags& where, const NextFlags& flags);
Result<Output> list_leases(const CampaignFlags& where, const LeasesFlags& flags);
Result<Output> skip_items(const CampaignFlags& where, const HandBackFlags& flags);
Result<Output> release_items(const CampaignFlags& where, const HandBackFlags& flags);

// campaign_record
Result<Output> record_answers(const CampaignFlags& where, const AnswerFlags& flags);
Result<Output> import_labels(const CampaignFlags& where, const AnswerFlags& flags);

// campaign_control
Result<Output> pause_campaign(const CampaignFlags& where);
Result<Output> resume_campaign(const CampaignFlags& where);
/// Without an amount it only says what the budget is.
Result<Output> change_budget(const CampaignFlags& where, const std::optional<std::string>& amount);
Result<Output> set_worker_prices(const CampaignFlags& where,
                                 const std::vector<std::string>& prices);
Result<Output> settle_items(const CampaignFlags& where, const SettleFlags& flags);
Result<Output> close_campaign(const CampaignFlags& where, const std::string& reason);

// campaign_report
Result<Output> list_campaigns(const CampaignFlags& where, const RowFlags& flags);
Result<Output> show_status(const CampaignFlags& where, const RowFlags& flags);
Result<Output> show_answers(const CampaignFlags& where, const RowFlags& flags);
Result<Output> show_workers(const CampaignFlags& where, const RowFlags& flags);
/// Exit status 1 if anything differs.
Result<Output> verify_campaign(const CampaignFlags& where, const RowFlags& flags);

// campaign_explain
Result<Output> explain_choice(const CampaignFlags& where, const ExplainFlags& flags);

// campaign_export
Result<Output> export_campaign(const CampaignFlags& where, const ExportFlags& flags);

}  // namespace allot::cli
