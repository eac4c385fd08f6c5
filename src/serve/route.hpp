// A route: what is asked where, by whom, and what is answered. And a call of one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.hpp"
#include "serve/body.hpp"
#include "serve/hub.hpp"
#include "serve/log.hpp"
#include "serve/service.hpp"

namespace allot::serve {

/// Who may call a route. An admin may call all of them.
enum class Access : std::uint8_t {
  anyone,     // without a token
  token,      // whoever has one
  admin,      //
  requester,  // makes campaigns
  owner,      // the requester whose campaign it is
  worker,     // the owner, and workers of the campaign
};
std::string_view about(Access access);

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
  /// Of the operation, for programs that are made from the document.
  std::string name;
  std::string summary;
  void (*handle)(const CallPtr& call);
  /// Schemas; empty for none.
  std::string request = {}, response = {};
  int success = 200;
  std::vector<Parameter> query = {};
  std::string produces = "application/json";
  /// Taken piece by piece, and then of one of these kinds.
  std::vector<std::string> uploads = {};
  /// Whether Idempotency-Key is taken.
  bool keyed = false;
  /// Whether the answer has an ETag, and is not sent to who has it.
  bool tagged = false;
  /// Of another kind if that is asked for.
  std::vector<std::string> also_produces = {};
  /// For people: opened by a browser, with any query, and no part of the API.
  bool page = false;
};

/// The components that schemas refer to, by name.
std::vector<std::pair<std::string, std::string>> components();
std::string make_openapi(const std::vector<Route>& routes, const std::string& version);
/// For people: every route, without script and without anything from elsewhere.
std::string make_docs(const std::vector<Route>& routes);

void add_server_routes(std::vector<Route>& routes);
void add_campaign_routes(std::vector<Route>& routes);
void add_twin_routes(std::vector<Route>& routes);
void add_import_routes(std::vector<Route>& routes);
void add_item_routes(std::vector<Route>& routes);
void add_work_routes(std::vector<Route>& routes);
void add_report_routes(std::vector<Route>& routes);
void add_board_routes(std::vector<Route>& routes);
void add_forecast_routes(std::vector<Route>& routes);
void add_live_routes(std::vector<Route>& routes);
void add_webhook_routes(std::vector<Route>& routes);
void add_page_routes(std::vector<Route>& routes);

/// Whether a person in a browser asks for something that is not there, and gets a page that says
/// so.
bool wants_page(const Call& call);
void send_no_such_page(const CallPtr& call);

std::string_view name(http::Method method);

/// The Idempotency-Key was that of another request.
http::Response key_reused(const Call& call);

http::Response json_response(std::string body, int status = 200);

/// A request on its way to its answer.
class Call {
 public:
  Call(Service& its_service, http::Request its_request, http::Reply its_reply)
      : service(its_service), request(std::move(its_request)), reply(std::move(its_reply)) {}

  Service& service;
  http::Request request;
  http::Reply reply;
  const Route* route = nullptr;
  std::shared_ptr<Trace> trace;
  /// Without a token nobody's.
  Token token;
  std::map<std::string, std::string, std::less<>> params;

  Hub& hub() const { return service.hub(); }
  Time now() const { return service.hub().now(); }
  const std::string& campaign() const { return params.find("campaign")->second; }
  bool is_worker() const { return token.role == Role::worker; }

  std::optional<std::string> query(std::string_view name) const;
  Result<std::uint64_t> whole(std::string_view name, std::uint64_t usual, std::uint64_t least,
                              std::uint64_t most) const;
  /// How many rows a page has.
  static constexpr std::uint64_t kMostRows = 1000;
  Result<std::uint64_t> limit() const { return whole("limit", 100, 1, kMostRows); }
  /// As the engine is to know it; empty without one.
  std::string key(std::string_view part = {}) const;
  /// Whom the request speaks for: the worker of the token, or the one that is named.
  std::string worker(Body& body) const;
  /// A refusal, in words that tell a worker nothing of others.
  Error said(const Error& error) const;

  void refuse(const Error& error) const;
  using Work = std::function<Result<http::Response>(Room&)>;
  /// To the campaign's mailbox.
  void command(Work work) const;
  void look(Work work) const;
  using Task = std::function<Result<http::Response>()>;
  /// On a thread of the pool.
  void work(const Task& work) const;
  /// The same for what takes seconds: one after the other, and refused if too many wait.
  void work_slowly(const Task& work) const;
};

}  // namespace allot::serve
