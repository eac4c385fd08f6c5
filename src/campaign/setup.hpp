// Items and prices on their way into a campaign, at its start or later.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "allot/campaign/types.hpp"
#include "campaign/work.hpp"

namespace allot::campaign {

/// Adds the items by one event that carries the key; no event without items.
Result<void> add_items(Work& work, std::span<const ItemDraft> items, std::string_view key = {});

/// Sets prices; unknown workers join.
Result<void> set_prices(Work& work, std::span<const std::pair<std::string, Money>> prices);

/// The first events of a campaign. Refuses a name that is in use.
Result<void> begin(Work& work, const Options& options, const Setup& setup);

}  // namespace allot::campaign
