// A request on its way to its response: what a route's handler sees.
//
// A handler reads the body, then posts work to the hub and returns; the response comes later, from
// a thread of the hub, through `reply`. Handlers hold the call in a CallPtr until then.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/message.hpp"
#include "serve/body.hpp"
#include "serve/hub.hpp"
#include "serve/json.hpp"
#include "serve/log.hpp"
#include "serve/route.hpp"
#include "serve/service.hpp"

namespace allot::serve {

class Call {
 public:
  Call(Service& its_service, http::Request its_request, http::Reply its_reply)
      : service(its_service), request(std::move(its_request)), reply(std::move(its_reply)) {}

  Service& service;
  http::Request request;
  http::Reply reply;
  const Route* route = nullptr;
  std::shared_ptr<Trace> trace;
  /// Empty if the route takes anyone.
  Token token;
  Params params;

  Hub& hub() const { return service.hub(); }
  Time now() const { return service.hub().now(); }
  /// The address of the client, which may be behind trusted proxies.
  std::string client() const {
    return service.options().sign_in.client_address(request.peer, request.fields);
  }
  const std::string& param(std::string_view name) const { return params.find(name)->second; }
  const std::string& campaign() const { return param("campaign"); }
  /// Participants are workers too.
  bool is_worker() const { return token.is_worker(); }
  bool is_participant() const { return token.role == Role::participant; }
  bool is_reviewer() const { return token.role == Role::reviewer; }

  std::optional<std::string> query(std::string_view name) const;
  /// A parameter that is required; `what` it is, for the refusal.
  Result<std::string> required(std::string_view name, std::string_view what) const;
  Result<std::uint64_t> whole(std::string_view name, std::uint64_t usual, std::uint64_t least,
                              std::uint64_t most) const;
  static constexpr std::uint64_t kMostRows = 1000;
  /// Rows per page.
  Result<std::uint64_t> limit() const { return whole("limit", 100, 1, kMostRows); }
  /// The Idempotency-Key in the form that the campaign stores; empty without one. `part` tells
  /// apart several commands of one request.
  std::string key(std::string_view part = {}) const;
  /// The worker that the request is for: the token's, or the one that the body names.
  std::string worker(Body& body) const;
  /// The reviewer that the request is for: the token's, or the one that it names.
  Result<std::string> reviewer(const std::optional<std::string>& named) const;
  /// Rewords a refusal so that it tells a worker nothing about others.
  Error for_caller(const Error& error) const;

  // Ways to reply. They return nothing, so that a handler can end with them.
  Result<void> send(http::Response response) const;
  using Command = std::function<Result<http::Response>(OpenBatch&)>;
  /// Changes the campaign: runs in its mailbox, and replies once the change is on disk.
  /// `key_part` is the part of its second key, if it has one.
  Result<void> command(Command command, std::string_view key_part = {});
  using Look = std::function<Result<http::Response>(OpenCampaign&)>;
  /// Reads the campaign: runs in its mailbox.
  Result<void> look(Look look);
  /// Like `look`, for a response that depends on the ledger only: it gets an ETag, and a client
  /// that has the current one gets 304.
  Result<void> report(Look look);
  using Task = std::function<Result<http::Response>()>;
  /// Runs on a thread of the pool.
  Result<void> work(const Task& task) const;
  /// Runs work of seconds, one task after the other; refuses if too many wait.
  Result<void> work_slow(const Task& task) const;

 private:
  /// The reply moves on with the work: copies of it would copy what it carries.
  http::Reply take_reply() {
    return std::exchange(reply, [](const http::Response&) {});
  }
};

http::Response json_response(std::string body, int status = 200);

/// The response, or the problem as one.
http::Response response_of(Result<http::Response> result);

/// The refusal of an Idempotency-Key that belongs to another request.
http::Response key_reused(const Call& call);

/// True if the client has the response with that ETag [RFC 9110, 13.1.2]: its If-None-Match is a
/// list of tags, weak or not, or `*`.
bool is_known(const http::Request& request, std::string_view tag);

}  // namespace allot::serve
