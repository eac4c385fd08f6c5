// Whether a prompt fits the items of a campaign.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "allot/campaign/view.hpp"
#include "bridge/chat_prompt.hpp"

namespace allot::bridge {

/// The first item with all fields that the prompt names; nothing if the campaign has no items.
/// Refuses the prompt if none of the first 10,000 items has them. Reads the fields of the items up
/// to the one found.
Result<std::optional<ItemId>> find_fitting_item(const campaign::CampaignView& view,
                                                const PromptTemplate& prompt);

/// Items among which `count_unfit_items` looks.
inline constexpr std::uint32_t kMostCounted = 1'000;
struct UnfitItems {
  std::uint32_t count = 0;  ///< items that lack a field of the prompt
  std::uint32_t of = 0;     ///< items looked at: the first kMostCounted, or all if there are fewer
};
/// Counts the items that lack a field of the prompt. Reads the fields of those it looks at.
Result<UnfitItems> count_unfit_items(const campaign::CampaignView& view,
                                     const PromptTemplate& prompt);

/// Reason of a skip for items that lack a field of the prompt.
inline constexpr const char* kLacksField = "broken";
/// Items that the worker skipped for lack of a field, and that have all fields of this prompt.
/// Reads the ledger if the worker has skipped any.
Result<std::vector<std::string>> skips_that_fit(const campaign::CampaignView& view,
                                                const std::string& worker,
                                                const PromptTemplate& prompt);

}  // namespace allot::bridge
