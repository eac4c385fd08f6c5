// Sends webhooks their messages (Standard Webhooks: signed, at least once).
//
// One thread follows the ledgers of campaigns that have webhooks, makes messages of their events
// (webhook_events.hpp), keeps them (webhook_store.hpp) and sends what is due. A receiver gets one
// message at a time, in the order of the events as long as it takes them; one that it does not take
// waits for its next attempt while others go on. Receivers do not wait for each other. What was not
// answered with 2xx when the server stopped is sent again at the next start, under the same id.
//
// A webhook is switched off, and says why, after failing for days, or when the token of its maker
// is revoked. Switched on again it goes on where its cursor stands. For a day after a new secret
// was made messages carry two signatures.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "http/client.hpp"

namespace allot::serve {

class Hub;
class Log;
class Metrics;

struct WebhookOptions {
  /// How long after an attempt that failed comes the next; after the last of them it has failed.
  std::vector<std::chrono::milliseconds> waits{std::chrono::seconds(5), std::chrono::minutes(1),
                                               std::chrono::minutes(5), std::chrono::minutes(30),
                                               std::chrono::hours(2),   std::chrono::hours(5)};
  /// A webhook whose attempts all failed for so long is switched off.
  std::chrono::milliseconds switch_off_after = std::chrono::hours(72);
  std::size_t most_of_campaign = 10, most = 1000;
  /// Messages that wait; until there are fewer no more are made of the ledger.
  std::size_t most_waiting = 1000;
  /// Deliveries that are done and stay to be shown.
  std::size_t kept = 100;
  /// Events that are read at once.
  std::size_t page = 500;
  /// How long a secret counts after a new one was made, as Standard Webhooks has it.
  std::chrono::milliseconds old_secret = std::chrono::hours(24);
  /// How long stopping waits for receivers.
  std::chrono::milliseconds grace{2000};
  /// How often it looks at the clock.
  std::chrono::milliseconds tick{500};
  /// Time-outs and sizes of answers. Whether private addresses may be reached is not taken from
  /// here.
  http::ClientOptions client = {};
};

class Webhooks {
 public:
  /// Hub, metrics and log must outlive it.
  Webhooks(Hub& hub, Metrics& metrics, const Log& log, WebhookOptions options,
           bool private_addresses, const std::string& version);
  /// As stop().
  ~Webhooks();

  /// The store was changed by somebody else.
  void changed();
  /// Sends nothing new, and waits a little for answers.
  void stop();

  const WebhookOptions& options() const { return options_; }
  bool private_addresses() const { return options_.client.private_addresses; }

 private:
  struct Inbox;
  class Courier;

  const WebhookOptions options_;
  std::shared_ptr<Inbox> inbox_;
  std::thread thread_;
};

}  // namespace allot::serve
