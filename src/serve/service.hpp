// The campaign engine as an HTTP service: one table of routes, from which requests are served and
// the OpenAPI document is made.
//
// A request is matched with its route, and its token is checked, all from memory; then a handler
// reads the request and posts work to the hub. Nothing here waits for the disk or for a campaign,
// so threads that serve connections can call it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/message.hpp"
#include "http/server.hpp"
#include "serve/hub.hpp"
#include "serve/log.hpp"
#include "serve/metrics.hpp"
#include "serve/model_runs.hpp"
#include "serve/route.hpp"
#include "serve/sign_in_rules.hpp"
#include "serve/webhooks.hpp"
#include "serve/write_probe.hpp"

namespace allot::serve {

struct ServiceOptions {
  /// Requests per second that a token may make: in the long run, and at once.
  double rate = 500, burst = 1000;
  /// Labels or items per request.
  std::size_t largest_batch = 1000;
  std::uint64_t largest_body = 1 << 20;
  std::uint64_t largest_upload = std::uint64_t{4} << 30;
  /// Bytes of the fields of one item.
  std::size_t largest_item = 256 << 10;
  /// Responses that are kept to be given again under the same Idempotency-Key.
  std::size_t kept_answers = 10'000;
  /// A live stream without events sends a comment this often, so that the client knows it is alive.
  std::chrono::milliseconds heartbeat{15'000};
  /// Least time between two tests of whether changes can be made.
  std::chrono::milliseconds probe_every{2'000};
  /// Processor time for one number of a forecast.
  std::chrono::milliseconds forecast_time{1'000};
  std::string version = "0.1.0";
  /// Takes the lines of the log; none are written if it is empty.
  Log::Sink log = {};
  Level log_level = Level::info;
  /// Takes the lines of the access log; none are written if it is empty.
  Log::Sink access_log = {};
  SignInOptions sign_in = {};
  /// Allows webhooks at loopback, private and other special addresses.
  bool private_webhooks = false;
  /// Folder from which pages are read for every request; the built-in pages if empty.
  std::string web_root = {};
  WebhookOptions webhooks = {};
  ModelOptions models = {};
};

class Forwarder;
class RateLimiter;
class ResponseCache;
class SignIn;

class Service final : public http::Service {
 public:
  /// The hub must outlive the service, and be stopped before the service ends.
  Service(Hub& hub, ServiceOptions options);
  ~Service() override;

  Intake intake(const http::Request& request) const override;
  void handle(http::Request request, http::Reply reply) override;

  /// Joins the other servers on a database, which reach this one at that address, such as
  /// "10.0.0.7:8080". Requests for campaigns are refused before. Does nothing for a folder.
  Result<void> join(const std::string& address);

  const std::vector<Route>& routes() const { return routes_.routes(); }
  const std::string& openapi() const { return openapi_; }
  const std::string& openapi_tag() const { return openapi_tag_; }
  const std::string& docs() const { return docs_; }
  Hub& hub() { return hub_; }
  Metrics& metrics() { return metrics_; }
  Webhooks& webhooks() { return webhooks_; }
  ModelRuns& models() { return models_; }
  WriteProbe& write_probe() { return write_probe_; }
  /// Null for a folder.
  const Forwarder* forwarder() const { return forwarder_.get(); }
  const ServiceOptions& options() const { return options_; }
  SignIn& sign_in() { return *sign_in_; }
  /// Writes a request that the HTTP layer refused to the logs.
  void note_refusal(const http::RefusedRequest& refused) const;
  /// Writes a line about the server itself to the log.
  void note(const Note& note) const { log_.note(note, hub_.now()); }
  /// Limits arrivals through recruiting links, by link and address.
  RateLimiter& arrivals() { return *arrivals_; }

 private:
  /// Checks the token; one that is unknown may have come to another server a moment ago.
  void admit(const std::shared_ptr<Call>& call, bool is_fresh);
  /// Serves an admitted request here.
  void proceed(const std::shared_ptr<Call>& call);
  /// Logs and counts the response, then completes and sends it.
  void finish(const std::shared_ptr<Trace>& trace, std::chrono::steady_clock::time_point begin,
              http::Response response, const http::Reply& reply);

  Hub& hub_;
  const ServiceOptions options_;
  const RouteTable routes_;
  const std::string openapi_, openapi_tag_, docs_;
  const Log log_;
  std::unique_ptr<RateLimiter> limiter_, arrivals_;
  Metrics metrics_;
  std::shared_ptr<ResponseCache> responses_;
  Webhooks webhooks_;
  ModelRuns models_;
  WriteProbe write_probe_;
  std::unique_ptr<Forwarder> forwarder_;
  std::unique_ptr<SignIn> sign_in_;
};

}  // namespace allot::serve
