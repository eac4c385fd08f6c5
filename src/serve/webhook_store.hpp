// Webhooks and what is to be sent to them, in server.db.
//
// A webhook has a cursor: the last event of its campaign's ledger that messages were made of. It
// moves in the same transaction in which the messages are kept, so whatever happens every event is
// made into messages once. Messages that wait are limited (by who moves the cursor): the ledger is
// the queue, this is its head. Of those that are done the last few are kept, without their bodies.
//
// Secrets are kept as they are, since messages are signed with them; they are asked for by one
// function and in nothing else. Any number of threads may call; what changes is on disk when a call
// returns.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "serve/vault.hpp"
#include "serve/webhook_events.hpp"

namespace allot::serve {

struct Webhook {
  std::string id = {}, campaign = {};
  /// The token that made it or switched it on again. It is sent to as long as that is not revoked.
  std::string maker = {};
  std::string url = {};
  TidingsSet events = 0;
  std::string description = {};
  bool active = true;
  /// Why the server switched it off; empty if it did not.
  std::string off_reason = {};
  Time created = {};
  std::uint64_t cursor = 0;
  /// The first failure since the last success.
  std::optional<Time> failing_since = {};
  /// How long messages are signed with the secret before this one as well.
  std::optional<Time> old_secret_until = {};
};

enum class DeliveryState : std::uint8_t { waiting, delivered, failed };
std::string_view name(DeliveryState state);

struct Delivery {
  std::int64_t number = 0;
  std::string webhook = {};
  /// The same at every attempt.
  std::string id = {};
  std::string type = {}, body = {};
  DeliveryState state = DeliveryState::waiting;
  std::uint32_t attempts = 0;
  /// Of the next attempt.
  Time due = {};
  Time made = {};
  std::optional<Time> last = {};
  /// Of the last answer; 0 if there was none, and then why.
  int status = 0;
  std::string trouble = {};
};

class WebhookStore {
 public:
  /// The file of a vault, once that has brought it up to date.
  static Result<std::unique_ptr<WebhookStore>> open(const std::string& path);
  ~WebhookStore();

  struct Made {
    Webhook webhook;
    /// "whsec_...", to be shown once.
    std::string secret;
  };
  /// `draft` without its id. Refuses more than so many of a campaign, and of all.
  Result<Made> make(Webhook draft, std::size_t most_of_campaign, std::size_t most);
  /// By id; those of all campaigns if it is empty.
  Result<std::vector<Webhook>> list(const std::string& campaign = {});
  Result<Webhook> find(const std::string& campaign, const std::string& id);
  /// url, events, description, active, maker, off_reason and failing_since of it. What waits for
  /// one that was switched on again is due.
  Result<void> change(const Webhook& webhook, bool switched_on, Time now);
  /// With its deliveries.
  Result<void> remove(const std::string& id);
  /// A new secret, to be shown once. The one before counts until then, and none before that.
  Result<std::string> rotate(const std::string& id, Time old_until);
  /// The keys that its messages are signed with now, 32 bytes each, the newest first.
  Result<std::vector<std::string>> keys(const std::string& id, Time now);

  /// Moves its cursor on and keeps the messages. False, and nothing happened, if the cursor is not
  /// at `from` or the webhook is gone.
  Result<bool> advance(const std::string& id, std::uint64_t from, std::uint64_t to,
                       std::span<const Message> messages, Time now);
  /// Keeps a message that stands for no event; its id. Refused if so many wait already.
  Result<std::string> add_test(const Webhook& webhook, std::size_t most_waiting, Time now);
  Result<std::size_t> waiting(const std::string& id);
  /// What is to be sent next and where: the first that is due. Without any, when the next one will
  /// be. Nothing if the webhook is gone or switched off by now.
  struct Next {
    std::optional<Delivery> delivery;
    std::string url;
    std::optional<Time> due;
  };
  Result<Next> next(const std::string& id, Time now);
  /// What became of deliveries, in one commit. Of each webhook the last `kept` that are done stay.
  Result<void> record(std::span<const Delivery> deliveries, std::size_t kept);
  /// The first failure since the last success, and why it was switched off if it was.
  Result<void> note(const Webhook& webhook);
  /// The last ones, the newest first.
  Result<std::vector<Delivery>> deliveries(const std::string& id, std::size_t most);

 private:
  explicit WebhookStore(std::unique_ptr<store::Connection> file);

  std::mutex mutex_;
  std::unique_ptr<store::Connection> file_;
};

}  // namespace allot::serve
