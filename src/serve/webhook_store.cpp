#include "serve/webhook_store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <functional>
#include <set>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "serve/json.hpp"
#include "serve/secret.hpp"
#include "store/sqlite.hpp"

namespace allot::serve {
namespace {

using store::Connection;
using store::Statement;
using store::Transaction;

constexpr std::size_t kIdBytes = 8, kKeyBytes = 32;

std::int64_t number(Time time) { return time.time_since_epoch().count(); }
Time time_of(std::int64_t number) { return Time(std::chrono::microseconds(number)); }

/// A statement that is bound, run and made ready again.
class Query {
 public:
  Query(Connection& file, const char* sql) : statement_(file.prepared(sql)) {}
  ~Query() {
    if (statement_) (*statement_)->reset();
  }
  Query(const Query&) = delete;

  Query& with(std::int64_t value) {
    if (statement_) (*statement_)->bind(++place_, value);
    return *this;
  }
  Query& with(std::string_view text) {
    if (statement_) (*statement_)->bind(++place_, text);
    return *this;
  }
  Query& with_blob(std::string_view bytes) {
    if (statement_) (*statement_)->bind_blob(++place_, bytes);
    return *this;
  }
  /// A time or nothing.
  Query& with(const std::optional<Time>& time) {
    if (time) return with(number(*time));
    ++place_;  // what is not bound is null
    return *this;
  }
  Result<void> run() {
    if (!statement_) return tl::unexpected(statement_.error());
    return (*statement_)->run();
  }
  /// visit(row) for every row.
  Result<void> each(const std::function<void(const Statement&)>& visit) {
    if (!statement_) return tl::unexpected(statement_.error());
    while (true) {
      const auto row = TRY((*statement_)->step());
      if (!row) return {};
      visit(**statement_);
    }
  }
  /// The number of the only row.
  Result<std::int64_t> count() {
    std::int64_t value = 0;
    return each([&](const Statement& row) { value = row.number(0); }).map([&] { return value; });
  }

 private:
  Result<Statement*> statement_;
  int place_ = 0;
};

Webhook webhook_of(const Statement& row) {
  Webhook one{.id = std::string(row.bytes(0)),
              .campaign = std::string(row.bytes(1)),
              .maker = std::string(row.bytes(2)),
              .url = std::string(row.bytes(3)),
              .events = static_cast<TidingsSet>(row.number(4)),
              .description = std::string(row.bytes(5)),
              .active = row.number(6) != 0,
              .off_reason = std::string(row.bytes(7)),
              .created = time_of(row.number(8)),
              .cursor = static_cast<std::uint64_t>(row.number(9))};
  if (!row.is_null(10)) one.failing_since = time_of(row.number(10));
  if (!row.is_null(11)) one.old_secret_until = time_of(row.number(11));
  return one;
}

Delivery delivery_of(const Statement& row) {
  Delivery one{.number = row.number(0),
               .webhook = std::string(row.bytes(1)),
               .id = std::string(row.bytes(2)),
               .type = std::string(row.bytes(3)),
               .body = std::string(row.bytes(4)),
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
      .with(number(now))
      .with(number(now))
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

/// change() as one transaction.
Result<void> in_one(Connection& file, const std::function<Result<void>()>& change) {
  auto turn = TRY(Transaction::begin(file));
  return change().and_then([&] { return turn.commit(); });
}

}  // namespace

std::string_view name(DeliveryState state) {
  switch (state) {
    case DeliveryState::waiting:
      return "waiting";
    case DeliveryState::delivered:
      return "delivered";
    case DeliveryState::failed:
      break;
  }
  return "failed";
}

WebhookStore::WebhookStore(std::unique_ptr<Connection> file) : file_(std::move(file)) {}
WebhookStore::~WebhookStore() = default;

Result<std::unique_ptr<WebhookStore>> WebhookStore::open(const std::string& path) {
  constexpr int kPatience = 10'000;
  auto file = TRY(Connection::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, kPatience));
  return file->execute("PRAGMA synchronous = FULL").map([&] {
    return std::unique_ptr<WebhookStore>(new WebhookStore(std::move(file)));
  });
}

Result<WebhookStore::Made> WebhookStore::make(Webhook draft, std::size_t most_of_campaign,
                                              std::size_t most) {
  draft.id = random_hex(kIdBytes);
  const std::string key = random_bytes(kKeyBytes);
  const std::scoped_lock lock(mutex_);
  return in_one(*file_,
                [&]() -> Result<void> {
                  const auto all = TRY(Query(*file_, "SELECT count(*) FROM webhook").count());
                  const auto here =
                      TRY(Query(*file_, "SELECT count(*) FROM webhook WHERE campaign = ?1")
                              .with(draft.campaign)
                              .count());
                  const bool full = static_cast<std::size_t>(all) >= most;
                  if (full || static_cast<std::size_t>(here) >= most_of_campaign) {
                    return fail(ErrorCode::conflict,
                                fmt::format("there are {} webhooks {}; expected fewer than that",
                                            full ? all : here,
                                            full ? "of this server" : "of this campaign"));
                  }
                  return Query(*file_,
                               "INSERT INTO webhook (id, campaign, maker, url, events, "
                               "description, secret, active, off_reason, created, cursor) VALUES"
                               " (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, '', ?8, ?9)")
                      .with(draft.id)
                      .with(draft.campaign)
                      .with(draft.maker)
                      .with(draft.url)
                      .with(std::int64_t{draft.events})
                      .with(draft.description)
                      .with_blob(key)
                      .with(number(draft.created))
                      .with(static_cast<std::int64_t>(draft.cursor))
                      .run();
                })
      .map([&] {
        return Made{draft, "whsec_" + base64(key)};
      });
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
  return in_one(*file_, [&]() -> Result<void> {
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
              .with(number(now))
              .run();
        });
  });
}

