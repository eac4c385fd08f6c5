// How participants join a campaign, qualify, and end their sessions (campaign/recruiting.hpp).
#pragma once

#include "campaign/work.hpp"

namespace allot::campaign {

Result<void> set_recruiting(Work& work, const std::string& link, const RecruitingTerms& terms);
/// Finds or begins the session of an arrival.
Result<JoinedSession> join(Work& work, const Arrival& arrival);
/// After labels or skips of the worker: decides the qualification if all its items are tried, and
/// ends a session that has all its labels.
Result<void> follow_session(Work& work, WorkerId worker);
/// Ends the worker's session if the worker has no item, because there is none to get.
Result<void> end_idle_session(Work& work, std::string_view worker);

}  // namespace allot::campaign
