// Sends webhook messages (Standard Webhooks: signed, at least once).
//
// One thread follows the ledgers of campaigns that have webhooks, writes messages for their events
// (webhook_events.hpp), stores them (webhook_store.hpp) and sends those that are due. A receiver
// gets one message at a time, in the order of events as long as it accepts them; a message that it
// does not accept waits for its next attempt while others go on. Receivers do not wait for each
// other. Messages without a 2xx response when the server stops are sent again at the next start,
// under the same id.
//
// The server switches a webhook off, and stores why, when it has failed for days or when the token
// that created it is revoked. Switched on again, it resumes at its cursor. For a day after a new
// secret, messages carry two signatures.
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
  /// Waits between attempts; after the last one the message has failed.
  std::vector<std::chrono::milliseconds> waits{std::chrono::seconds(5), std::chrono::minutes(1),
                                               std::chrono::minutes(5), std::chrono::minutes(30),
                                               std::chrono::hours(2),   std::chrono::hours(5)};
  /// A webhook that only failed for this long is switched off.
  std::chrono::milliseconds switch_off_after = std::chrono::hours(72);
  std::size_t most_of_campaign = 10, most = 1000;
  /// Most waiting messages per webhook; beyond that the ledger is not read further.
  std::size_t most_waiting = 1000;
  /// Finished deliveries that are kept for lists.
  std::size_t kept = 100;
  /// Events per read.
  std::size_t page = 500;
  /// Time for which a replaced secret stays valid, as Standard Webhooks recommends.
  std::chrono::milliseconds old_secret = std::chrono::hours(24);
  /// Time for receivers to respond when the server stops.
  std::chrono::milliseconds grace{2000};
  /// Time between two looks at the clock.
  std::chrono::milliseconds tick{500};
  /// Timeouts and sizes of responses; `private_addresses` is ignored here.
  http::ClientOptions client = {};
};

class Webhooks {
 public:
  /// Hub, metrics and log must outlive this object.
  Webhooks(Hub& hub, Metrics& metrics, const Log& log, WebhookOptions options,
           bool private_addresses, const std::string& version);
  /// Calls stop().
  ~Webhooks();

  /// Tells the thread that the store was changed.
  void changed();
  /// Sends nothing new, and waits a short time for responses.
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
