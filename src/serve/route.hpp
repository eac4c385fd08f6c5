// A route: a method and a path pattern, who may call it, and what it takes and answers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.hpp"

namespace allot::serve {

/// Who may call a route. An admin may call all of them.
enum class Access : std::uint8_t {
  anyone,     // without a token
  token,      // with any token
  admin,      // with an admin's token
  requester,  // requesters, who create campaigns
  owner,      // the requester who owns the campaign
  worker,     // the owner, and workers of the campaign
};
/// "admins and requesters"
std::string_view about(Access access);

std::string_view name(http::Method method);

class Call;
using CallPtr = std::shared_ptr<Call>;

/// A parameter in the query.
struct Parameter {
  std::string name;
  std::string schema;
  std::string about;
};

struct Route {
  http::Method method;
  /// "/api/v1/campaigns/{campaign}/labels"
  std::string pattern;
  Access access;
  /// operationId in the OpenAPI document, from which clients generate names.
  std::string name;
  std::string summary;
  void (*handle)(const CallPtr& call);
  /// Schemas; empty for none.
  std::string request = {}, response = {};
  int success = 200;
  std::vector<Parameter> query = {};
  std::string produces = "application/json";
  /// Content types of a body that is read piece by piece; empty if the body is read as a whole.
  std::vector<std::string> uploads = {};
  /// The route accepts an Idempotency-Key.
  bool keyed = false;
  /// Responses have an ETag, and If-None-Match is honoured.
  bool tagged = false;
  /// Further content types that a client can ask for.
  std::vector<std::string> also_produces = {};
  /// A page for a browser: takes any query, and is not part of the API.
  bool page = false;
};

}  // namespace allot::serve
