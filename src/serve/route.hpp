// Routes: methods and path patterns, who may call them, and what they take and answer. Requests are
// served from this table, and the OpenAPI document is made from it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
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
  reviewer,   // the owner, and reviewers of the campaign
  monitor,    // programs that watch the server
};
/// "admins and requesters"
std::string_view about(Access access);

std::string_view name(http::Method method);

class Call;
using CallPtr = std::shared_ptr<Call>;
/// Replies now or later, or returns the refusal.
using Handler = Result<void> (*)(const CallPtr& call);

/// A parameter in the query.
struct Parameter {
  std::string name;
  std::string schema;
  std::string about;
};

/// What most routes leave as it is.
struct RouteTraits {
  /// Schema of the body; empty for none.
  std::string request = {};
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

struct Route : RouteTraits {
  http::Method method;
  /// "/api/v1/campaigns/{campaign}/labels"
  std::string pattern;
  Access access;
  /// operationId in the OpenAPI document, from which clients generate names.
  std::string name;
  Handler handle;
  std::string summary;
  /// Schema of a successful response; empty for none.
  std::string response;
};

/// Adds routes to a table whose patterns begin alike and that the same callers may call.
class RouteGroup {
 public:
  RouteGroup(std::vector<Route>& routes, std::string base, Access access)
      : routes_(routes), base_(std::move(base)), access_(access) {}

  void add(http::Method method, const std::string& path, std::string name, Handler handle,
           std::string summary, std::string response, RouteTraits traits = {});

 private:
  std::vector<Route>& routes_;
  const std::string base_;
  const Access access_;
};
inline constexpr const char* kCampaignPath = "/api/v1/campaigns/{campaign}";

// The groups of routes, one per file.
void add_server_routes(std::vector<Route>& routes);
void add_token_routes(std::vector<Route>& routes);
void add_people_routes(std::vector<Route>& routes);
void add_campaign_routes(std::vector<Route>& routes);
void add_twin_routes(std::vector<Route>& routes);
void add_import_routes(std::vector<Route>& routes);
void add_item_routes(std::vector<Route>& routes);
void add_work_routes(std::vector<Route>& routes);
void add_worker_routes(std::vector<Route>& routes);
void add_group_routes(std::vector<Route>& routes);
void add_report_routes(std::vector<Route>& routes);
void add_review_routes(std::vector<Route>& routes);
void add_board_routes(std::vector<Route>& routes);
void add_forecast_routes(std::vector<Route>& routes);
void add_stream_routes(std::vector<Route>& routes);
void add_webhook_routes(std::vector<Route>& routes);
void add_recruiting_routes(std::vector<Route>& routes);
void add_arrival_routes(std::vector<Route>& routes);
void add_sign_in_routes(std::vector<Route>& routes);
void add_model_routes(std::vector<Route>& routes);
void add_page_routes(std::vector<Route>& routes);

/// True if a browser asks for a page that does not exist; it then gets a page that says so.
bool wants_page(const Call& call);
Result<void> send_no_such_page(const CallPtr& call);

/// All routes, found by method and path.
class RouteTable {
 public:
  explicit RouteTable(std::vector<Route> routes);

  const std::vector<Route>& routes() const { return routes_; }

  /// The route; null if there is none. HEAD matches the route of GET. O(routes with as many slashes
  /// as the path).
  const Route* find(http::Method method, std::string_view path) const;
  /// Methods of all routes with such a path.
  std::vector<http::Method> methods(std::string_view path) const;

 private:
  const std::vector<Route> routes_;
  /// Routes with as many slashes as the path.
  std::span<const Route* const> as_deep_as(std::string_view path) const;

  std::vector<std::vector<const Route*>> by_depth_;  // by slashes in the pattern
};

using Params = std::map<std::string, std::string, std::less<>>;
/// Values of the {names} of a pattern, in a path that matches it.
Params params_of(std::string_view pattern, std::string_view path);

}  // namespace allot::serve
