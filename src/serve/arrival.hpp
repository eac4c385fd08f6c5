// Arrivals through recruiting links: their signatures, and the credentials of their sessions.
//
// Both follow from the secret of the link, which the ledger keeps. So a session has the same
// credential after a reload, on another device and on another server, and nothing else is stored.
#pragma once

#include <string>
#include <string_view>

#include "allot/campaign/session.hpp"
#include "allot/campaign/types.hpp"

namespace allot::serve {

/// The key with which a panel signs arrivals: hexadecimal digits, to be used as text.
std::string signing_key(const campaign::RecruitingTerms& terms);
/// The signature of an arrival: HMAC-SHA256 of "ID\nSESSION" in hexadecimal digits.
std::string arrival_signature(std::string_view signing_key, std::string_view id,
                              std::string_view session);

/// The secret half of a session's credential; the other half is the digest of it.
std::string session_secret(const campaign::RecruitingTerms& terms,
                           const campaign::JoinedSession& session);

}  // namespace allot::serve
