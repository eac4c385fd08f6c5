// The ledger folded from nothing, compared with what is kept.
#pragma once

#include <string>

#include "allot/campaign/campaign.hpp"
#include "campaign/core.hpp"

namespace allot::campaign {

/// A record that cannot happen is a difference, not a refusal; only a store that cannot be read is.
/// Cost: that of all events and decisions so far; the memory of a second campaign.
Result<Verification> verify(store::Store& store, const std::string& name, Core& live);

}  // namespace allot::campaign
