#include "serve/webhooks.hpp"

#include <signal.h>

#include "serve/webhook_courier.hpp"

namespace allot::serve {

Webhooks::Webhooks(Hub& hub, Metrics& metrics, const Log& log, WebhookOptions options,
                   bool private_addresses, const std::string& version)
    : options_([&] {
        options.client.private_addresses = private_addresses;
        return std::move(options);
      }()),
      inbox_(std::make_shared<CourierInbox>()) {
  // The program handles signals on its own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this, &hub, &metrics, &log, version] {
    run_courier(hub, metrics, log, options_, version, inbox_);
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Webhooks::~Webhooks() { stop(); }

void Webhooks::changed() {
  inbox_->put([&] { inbox_->changed = true; });
}

void Webhooks::stop() {
  inbox_->put([&] { inbox_->stop = true; });
  if (thread_.joinable()) thread_.join();
}

}  // namespace allot::serve
