// The check that a ledger adds up to what is kept, and that every decision in it can be made again.
#pragma once

#include <string>

#include "allot/campaign/report.hpp"
#include "campaign/core.hpp"

namespace allot::campaign {

/// Reports a record that cannot happen as a difference; refuses only if the store cannot be read.
/// Cost: that of all events and decisions so far, and the memory of a second campaign.
Result<Verification> verify(store::Store& store, const std::string& name, Core& live);

}  // namespace allot::campaign
