// The thread that follows ledgers and sends webhook messages; see webhooks.hpp.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "serve/webhook_reading.hpp"
#include "serve/webhook_store.hpp"
#include "serve/webhooks.hpp"

namespace allot::serve {

/// How a receiver answered one attempt.
struct AttemptResult {
  Delivery delivery;
  Result<int> status;
};

/// Messages from other threads to the courier.
struct CourierInbox {
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<LedgerPage> pages;
  std::vector<AttemptResult> results;
  /// Campaigns with new events.
  std::set<std::string> woken;
  bool changed = true, stop = false;

  template <typename Put>
  void put(Put leave) {
    {
      const std::scoped_lock lock(mutex);
      leave();
    }
    arrived.notify_one();
  }
};

/// Runs until the inbox says stop.
void run_courier(Hub& hub, Metrics& metrics, const Log& log, const WebhookOptions& options,
                 const std::string& version, std::shared_ptr<CourierInbox> inbox);

}  // namespace allot::serve
