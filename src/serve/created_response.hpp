// Responses to requests that create campaigns.
#pragma once

#include <string>

#include "serve/call.hpp"
#include "serve/json.hpp"

namespace allot::serve {

/// Members that lists and single campaigns share: id, name, owner, created, twin_of.
JsonObject campaign_head(const CampaignEntry& entry);
std::string entry_json(const CampaignEntry& entry);

/// 201 with the campaign's address.
http::Response created_response(const CampaignEntry& entry);

/// Replies if a request with this Idempotency-Key created a campaign before: with that campaign if
/// the digests agree, otherwise with a refusal. Returns whether it replied.
bool replied_as_before(const Call& call, const std::string& digest);

}  // namespace allot::serve
