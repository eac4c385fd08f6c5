// How a campaign takes the verdicts of reviewers, and starts audits.
#pragma once

#include "campaign/work.hpp"

namespace allot::campaign {

/// Takes each verdict or refuses it, with one event for all that are taken; it carries the key.
std::vector<Result<void>> take_verdicts(Work& work, std::string_view reviewer,
                                        std::span<const VerdictDraft> verdicts,
                                        std::string_view key);

/// Takes the verdict on the item back.
Result<void> take_back_verdict(Work& work, std::string_view item, std::string_view reviewer,
                               std::string_view key);

/// Freezes the answers for an audit.
Result<AuditReport> start_audit(Work& work, const AuditDraft& draft, std::string_view key);

}  // namespace allot::campaign
