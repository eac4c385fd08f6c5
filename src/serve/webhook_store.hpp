// Webhooks and their messages, in the tables of a server (serve/server_tables.hpp).
//
// A webhook has a cursor: the last event of its campaign's ledger for which messages were written.
// It moves in the transaction that stores the messages, so every event gives messages exactly once.
// The caller limits the messages that wait: the ledger is the queue, this is its head. The last few
// finished messages are kept, without their bodies.
//
// Secrets are stored in plain text, since messages are signed with them; only `keys` reads them.
// Any number of threads may call; changes are on disk when a call returns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "serve/vault.hpp"
#include "serve/webhook_events.hpp"

namespace allot::serve {

struct Webhook {
  std::string id = {}, campaign = {};
  /// The token that created the webhook or switched it on again. Once it is revoked, nothing is
  /// sent.
  std::string maker = {};
  std::string url = {};
  TopicSet events = 0;
  std::string description = {};
  bool active = true;
  /// Why the server switched it off; empty if it did not.
  std::string off_reason = {};
  Time created = {};
  std::uint64_t cursor = 0;
  /// The first failure since the last success.
  std::optional<Time> failing_since = {};
  /// Until then messages are also signed with the previous secret.
  std::optional<Time> old_secret_until = {};
};

enum class DeliveryState : std::uint8_t { waiting, delivered, failed };
std::string_view name(DeliveryState state);

struct Delivery {
  std::int64_t number = 0;
  std::string webhook = {};
  /// Does not change between attempts.
  std::string id = {};
  std::string type = {}, body = {};
  DeliveryState state = DeliveryState::waiting;
  std::uint32_t attempts = 0;
  /// Time of the next attempt.
  Time due = {};
  Time made = {};
  std::optional<Time> last = {};
  /// HTTP status of the last attempt; 0 without a response, and `trouble` then says why.
  int status = 0;
  std::string trouble = {};
};

class WebhookStore {
 public:
  explicit WebhookStore(std::unique_ptr<ServerTables> tables) : tables_(std::move(tables)) {}

  struct NewWebhook {
    Webhook webhook;
    /// "whsec_..."; it cannot be read again.
    std::string secret;
  };
  /// `draft` has no id. Refuses more than the given numbers per campaign and in all.
  Result<NewWebhook> make(Webhook draft, std::size_t most_of_campaign, std::size_t most);
  /// Sorted by id; the webhooks of all campaigns if the name is empty.
  Result<std::vector<Webhook>> list(const std::string& campaign = {});
  Result<Webhook> find(const std::string& campaign, const std::string& id);
  /// Stores url, events, description, active, maker, off_reason and failing_since. If the webhook
  /// was switched on, its waiting messages are due now.
  Result<void> change(const Webhook& webhook, bool switched_on, Time now);
  /// Removes the webhook and its deliveries.
  Result<void> remove(const std::string& id);
  /// Creates a new secret and returns it. The previous one stays valid until then; older ones do
  /// not.
  Result<std::string> rotate(const std::string& id, Time old_until);
  /// Keys that sign its messages now, 32 bytes each, the newest first.
  Result<std::vector<std::string>> keys(const std::string& id, Time now);

  /// Moves the cursor and stores the messages. False, without any change, if the cursor is not at
  /// `from` or the webhook is gone.
  Result<bool> advance(const std::string& id, std::uint64_t from, std::uint64_t to,
                       std::span<const Message> messages, Time now);
  /// Stores a test message and returns its id. Refuses if too many messages wait.
  Result<std::string> add_test(const Webhook& webhook, std::size_t most_waiting, Time now);
  Result<std::size_t> waiting(const std::string& id);
  /// The first message that is due and its URL; without one, the time at which the next is due.
  /// Empty if the webhook is gone or switched off.
  struct Next {
    std::optional<Delivery> delivery;
    std::string url;
    std::optional<Time> due;
  };
  Result<Next> next(const std::string& id, Time now);
  /// Stores the results of attempts in one commit. Per webhook the last `kept` finished ones stay.
  Result<void> record(std::span<const Delivery> deliveries, std::size_t kept);
  /// Stores failing_since, and off_reason if the webhook was switched off.
  Result<void> note(const Webhook& webhook);
  /// The last deliveries, the newest first.
  Result<std::vector<Delivery>> deliveries(const std::string& id, std::size_t most);

 private:
  std::unique_ptr<ServerTables> tables_;
};

}  // namespace allot::serve
