#include "serve/webhook_store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <functional>
#include <set>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "serve/json.hpp"
#include "serve/query.hpp"
#include "serve/secret.hpp"
#include "store/sqlite.hpp"

namespace allot::serve {
namespace {

using store::Connection;
using store::Statement;
using store::Transaction;

constexpr std::size_t kIdBytes = 8, kKeyBytes = 32;

Webhook webhook_of(const Statement& row) {
  Webhook one{.id = row.text(0),
              .campaign = row.text(1),
              .maker = row.text(2),
              .url = row.text(3),
              .events = static_cast<TopicSet>(row.number(4)),
              .description = row.text(5),
              .active = row.number(6) != 0,
              .off_reason = row.text(7),
              .created = time_of(row.number(8)),
              .cursor = static_cast<std::uint64_t>(row.number(9))};
  if (!row.is_null(10)) one.failing_since = time_of(row.number(10));
  if (!row.is_null(11)) one.old_secret_until = time_of(row.number(11));
  return one;
}

Delivery delivery_of(const Statement& row) {
  Delivery one{.number = row.number(0),
               .webhook = row.text(1),
               .id = row.text(2),
               .type = row.text(3),
               .body = row.text(4),
               .state = static_cast<DeliveryState>(row.number(5)),
               .attempts = static_cast<std::uint32_t>(row.number(6)),
               .due = time_of(row.number(7)),
               .made = time_of(row.number(8))};
  if (!row.is_null(9)) one.last = time_of(row.number(9));
  one.status = static_cast<int>(row.number(10));
  one.trouble = row.bytes(11);
  return one;
}

const std::string kWebhooks =
    "SELECT id, campaign, maker, url, events, description, active, off_reason, created, cursor,"
    " failing_since, old_until FROM webhook ";
const std::string kDeliveries =
    "SELECT number, webhook, id, type, body, state, attempts, due, made, last, status, trouble"
    " FROM delivery ";

Result<void> insert(Connection& file, const std::string& webhook, const std::string& id,
                    const Message& message, Time now) {
  return Query(file,
               "INSERT INTO delivery (webhook, id, type, body, state, attempts, due, made, status,"
               " trouble) VALUES (?1, ?2, ?3, ?4, 0, 0, ?5, ?6, 0, '')")
      .with(webhook)
      .with(id)
      .with(message.type)
      .with(message.body)
      .with(now)
      .with(now)
      .run();
}

Result<void> forget(Connection& file, const std::string& webhook, std::size_t kept) {
  return Query(file,
               "DELETE FROM delivery WHERE webhook = ?1 AND state > 0 AND number <= (SELECT number"
               " FROM delivery WHERE webhook = ?1 AND state > 0 ORDER BY number DESC LIMIT 1"
               " OFFSET ?2)")
      .with(webhook)
      .with(static_cast<std::int64_t>(kept))
      .run();
}

/// Runs change() in one transaction.
Result<void> in_transaction(Connection& file, const std::function<Result<void>()>& change) {
  auto transaction = TRY(Transaction::begin(file));
  TRY(change());
  return transaction.commit();
}

}  // namespace

std::string_view name(DeliveryState state) {
  static constexpr std::array<std::string_view, 3> kNames{"waiting", "delivered", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

WebhookStore::WebhookStore(std::unique_ptr<Connection> file) : file_(std::move(file)) {}
WebhookStore::~WebhookStore() = default;

Result<std::unique_ptr<WebhookStore>> WebhookStore::open(const std::string& path) {
  constexpr int kTimeoutMs = 10'000;
  auto file = TRY(Connection::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, kTimeoutMs));
  return file->execute("PRAGMA synchronous = FULL").map([&] {
    return std::unique_ptr<WebhookStore>(new WebhookStore(std::move(file)));
  });
}

Result<WebhookStore::NewWebhook> WebhookStore::make(Webhook draft, std::size_t most_of_campaign,
                                                    std::size_t most) {
  draft.id = random_hex(kIdBytes);
  const std::string key = random_bytes(kKeyBytes);
  const std::scoped_lock lock(mutex_);
  TRY(in_transaction(*file_, [&]() -> Result<void> {
    const auto all =
        static_cast<std::size_t>(TRY(Query(*file_, "SELECT count(*) FROM webhook").count()));
    const auto here = static_cast<std::size_t>(
        TRY(Query(*file_, "SELECT count(*) FROM webhook WHERE campaign = ?1")
                .with(draft.campaign)
                .count()));
    if (all >= most || here >= most_of_campaign) {
      return fail(ErrorCode::conflict,
                  all >= most ? fmt::format("the server has {} webhooks; expected fewer", all)
                              : fmt::format("the campaign has {} webhooks; expected fewer", here));
    }
    return Query(*file_,
                 "INSERT INTO webhook (id, campaign, maker, url, events, description, secret,"
                 " active, off_reason, created, cursor) VALUES"
                 " (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, '', ?8, ?9)")
        .with(draft.id)
        .with(draft.campaign)
        .with(draft.maker)
        .with(draft.url)
        .with(std::int64_t{draft.events})
        .with(draft.description)
        .with_blob(key)
        .with(draft.created)
        .with(static_cast<std::int64_t>(draft.cursor))
        .run();
  }));
  return NewWebhook{draft, "whsec_" + base64(key)};
}

Result<std::vector<Webhook>> WebhookStore::list(const std::string& campaign) {
  const std::scoped_lock lock(mutex_);
  std::vector<Webhook> all;
  static const std::string sql = kWebhooks + "WHERE ?1 = '' OR campaign = ?1 ORDER BY id";
  return Query(*file_, sql.c_str())
      .with(campaign)
      .each([&](const Statement& row) { all.push_back(webhook_of(row)); })
      .map([&] { return std::move(all); });
}

Result<Webhook> WebhookStore::find(const std::string& campaign, const std::string& id) {
  const std::scoped_lock lock(mutex_);
  std::optional<Webhook> found;
  static const std::string sql = kWebhooks + "WHERE id = ?1 AND campaign = ?2";
  return Query(*file_, sql.c_str())
      .with(id)
      .with(campaign)
      .each([&](const Statement& row) { found = webhook_of(row); })
      .and_then([&]() -> Result<Webhook> {
        if (found) return *std::move(found);
        return fail(ErrorCode::not_found, fmt::format("there is no webhook {}", in_quotes(id)));
      });
}

Result<void> WebhookStore::change(const Webhook& webhook, bool switched_on, Time now) {
  const std::scoped_lock lock(mutex_);
  return in_transaction(*file_, [&]() -> Result<void> {
    return Query(*file_,
                 "UPDATE webhook SET url = ?2, events = ?3, description = ?4, active = ?5,"
                 " maker = ?6, off_reason = ?7, failing_since = ?8 WHERE id = ?1")
        .with(webhook.id)
        .with(webhook.url)
        .with(std::int64_t{webhook.events})
        .with(webhook.description)
        .with(std::int64_t{webhook.active})
        .with(webhook.maker)
        .with(webhook.off_reason)
        .with(webhook.failing_since)
        .run()
        .and_then([&]() -> Result<void> {
          if (!switched_on) return {};
          return Query(*file_, "UPDATE delivery SET due = ?2 WHERE webhook = ?1 AND state = 0")
              .with(webhook.id)
              .with(now)
              .run();
        });
  });
}

Result<void> WebhookStore::remove(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  return in_transaction(*file_, [&] {
    return Query(*file_, "DELETE FROM delivery WHERE webhook = ?1").with(id).run().and_then([&] {
      return Query(*file_, "DELETE FROM webhook WHERE id = ?1").with(id).run();
    });
  });
}

Result<std::string> WebhookStore::rotate(const std::string& id, Time old_until) {
  const std::string key = random_bytes(kKeyBytes);
  const std::scoped_lock lock(mutex_);
  return Query(*file_,
               "UPDATE webhook SET old_secret = secret, old_until = ?3, secret = ?2 WHERE id = ?1")
      .with(id)
      .with_blob(key)
      .with(old_until)
      .run()
      .map([&] { return "whsec_" + base64(key); });
}

Result<std::vector<std::string>> WebhookStore::keys(const std::string& id, Time now) {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> keys;
  return Query(*file_, "SELECT secret, old_secret, old_until > ?2 FROM webhook WHERE id = ?1")
      .with(id)
      .with(now)
      .each([&](const Statement& row) {
        keys.emplace_back(row.bytes(0));
        if (row.number(2) != 0) keys.emplace_back(row.bytes(1));
      })
      .and_then([&]() -> Result<std::vector<std::string>> {
        if (!keys.empty()) return std::move(keys);
        return fail(ErrorCode::not_found, fmt::format("there is no webhook {}", in_quotes(id)));
      });
}

Result<bool> WebhookStore::advance(const std::string& id, std::uint64_t from, std::uint64_t to,
                                   std::span<const Message> messages, Time now) {
  const std::scoped_lock lock(mutex_);
  bool is_there = false;
  TRY(in_transaction(*file_, [&]() -> Result<void> {
    is_there = TRY(Query(*file_, "SELECT count(*) FROM webhook WHERE id = ?1 AND cursor = ?2")
                       .with(id)
                       .with(static_cast<std::int64_t>(from))
                       .count()) == 1;
    if (!is_there) return {};
    for (const Message& message : messages) {
      const std::string name = fmt::format("msg_{}_{}_{}", id, message.sequence, message.place);
      TRY(insert(*file_, id, name, message, now));
    }
    return Query(*file_, "UPDATE webhook SET cursor = ?2 WHERE id = ?1")
        .with(id)
        .with(static_cast<std::int64_t>(to))
        .run();
  }));
  return is_there;
}

Result<std::string> WebhookStore::add_test(const Webhook& webhook, std::size_t most_waiting,
                                           Time now) {
  const auto many = TRY(waiting(webhook.id));
  if (many >= most_waiting) {
    return fail(ErrorCode::conflict,
                fmt::format("{} messages are waiting for this webhook; expected fewer than {}",
                            many, most_waiting));
  }
  const std::string id = fmt::format("msg_{}_test_{}", webhook.id, random_hex(kIdBytes));
  const std::string data =
      JsonObject().text("campaign", webhook.campaign).text("webhook", webhook.id).end();
  const Message message{.type = std::string(kTestTopic),
                        .body = message_body(kTestTopic, now, data)};
  const std::scoped_lock lock(mutex_);
  return insert(*file_, webhook.id, id, message, now).map([&] { return id; });
}

Result<std::size_t> WebhookStore::waiting(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  return Query(*file_, "SELECT count(*) FROM delivery WHERE webhook = ?1 AND state = 0")
      .with(id)
      .count()
      .map([](std::int64_t count) { return static_cast<std::size_t>(count); });
}

Result<WebhookStore::Next> WebhookStore::next(const std::string& id, Time now) {
  const std::scoped_lock lock(mutex_);
  Next found;
  static const std::string sql =
      kDeliveries + "WHERE webhook = ?1 AND state = 0 ORDER BY due, number LIMIT 1";
  return Query(*file_, "SELECT url FROM webhook WHERE id = ?1 AND active = 1")
      .with(id)
      .each([&](const Statement& row) { found.url = row.bytes(0); })
      .and_then([&]() -> Result<void> {
        if (found.url.empty()) return {};
        return Query(*file_, sql.c_str()).with(id).each([&](const Statement& row) {
          found.delivery = delivery_of(row);
        });
      })
      .map([&] {
        if (found.delivery && found.delivery->due > now) {
          found.due = found.delivery->due;
          found.delivery.reset();
        }
        return std::move(found);
      });
}

Result<void> WebhookStore::record(std::span<const Delivery> deliveries, std::size_t kept) {
  const std::scoped_lock lock(mutex_);
  return in_transaction(*file_, [&]() -> Result<void> {
    std::set<std::string> webhooks;
    for (const Delivery& one : deliveries) {
      const bool done = one.state != DeliveryState::waiting;
      TRY(Query(*file_,
                "UPDATE delivery SET state = ?2, attempts = ?3, due = ?4, last = ?5, status = ?6,"
                " trouble = ?7, body = CASE WHEN ?2 = 0 THEN body ELSE '' END WHERE number = ?1")
              .with(one.number)
              .with(static_cast<std::int64_t>(one.state))
              .with(std::int64_t{one.attempts})
              .with(one.due)
              .with(one.last)
              .with(std::int64_t{one.status})
              .with(one.trouble)
              .run());
      if (done) webhooks.insert(one.webhook);
    }
    for (const std::string& one : webhooks) {
      TRY(forget(*file_, one, kept));
    }
    return {};
  });
}

Result<void> WebhookStore::note(const Webhook& webhook) {
  const std::scoped_lock lock(mutex_);
  return Query(*file_,
               "UPDATE webhook SET failing_since = ?2, active = active AND ?3 = '', off_reason ="
               " CASE WHEN ?3 = '' THEN off_reason ELSE ?3 END WHERE id = ?1")
      .with(webhook.id)
      .with(webhook.failing_since)
      .with(webhook.off_reason)
      .run();
}

Result<std::vector<Delivery>> WebhookStore::deliveries(const std::string& id, std::size_t most) {
  const std::scoped_lock lock(mutex_);
  std::vector<Delivery> all;
  static const std::string sql = kDeliveries + "WHERE webhook = ?1 ORDER BY number DESC LIMIT ?2";
  return Query(*file_, sql.c_str())
      .with(id)
      .with(static_cast<std::int64_t>(most))
      .each([&](const Statement& row) { all.push_back(delivery_of(row)); })
      .map([&] { return std::move(all); });
}

}  // namespace allot::serve
