#include "serve/webhook_store.hpp"

#include <fmt/format.h>

#include <array>
#include <set>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "serve/json.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

constexpr std::size_t kWebhookIdBytes = 8, kKeyBytes = 32;

Webhook webhook_of(const TableRow& row) {
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

Delivery delivery_of(const TableRow& row) {
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
    " failing_since, old_until FROM server.webhook ";
const std::string kDeliveries =
    "SELECT number, webhook, id, type, body, state, attempts, due, made, last, status, trouble"
    " FROM server.delivery ";

/// The caller has locked the row of the webhook, so that numbers stay unique.
Result<void> insert(TableSession& session, const std::string& webhook, const std::string& id,
                    const Message& message, Time now) {
  return session
      .query(
          "INSERT INTO server.delivery (number, webhook, id, type, body, state, attempts, due,"
          " made, status, trouble) SELECT coalesce(max(number), 0) + 1, ?1, ?2, ?3, ?4, 0, 0, ?5,"
          " ?5, 0, '' FROM server.delivery",
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

Result<WebhookStore::NewWebhook> WebhookStore::make(Webhook draft, std::size_t most_of_campaign,
                                                    std::size_t most) {
  draft.id = random_hex(kWebhookIdBytes);
  const std::string key = random_bytes(kKeyBytes);
  TRY(tables_->transact([&](TableSession& session) -> Result<void> {
    const auto all =
        static_cast<std::size_t>(TRY(session.query("SELECT count(*) FROM server.webhook").count()));
    const auto here = static_cast<std::size_t>(
        TRY(session.query("SELECT count(*) FROM server.webhook WHERE campaign = ?1", draft.campaign)
                .count()));
    if (all >= most || here >= most_of_campaign) {
      return fail(ErrorCode::conflict,
                  all >= most ? fmt::format("the server has {} webhooks; expected fewer", all)
                              : fmt::format("the campaign has {} webhooks; expected fewer", here));
    }
    return session
        .query(
            "INSERT INTO server.webhook (id, campaign, maker, url, events, description, secret,"
            " active, off_reason, created, cursor)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, '', ?8, ?9)",
            draft.id, draft.campaign, draft.maker, draft.url, draft.events, draft.description,
            Bytes{key}, draft.created, draft.cursor)
        .run();
  }));
  return NewWebhook{draft, "whsec_" + base64(key)};
}

Result<std::vector<Webhook>> WebhookStore::list(const std::string& campaign) {
  static const std::string sql = kSelectWebhooks + "WHERE ?1 = '' OR campaign = ?1 ORDER BY id";
  return tables_->query(sql.c_str(), campaign).all(webhook_of);
}

Result<Webhook> WebhookStore::find(const std::string& campaign, const std::string& id) {
  static const std::string sql = kSelectWebhooks + "WHERE id = ?1 AND campaign = ?2";
  const auto found = TRY(tables_->query(sql.c_str(), id, campaign).all(webhook_of));
  return found.empty() ? Result<Webhook>(no_webhook(id)) : found.front();
}

Result<void> WebhookStore::change(const Webhook& webhook, bool switched_on, Time now) {
  return tables_->transact([&](TableSession& session) -> Result<void> {
    TRY(session
            .query("UPDATE server.webhook SET url = ?2, events = ?3, description = ?4, active = ?5,"
                   " maker = ?6, off_reason = ?7, failing_since = ?8 WHERE id = ?1",
                   webhook.id, webhook.url, webhook.events, webhook.description, webhook.active,
                   webhook.maker, webhook.off_reason, webhook.failing_since)
            .run());
    if (!switched_on) return {};
    return session
        .query("UPDATE server.delivery SET due = ?2 WHERE webhook = ?1 AND state = 0", webhook.id,
               now)
        .run();
  });
}

Result<void> WebhookStore::remove(const std::string& id) {
  return tables_->transact([&](TableSession& session) -> Result<void> {
    TRY(session.query("DELETE FROM server.webhook WHERE id = ?1", id).run());
    return session.query("DELETE FROM server.delivery WHERE webhook = ?1", id).run();
  });
}

Result<std::string> WebhookStore::rotate(const std::string& id, Time old_until) {
  const std::string key = random_bytes(kKeyBytes);
  TRY(tables_
          ->query("UPDATE server.webhook SET old_secret = secret, old_until = ?3, secret = ?2"
                  " WHERE id = ?1",
                  id, Bytes{key}, old_until)
          .run());
  return "whsec_" + base64(key);
}

Result<std::vector<std::string>> WebhookStore::keys(const std::string& id, Time now) {
  std::vector<std::string> keys;
  TRY(tables_
          ->query("SELECT secret, old_secret, old_until > ?2 FROM server.webhook WHERE id = ?1", id,
                  now)
          .each([&](const TableRow& row) {
            keys.emplace_back(row.bytes(0));
            if (row.number(2) != 0) keys.emplace_back(row.bytes(1));
          }));
  if (keys.empty()) return no_webhook(id);
  return keys;
}

Result<bool> WebhookStore::advance(const std::string& id, std::uint64_t from, std::uint64_t to,
                                   std::span<const Message> messages, Time now) {
  bool advanced = false;
  TRY(tables_->transact([&](TableSession& session) -> Result<void> {
    advanced = false;
    TRY(session
            .query("UPDATE server.webhook SET cursor = ?3 WHERE id = ?1 AND cursor = ?2"
                   " RETURNING id",
                   id, from, to)
            .each([&](const TableRow&) { advanced = true; }));
    if (!advanced) return {};
    for (const Message& message : messages) {
      const std::string name = fmt::format("msg_{}_{}_{}", id, message.sequence, message.place);
      TRY(insert(session, id, name, message, now));
    }
    return {};
  }));
  return advanced;
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
  TRY(tables_->transact([&](TableSession& session) -> Result<void> {
    TRY(session.query("UPDATE server.webhook SET cursor = cursor WHERE id = ?1", webhook.id).run());
    return insert(session, webhook.id, id, message, now);
  }));
  return id;
}

Result<std::size_t> WebhookStore::waiting(const std::string& id) {
  return static_cast<std::size_t>(TRY(
      tables_->query("SELECT count(*) FROM server.delivery WHERE webhook = ?1 AND state = 0", id)
          .count()));
}

Result<WebhookStore::Next> WebhookStore::next(const std::string& id, Time now) {
  Next found;
  TRY(tables_->query("SELECT url FROM server.webhook WHERE id = ?1 AND active = 1", id)
          .each([&](const TableRow& row) { found.url = row.bytes(0); }));
  if (found.url.empty()) return found;
  static const std::string sql =
      kDeliveries + "WHERE webhook = ?1 AND state = 0 ORDER BY due, number LIMIT 1";
  for (Delivery& delivery : TRY(tables_->query(sql.c_str(), id).all(delivery_of))) {
    if (delivery.due > now) {
      found.due = delivery.due;
    } else {
      found.delivery = std::move(delivery);
    }
  }
  return found;
}

Result<void> WebhookStore::record(std::span<const Delivery> deliveries, std::size_t kept) {
  return tables_->transact([&](TableSession& session) -> Result<void> {
    std::set<std::string> finished;
    for (const Delivery& delivery : deliveries) {
      TRY(session
              .query("UPDATE server.delivery SET state = ?2, attempts = ?3, due = ?4, last = ?5,"
                     " status = ?6, trouble = ?7, body = CASE WHEN ?2 = 0 THEN body ELSE '' END"
                     " WHERE id = ?1",
                     delivery.id, delivery.state, delivery.attempts, delivery.due, delivery.last,
                     delivery.status, delivery.trouble)
              .run());
      if (delivery.state != DeliveryState::waiting) finished.insert(delivery.webhook);
    }
    for (const std::string& webhook : finished) {
      TRY(session
              .query("DELETE FROM server.delivery WHERE webhook = ?1 AND state > 0 AND number <="
                     " (SELECT number FROM server.delivery WHERE webhook = ?1 AND state > 0"
                     " ORDER BY number DESC LIMIT 1 OFFSET ?2)",
                     webhook, kept)
              .run());
    }
    return {};
  });
}

Result<void> WebhookStore::note(const Webhook& webhook) {
  return tables_
      ->query(
          "UPDATE server.webhook SET failing_since = ?2,"
          " active = CASE WHEN ?3 = '' THEN active ELSE 0 END,"
          " off_reason = CASE WHEN ?3 = '' THEN off_reason ELSE ?3 END WHERE id = ?1",
          webhook.id, webhook.failing_since, webhook.off_reason)
      .run();
}

Result<std::vector<Delivery>> WebhookStore::deliveries(const std::string& id, std::size_t most) {
  static const std::string sql = kDeliveries + "WHERE webhook = ?1 ORDER BY number DESC LIMIT ?2";
  return tables_->query(sql.c_str(), id, most).all(delivery_of);
}

}  // namespace allot::serve
