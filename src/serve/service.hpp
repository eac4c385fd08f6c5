// The campaign engine as an HTTP service: one table of routes, from which requests are served and
// the OpenAPI document is made.
//
// A request is matched with its route, its token looked up and its right to be here checked, all
// from memory; then a handler reads it and posts what is to be done to the hub. Nothing in here
// waits for the disk or for the engine, so it can be called by threads that serve connections.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/message.hpp"
#include "serve/hub.hpp"
#include "serve/log.hpp"
#include "serve/webhooks.hpp"

namespace allot::serve {

struct ServiceOptions {
  /// Requests a second that a token may make in the long run, and at once.
  double rate = 500, burst = 1000;
  /// Labels or items in one request.
  std::size_t largest_batch = 1000;
  std::uint64_t largest_body = 1 << 20;
  std::uint64_t largest_upload = std::uint64_t{4} << 30;
  /// What an item may hold to be shown.
  std::size_t largest_item = 256 << 10;
  /// Answers that are kept to be given again under the same Idempotency-Key.
  std::size_t kept_answers = 10'000;
  /// After so long without an event a live stream says that it is still there.
  std::chrono::milliseconds heartbeat{15'000};
  /// How often at most it is tried whether the data folder can be written.
  std::chrono::milliseconds probe_every{2'000};
  /// Processor time that one figure of a forecast may take.
  std::chrono::milliseconds forecast_time{1'000};
  std::string version = "0.1.0";
  /// Where lines of the log go, nowhere if empty.
  Log::Sink log = {};
  Level log_level = Level::info;
  /// Whether webhooks may be sent to loopback, private and other special addresses.
  bool private_webhooks = false;
  /// A folder to read pages from, each time anew; the program's own ones if empty.
  std::string web_root = {};
  WebhookOptions webhooks = {};
};

struct Route;
class Call;
class Limiter;
class Metrics;
class Memory;
class WriteProbe;

class Service final : public http::Service {
 public:
  /// The hub must outlive the service, and be stopped before the service ends.
  Service(Hub& hub, ServiceOptions options);
  ~Service() override;

  Intake intake(http::Method method, std::string_view path) const override;
  void handle(http::Request request, http::Reply reply) override;

  const std::vector<Route>& routes() const { return routes_; }
  const std::string& openapi() const { return openapi_; }
  const std::string& openapi_tag() const { return openapi_tag_; }
  const std::string& docs() const { return docs_; }
  Hub& hub() { return hub_; }
  Metrics& metrics() { return *metrics_; }
  Webhooks& webhooks() { return *webhooks_; }
  WriteProbe& write_probe() { return *write_probe_; }
  const ServiceOptions& options() const { return options_; }

 private:
  struct Match;
  Match match(http::Method method, std::string_view path) const;
  /// Nothing if the request may go on.
  std::optional<http::Response> refused(Call& call);
  std::optional<http::Response> recalled(Call& call);

  Hub& hub_;
  const ServiceOptions options_;
  std::vector<Route> routes_;
  std::vector<std::vector<const Route*>> by_depth_;  // by slashes in the pattern
  std::string openapi_, openapi_tag_, docs_;
  const Log log_;
  std::unique_ptr<Limiter> limiter_;
  std::unique_ptr<Metrics> metrics_;
  std::shared_ptr<Memory> memory_;
  std::unique_ptr<Webhooks> webhooks_;
  std::unique_ptr<WriteProbe> write_probe_;
};

}  // namespace allot::serve
