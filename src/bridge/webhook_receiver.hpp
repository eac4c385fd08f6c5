// Takes the webhooks of Label Studio.
//
// They are neither signed nor repeated, so a webhook only says which task to look at again. The
// reply comes at once: Label Studio waits for a second. Anything but a POST of JSON is refused.
#pragma once

#include <cstdint>
#include <functional>

#include "http/message.hpp"

namespace allot::bridge {

class WebhookReceiver final : public http::Service {
 public:
  /// `look_at` gets the number of every task that a webhook names; it must return at once.
  explicit WebhookReceiver(std::function<void(std::uint64_t)> look_at)
      : look_at_(std::move(look_at)) {}

  Intake intake(const http::Request&) const override { return {}; }
  void handle(http::Request request, http::Reply reply) override;

 private:
  const std::function<void(std::uint64_t)> look_at_;
};

}  // namespace allot::bridge
