// Whether a prompt fits the items of a campaign.
#pragma once

#include <optional>

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
/// The number of items, among the first kMostCounted, that lack a field of the prompt. Reads their
/// fields.
Result<std::uint32_t> count_unfit_items(const campaign::CampaignView& view,
                                        const PromptTemplate& prompt);

}  // namespace allot::bridge
