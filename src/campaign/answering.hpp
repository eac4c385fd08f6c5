// How a campaign takes one label: in time, late, again, or from elsewhere.
#pragma once

#include <string_view>

#include "allot/campaign/types.hpp"
#include "campaign/work.hpp"

namespace allot::campaign {

/// Takes the answer to a leased item, or a late one. Another label than before is refused unless
/// `revise`. The event carries the key.
Result<Outcome> take_answer(Work& work, const Answer& answer, bool revise, std::string_view key);

/// Takes a label that was given elsewhere: free, and without a lease. An unknown worker joins.
Result<Outcome> import_label(Work& work, const Answer& answer);

}  // namespace allot::campaign
