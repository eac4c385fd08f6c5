// How a campaign takes labels, items and prices, at its start or later.
#pragma once

#include "campaign/work.hpp"

namespace allot::campaign {

/// Refuses a reason to skip that is not known, and a note that is too long.
Result<void> check(const Remark& remark);

/// Takes the answer to a leased item, or a late one. Another label than before is refused unless
/// `revise`. The event carries the key.
Result<Outcome> take_answer(Work& work, const Answer& answer, bool revise, std::string_view key);

/// Takes a label that was given elsewhere: free, and without a lease. An unknown worker joins.
Result<Outcome> import_label(Work& work, const Answer& answer);

/// Takes a label that another tool collected. The lease of the holder, in whose name the item was
/// shown, ends first. An unknown worker joins.
Result<Outcome> collect_label(Work& work, const Answer& answer, std::string_view holder,
                              std::string_view key);

/// Adds the items by one event that carries the key; no event without items.
Result<void> add_items(Work& work, std::span<const ItemDraft> items, std::string_view key = {});

/// Sets prices; unknown workers join.
Result<void> set_prices(Work& work, std::span<const std::pair<std::string, Money>> prices);

/// Says which version of a model the worker is, and whom the worker follows; an unknown worker
/// joins. A worker in no group joins that of the version before.
Result<void> set_version(Work& work, const VersionDraft& draft);
/// Sets groups of workers, empty for a worker alone; unknown workers join. Stop rules then look at
/// the new beliefs.
Result<void> set_groups(Work& work, std::span<const std::pair<std::string, std::string>> groups);

/// The first events of a campaign. Refuses a name that is in use.
Result<void> begin(Work& work, const Options& options, const Setup& setup);

}  // namespace allot::campaign
