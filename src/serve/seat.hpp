// Seats: places of people with accounts in campaigns, as workers or reviewers.
//
// The owner of a campaign gives a seat to an address, such as ann@example.org. The person who signs
// in with that address labels or reviews there without a link, and the address is the name of the
// worker or reviewer. A seat is a token of the vault whose id follows from campaign and address,
// and whose secret nobody knows. So a person has one seat per campaign, revoking the token ends it,
// and it is deleted with the campaign.
//
// Cost: finding a seat takes one digest and one lookup.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "serve/vault.hpp"

namespace allot::serve {

/// The address as seats have it, in lower case; refuses a text that names nobody.
Result<std::string> read_address(std::string_view text);

/// The seat as Vault::appoint takes it; `role` is worker or reviewer.
Token seat_for(const std::string& campaign, const std::string& address, Role role);

bool is_seat(const Token& token);

/// The seat of an account in the campaign; nothing if it has none, or none any more.
std::optional<Token> seat_of(const Vault& vault, const Token& account, const std::string& campaign);

/// Whether a person who signs in with this role may have such a seat: a worker labels, a reviewer
/// reviews and labels, requesters and admins do both, and a monitor does neither.
bool may_take(Role account, Role seat);

/// Path of the page where the seat's person works.
std::string page_of(const Token& seat);

}  // namespace allot::serve