Result<void> WebhookStore::remove(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  return in_one(*file_, [&] {
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
      .with(number(old_until))
      .run()
      .map([&] { return "whsec_" + base64(key); });
}

Result<std::vector<std::string>> WebhookStore::keys(const std::string& id, Time now) {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> keys;
  return Query(*file_, "SELECT secret, old_secret, old_until > ?2 FROM webhook WHERE id = ?1")
      .with(id)
      .with(number(now))
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
  bool there = false;
  return in_one(
             *file_,
             [&]() -> Result<void> {
               const auto at =
                   TRY(Query(*file_, "SELECT count(*) FROM webhook WHERE id = ?1 AND cursor = ?2")
                           .with(id)
                           .with(static_cast<std::int64_t>(from))
                           .count());
               there = at == 1;
               if (!there) return {};
               for (const Message& one : messages) {
                 const std::string name = fmt::format("msg_{}_{}_{}", id, one.sequence, one.place);
                 TRY(insert(*file_, id, name, one, now));
               }
               return Query(*file_, "UPDATE webhook SET cursor = ?2 WHERE id = ?1")
                   .with(id)
                   .with(static_cast<std::int64_t>(to))
                   .run();
             })
      .map([&] { return there; });
}

Result<std::string> WebhookStore::add_test(const Webhook& webhook, std::size_t most_waiting,
                                           Time now) {
  const auto many = TRY(waiting(webhook.id));
  if (many >= most_waiting) {
    return fail(ErrorCode::conflict,
                fmt::format("{} messages wait for this webhook already; expected fewer than {}",
                            many, most_waiting));
  }
  const std::string id = fmt::format("msg_{}_test_{}", webhook.id, random_hex(kIdBytes));
  const std::string data =
      JsonObject().text("campaign", webhook.campaign).text("webhook", webhook.id).end();
  const Message message{.type = std::string(kTestTidings),
                        .body = message_body(kTestTidings, now, data)};
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
  return in_one(*file_, [&]() -> Result<void> {
    std::set<std::string> webhooks;
    for (const Delivery& one : deliveries) {
      const bool done = one.state != DeliveryState::waiting;
      TRY(Query(*file_,
                "UPDATE delivery SET state = ?2, attempts = ?3, due = ?4, last = ?5, status = ?6,"
                " trouble = ?7, body = CASE WHEN ?2 = 0 THEN body ELSE '' END WHERE number = ?1")
              .with(one.number)
              .with(static_cast<std::int64_t>(one.state))
              .with(std::int64_t{one.attempts})
              .with(number(one.due))
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
