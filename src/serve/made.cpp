#include "serve/made.hpp"

#include "serve/json.hpp"

namespace allot::serve {

using http::Response;

std::string entry_json(const Entry& entry) {
  return JsonObject()
      .text("id", entry.id)
      .text("name", entry.name)
      .text("owner", entry.owner)
      .time("created", entry.created)
      .text_or_null("twin_of", entry.twin_of)
      .end();
}

Response made(const Entry& entry) {
  Response response = json_response(entry_json(entry), 201);
  response.fields.add("Location", "/api/v1/campaigns/" + entry.id);
  return response;
}

bool is_made_before(const Call& call, const std::string& digest) {
  const auto before = call.hub().vault().made_under(call.key());
  if (!before) return false;
  call.reply(before->request == digest ? made(call.hub().vault().campaign(before->campaign).value())
                                       : key_reused(call));
  return true;
}

}  // namespace allot::serve
