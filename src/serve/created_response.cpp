#include "serve/created_response.hpp"

namespace allot::serve {

using http::Response;

JsonObject campaign_head(const CampaignEntry& entry) {
  JsonObject head;
  head.text("id", entry.id)
      .text("name", entry.name)
      .text("owner", entry.owner)
      .time("created", entry.created)
      .text_or_null("twin_of", entry.twin_of);
  return head;
}

std::string entry_json(const CampaignEntry& entry) { return campaign_head(entry).end(); }

Response created_response(const CampaignEntry& entry) {
  Response response = json_response(entry_json(entry), 201);
  response.fields.add("Location", "/api/v1/campaigns/" + entry.id);
  return response;
}

bool replied_as_before(const Call& call, const std::string& digest) {
  const Vault& vault = call.hub().vault();
  const auto before = vault.created_under(call.key());
  if (!before) return false;
  call.reply(before->digest == digest ? created_response(vault.campaign(before->campaign).value())
                                      : key_reused(call));
  return true;
}

}  // namespace allot::serve
