#include "serve/webhook_store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <set>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "serve/json.hpp"
#include "serve/secret.hpp"
#include "serve/server_file.hpp"

namespace allot::serve {
namespace {

using store::Blob;
using store::Connection;
using store::Query;
using store::Statement;
using store::Transaction;

constexpr std::size_t kWebhookIdBytes = 8, kKeyBytes = 32;

Webhook webhook_of(const Statement& row) {
  return {.id = row.text(0),
          .campaign = row.text(1),
          .maker = row.text(2),
          .url = row.text(3),
          .events = static_cast<TopicSet>(row.number(4)),
          .description = row.text(5),
          .active = row.number(6) != 0,
          .off_reason = row.text(7),
          .created = row.time(8),
          .cursor = static_cast<std::uint64_t>(row.number(9)),
          .failing_since = row.time_if_any(10),
          .old_secret_until = row.time_if_any(11)};
}

Delivery delivery_of(const Statement& row) {
  return {.number = row.number(0),
          .webhook = row.text(1),
          .id = row.text(2),
          .type = row.text(3),
          .body = row.text(4),
          .state = static_cast<DeliveryState>(row.number(5)),
          .attempts = static_cast<std::uint32_t>(row.number(6)),
          .due = row.time(7),
          .made = row.time(8),
          .last = row.time_if_any(9),
          .status = static_cast<int>(row.number(10)),
          .trouble = row.text(11)};
}

const std::string kSelectWebhooks =
    "SELECT id, campaign, maker, url, events, description, active, off_reason, created, cursor,"
    " failing_since, old_until FROM webhook ";
const std::string kDeliveries =
    "SELECT number, webhook, id, type, body, state, attempts, due, made, last, status, trouble"
    " FROM delivery ";

Result<void> insert(Connection& file, const std::string& webhook, const std::string& id,
                    const Message& message, Time now) {
  return Query(file,
               "INSERT INTO delivery (webhook, id, type, body, state, attempts, due, made, status,"
               " trouble) VALUES (?1, ?2, ?3, ?4, 0, 0, ?5, ?5, 0, '')",
               webhook, id, message.type, message.body, now)
      .run();
}

tl::unexpected<Error> no_webhook(const std::string& id) {
  return fail(ErrorCode::not_found, fmt::format("there is no webhook {}", in_quotes(id)));
}

}  // namespace

std::string_view name(DeliveryState state) {
  static constexpr std::array<std::string_view, 3> kNames{"waiting", "delivered", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

Result<std::unique_ptr<WebhookStore>> WebhookStore::open(const std::string& path) {
  constexpr int kTimeoutMs = 10'000;
  auto file = TRY(Connection::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, kTimeoutMs));
  return file->execute("PRAGMA synchronous = FULL").map([&] {
    return std::unique_ptr<WebhookStore>(new WebhookStore(std::move(file)));
  });
}

Result<WebhookStore::NewWebhook> WebhookStore::make(Webhook draft, std::size_t most_of_campaign,
                                                    std::size_t most) {
  draft.id = random_hex(kWebhookIdBytes);
  const std::string key = random_bytes(kKeyBytes);
  const std::scoped_lock lock(mutex_);
  auto transaction = TRY(Transaction::begin(*file_));
  const auto all =
      static_cast<std::size_t>(TRY(Query(*file_, "SELECT count(*) FROM webhook").count()));
  const auto here = static_cast<std::size_t>(TRY(
      Query(*file_, "SELECT count(*) FROM webhook WHERE campaign = ?1", draft.campaign).count()));
  if (all >= most || here >= most_of_campaign) {
    return fail(ErrorCode::conflict,
                all >= most ? fmt::format("the server has {} webhooks; expected fewer", all)
                            : fmt::format("the campaign has {} webhooks; expected fewer", here));
  }
  TRY(Query(*file_,
            "INSERT INTO webhook (id, campaign, maker, url, events, description, secret, active,"
            " off_reason, created, cursor) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, '', ?8, ?9)",
            draft.id, draft.campaign, draft.maker, draft.url, draft.events, draft.description,
            Blob{key}, draft.created, draft.cursor)
          .run());
  TRY(transaction.commit());
  return NewWebhook{draft, "whsec_" + base64(key)};
}

Result<std::vector<Webhook>> WebhookStore::list(const std::string& campaign) {
  const std::scoped_lock lock(mutex_);
  static const std::string sql = kSelectWebhooks + "WHERE ?1 = '' OR campaign = ?1 ORDER BY id";
  return Query(*file_, sql.c_str(), campaign).all(webhook_of);
}

Result<Webhook> WebhookStore::find(const std::string& campaign, const std::string& id) {
  const std::scoped_lock lock(mutex_);
  static const std::string sql = kSelectWebhooks + "WHERE id = ?1 AND campaign = ?2";
  const auto found = TRY(Query(*file_, sql.c_str(), id, campaign).all(webhook_of));
  return found.empty() ? Result<Webhook>(no_webhook(id)) : found.front();
}

Result<void> WebhookStore::change(const Webhook& webhook, bool switched_on, Time now) {
  const std::scoped_lock lock(mutex_);
  auto transaction = TRY(Transaction::begin(*file_));
  TRY(Query(*file_,
            "UPDATE webhook SET url = ?2, events = ?3, description = ?4, active = ?5,"
            " maker = ?6, off_reason = ?7, failing_since = ?8 WHERE id = ?1",
            webhook.id, webhook.url, webhook.events, webhook.description, webhook.active,
            webhook.maker, webhook.off_reason, webhook.failing_since)
          .run());
  if (switched_on) {
    TRY(Query(*file_, "UPDATE delivery SET due = ?2 WHERE webhook = ?1 AND state = 0", webhook.id,
              now)
            .run());
  }
  return transaction.commit();
}

Result<void> WebhookStore::remove(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  auto transaction = TRY(Transaction::begin(*file_));
  TRY(Query(*file_, "DELETE FROM delivery WHERE webhook = ?1", id).run());
  TRY(Query(*file_, "DELETE FROM webhook WHERE id = ?1", id).run());
  return transaction.commit();
}

Result<std::string> WebhookStore::rotate(const std::string& id, Time old_until) {
  const std::string key = random_bytes(kKeyBytes);
  const std::scoped_lock lock(mutex_);
  TRY(Query(*file_,
            "UPDATE webhook SET old_secret = secret, old_until = ?3, secret = ?2 WHERE id = ?1", id,
            Blob{key}, old_until)
          .run());
  return "whsec_" + base64(key);
}

Result<std::vector<std::string>> WebhookStore::keys(const std::string& id, Time now) {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> keys;
  TRY(Query(*file_, "SELECT secret, old_secret, old_until > ?2 FROM webhook WHERE id = ?1", id, now)
          .each([&](const Statement& row) {
            keys.emplace_back(row.bytes(0));
            if (row.number(2) != 0) keys.emplace_back(row.bytes(1));
          }));
  if (keys.empty()) return no_webhook(id);
  return keys;
}

Result<bool> WebhookStore::advance(const std::string& id, std::uint64_t from, std::uint64_t to,
                                   std::span<const Message> messages, Time now) {
  const std::scoped_lock lock(mutex_);
  auto transaction = TRY(Transaction::begin(*file_));
  const auto there =
      TRY(Query(*file_, "SELECT count(*) FROM webhook WHERE id = ?1 AND cursor = ?2", id, from)
              .count());
  if (there != 1) return false;
  for (const Message& message : messages) {
    const std::string name = fmt::format("msg_{}_{}_{}", id, message.sequence, message.place);
    TRY(insert(*file_, id, name, message, now));
  }
  TRY(Query(*file_, "UPDATE webhook SET cursor = ?2 WHERE id = ?1", id, to).run());
  TRY(transaction.commit());
  return true;
}

Result<std::string> WebhookStore::add_test(const Webhook& webhook, std::size_t most_waiting,
                                           Time now) {
  const auto many = TRY(waiting(webhook.id));
  if (many >= most_waiting) {
    return fail(ErrorCode::conflict,
                fmt::format("{} messages are waiting for this webhook; expected fewer than {}",
                            many, most_waiting));
  }
  const std::string id = fmt::format("msg_{}_test_{}", webhook.id, random_hex(kWebhookIdBytes));
  const std::string data =
      JsonObject().text("campaign", webhook.campaign).text("webhook", webhook.id);
  const Message message{.type = std::string(kTestTopic),
                        .body = message_body(kTestTopic, now, data)};
  const std::scoped_lock lock(mutex_);
  TRY(insert(*file_, webhook.id, id, message, now));
  return id;
}

Result<std::size_t> WebhookStore::waiting(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(TRY(
      Query(*file_, "SELECT count(*) FROM delivery WHERE webhook = ?1 AND state = 0", id).count()));
}

Result<WebhookStore::Next> WebhookStore::next(const std::string& id, Time now) {
  const std::scoped_lock lock(mutex_);
  Next found;
  TRY(Query(*file_, "SELECT url FROM webhook WHERE id = ?1 AND active = 1", id)
          .each([&](const Statement& row) { found.url = row.bytes(0); }));
  if (found.url.empty()) return found;
  static const std::string sql =
      kDeliveries + "WHERE webhook = ?1 AND state = 0 ORDER BY due, number LIMIT 1";
  for (Delivery& delivery : TRY(Query(*file_, sql.c_str(), id).all(delivery_of))) {
    if (delivery.due > now) {
      found.due = delivery.due;
    } else {
      found.delivery = std::move(delivery);
    }
  }
  return found;
}

Result<void> WebhookStore::record(std::span<const Delivery> deliveries, std::size_t kept) {
  const std::scoped_lock lock(mutex_);
  auto transaction = TRY(Transaction::begin(*file_));
  std::set<std::string> finished;
  for (const Delivery& delivery : deliveries) {
    TRY(Query(*file_,
              "UPDATE delivery SET state = ?2, attempts = ?3, due = ?4, last = ?5, status = ?6,"
              " trouble = ?7, body = CASE WHEN ?2 = 0 THEN body ELSE '' END WHERE number = ?1",
              delivery.number, delivery.state, delivery.attempts, delivery.due, delivery.last,
              delivery.status, delivery.trouble)
            .run());
    if (delivery.state != DeliveryState::waiting) finished.insert(delivery.webhook);
  }
  for (const std::string& webhook : finished) {
    TRY(Query(*file_,
              "DELETE FROM delivery WHERE webhook = ?1 AND state > 0 AND number <= (SELECT number"
              " FROM delivery WHERE webhook = ?1 AND state > 0 ORDER BY number DESC LIMIT 1"
              " OFFSET ?2)",
              webhook, kept)
            .run());
  }
  return transaction.commit();
}

Result<void> WebhookStore::note(const Webhook& webhook) {
  const std::scoped_lock lock(mutex_);
  return Query(*file_,
               "UPDATE webhook SET failing_since = ?2, active = active AND ?3 = '', off_reason ="
               " CASE WHEN ?3 = '' THEN off_reason ELSE ?3 END WHERE id = ?1",
               webhook.id, webhook.failing_since, webhook.off_reason)
      .run();
}

Result<std::vector<Delivery>> WebhookStore::deliveries(const std::string& id, std::size_t most) {
  const std::scoped_lock lock(mutex_);
  static const std::string sql = kDeliveries + "WHERE webhook = ?1 ORDER BY number DESC LIMIT ?2";
  return Query(*file_, sql.c_str(), id, most).all(delivery_of);
}

}  // namespace allot::serve
