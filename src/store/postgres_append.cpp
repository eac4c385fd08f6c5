#include "store/postgres_append.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "store/checksum.hpp"
#include "store/messages.hpp"

namespace allot::store {
namespace {

using Kind = PostgresFailure::Kind;

/// Times that an append is sent before the store gives up, if none of them arrives.
constexpr int kMostAttempts = 3;

const std::string kCancelled = "the wait for the standby was cancelled";

std::vector<PostgresValue> values_of(const PostgresBatch& batch, const Uuid& number) {
  const std::size_t records = batch.drafts.size(), items = batch.contents.size();
  auto times = PostgresArray::of_numbers(records), kinds = PostgresArray::of_numbers(records),
       sums = PostgresArray::of_numbers(records), numbers = PostgresArray::of_numbers(items);
  auto keys = PostgresArray::of_bytes(records), payloads = PostgresArray::of_bytes(records),
       fields = PostgresArray::of_bytes(items);
  std::uint64_t sequence = batch.last;
  for (const Draft& draft : batch.drafts) {
    times.add(draft.time);
    kinds.add(std::int64_t{draft.kind});
    draft.key.empty() ? keys.add_null() : keys.add(std::string_view(draft.key));
    payloads.add(std::string_view(draft.payload));
    sums.add(std::int64_t{checksum(draft, ++sequence)});
  }
  for (const Content& content : batch.contents) {
    numbers.add(std::int64_t{content.item});
    fields.add(std::string_view(content.fields));
  }
  return {number_value(batch.campaign), number_value(batch.last),
          number_value(batch.epoch),    number_value(std::uint64_t{records}),
          uuid_value(number),           std::move(times).take(),
          std::move(kinds).take(),      std::move(keys).take(),
          std::move(payloads).take(),   std::move(sums).take(),
          std::move(numbers).take(),    std::move(fields).take()};
}

}  // namespace

const char* const kConditionalAppend =
    "WITH head AS (UPDATE allot.campaign SET last = last + $4"
    "  WHERE id = $1 AND last = $2 AND epoch = $3 RETURNING id),"
    " records AS (INSERT INTO allot.record"
    "  SELECT head.id, $2 + r.n, r.time, r.kind, r.key, r.payload, r.checksum,"
    "   CASE WHEN r.n = 1 THEN $5 END"
    "  FROM head, unnest($6, $7, $8, $9, $10) WITH ORDINALITY"
    "   AS r(time, kind, key, payload, checksum, n)),"
    " contents AS (INSERT INTO allot.content"
    "  SELECT head.id, c.item, c.fields FROM head, unnest($11, $12) AS c(item, fields))"
    " SELECT id FROM head";

Result<PostgresHead> enter(PostgresPool& pool, std::string_view campaign) {
  std::uint64_t id = 0;
  for (const unsigned char byte : random_uuid()) id = id << 8 | byte;
  const auto done = pool.repeat([&](PostgresConnection& connection, Deadline deadline) {
    return connection.run(
        deadline,
        "INSERT INTO allot.campaign (id, name) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        number_value(id & INT64_MAX), text_value(campaign));
  });
  if (!done) return pool.refusal(done.error());
  return PostgresReader(pool).head(campaign);
}

Result<void> PostgresAppend::add(std::span<const Draft> drafts) {
  for (const Draft& draft : drafts) {
    if (!draft.key.empty() && !keys_.insert(draft.key).second) {
      return key_in_use(name_, draft.key);
    }
    bytes_ += draft.key.size() + draft.payload.size() + 64;
    batch_.drafts.push_back(draft);
    if (bytes_ > pool_.options().statement_bytes) TRY(send_ahead());
  }
  return {};
}

Result<void> PostgresAppend::add(std::span<const Content> contents) {
  for (const Content& content : contents) {
    if (!items_.insert(content.item).second) return content_in_use(name_, content.item);
    bytes_ += content.fields.size() + 32;
    batch_.contents.push_back(content);
    if (bytes_ > pool_.options().statement_bytes) TRY(send_ahead());
  }
  return {};
}

Result<void> PostgresAppend::commit() {
  if (failed_) return result_of(Fate::absent, "a part of the records was refused");
  if (!transaction_ && batch_.drafts.empty() && batch_.contents.empty()) return {};
  TRY(transaction_ ? commit_transaction() : commit_at_once());
  pool_.witness().acknowledge(name_, batch_.last + batch_.drafts.size());
  return {};
}

Result<void> PostgresAppend::enter_campaign() {
  if (head_.id != 0) return {};
  // If others have begun the campaign meanwhile, the condition on `last` notices it.
  const PostgresHead entered = TRY(enter(pool_, name_));
  head_.id = batch_.campaign = entered.id;
  head_.epoch = batch_.epoch = entered.epoch;
  return {};
}

PostgresResult<bool> PostgresAppend::run(PostgresConnection& connection, Deadline deadline) {
  const auto done = connection.run_with(deadline, rules_.statement, values_of(batch_, number_));
  if (!done) return tl::unexpected(done.error());
  return done->size() == 1;
}

PostgresResult<PostgresAppend::Sent> PostgresAppend::send(PostgresConnection& connection,
                                                          Deadline deadline) {
  const auto done = run(connection, deadline);
  if (done && rules_.heeds_warnings && connection.has_warned()) return Sent{{}, kCancelled};
  if (done) return Sent{*done, {}};
  if (done.error().kind == Kind::lost) return Sent{{}, done.error().message};
  return tl::unexpected(done.error());
}

Result<void> PostgresAppend::commit_at_once() {
  TRY(enter_campaign());
  for (int attempt = 1;; ++attempt) {
    // What was certainly not taken is sent again until the deadline.
    const auto sent = pool_.repeat([&](PostgresConnection& connection, Deadline deadline) {
      return send(connection, deadline);
    });
    if (!sent) return refusal(sent.error());
    const Fate fate = sent->appended ? (*sent->appended ? Fate::appended : Fate::overtaken)
                                     : TRY(find_out(sent->doubt));
    if (fate != Fate::absent || attempt == kMostAttempts) return result_of(fate, sent->doubt);
  }
}

Result<void> PostgresAppend::result_of(Fate fate, const std::string& reason) const {
  if (fate == Fate::appended) return {};
  if (fate == Fate::overtaken) {
    return fail(ErrorCode::conflict,
                "campaign {}: the ledger no longer ends at record {}, since another writer was "
                "faster; expected the same request again",
                in_quotes(name_), head_.last);
  }
  return fail(ErrorCode::store_failure, "{}: {}; nothing was recorded", in_quotes(pool_.shown()),
              reason);
}

Result<void> PostgresAppend::send_ahead() {
  const auto sent = send_in_transaction();
  if (sent) {
    batch_.last += batch_.drafts.size();
    batch_.drafts.clear();
    batch_.contents.clear();
    bytes_ = 0;
  } else {
    failed_ = true;
  }
  return sent;
}

Result<void> PostgresAppend::send_in_transaction() {
  TRY(enter_campaign());
  const Deadline deadline = pool_.deadline();
  const auto give_up = [&](const PostgresFailure& failure) {
    transaction_.reset();  // the server rolls back when the connection ends
    return refusal(failure);
  };
  if (!transaction_) {
    auto loan = pool_.borrow(deadline);
    if (!loan) return refusal(loan.error());
    transaction_.emplace(*std::move(loan));
    const auto begun = (*transaction_)->run(deadline, "BEGIN");
    if (!begun) return give_up(begun.error());
  }
  const auto done = run(**transaction_, deadline);
  if (!done) return give_up(done.error());
  if (*done) return {};
  transaction_.reset();
  return result_of(Fate::overtaken, {});
}

Result<void> PostgresAppend::commit_transaction() {
  TRY(send_ahead());
  const auto done = (*transaction_)->run(pool_.deadline(), "COMMIT");
  const bool warned = rules_.heeds_warnings && (*transaction_)->has_warned();
  transaction_.reset();
  if (done && !warned) return {};
  if (!done && done.error().kind != Kind::lost) return refusal(done.error());
  const std::string reason = done ? kCancelled : done.error().message;
  return result_of(TRY(find_out(reason)), reason);
}

Result<PostgresAppend::Fate> PostgresAppend::find_out(const std::string& reason) {
  // Contents without records have no batch number to be recognised by.
  if (batch_.drafts.empty() && batch_.last == head_.last) return unknown(reason);
  const Deadline deadline = pool_.deadline();
  const auto fate = pool_.repeat_until(deadline, [&](PostgresConnection& connection) {
    return look_for_batch(connection, deadline);
  });
  if (!fate) return unknown(reason);
  return *fate;
}

PostgresResult<PostgresAppend::Fate> PostgresAppend::look_for_batch(PostgresConnection& connection,
                                                                    Deadline deadline) {
  const auto run = [&](const char* sql, const auto&... values) -> PostgresResult<PostgresRows> {
    auto rows = connection.run(deadline, sql, values...);
    if (rows && connection.has_warned()) {
      return tl::unexpected(PostgresFailure{Kind::lost, kCancelled});
    }
    return rows;
  };
  const PostgresValue campaign = number_value(head_.id);
  const auto taken = run(
      "UPDATE allot.campaign SET epoch = epoch + 1 WHERE id = $1 AND epoch = $2 RETURNING epoch",
      campaign, number_value(head_.epoch));
  if (!taken) return tl::unexpected(taken.error());
  if (taken->size() == 1) {
    head_.epoch = batch_.epoch = taken->number(0, 0);
  } else {
    // Somebody else took an epoch, so the fate is final; this waits for the standby alone.
    const auto waited = run("UPDATE allot.campaign SET epoch = epoch WHERE id = $1", campaign);
    if (!waited) return tl::unexpected(waited.error());
  }
  const auto found =
      run("SELECT 1 FROM allot.record WHERE campaign = $1 AND sequence = $2 AND batch = $3",
          campaign, number_value(head_.last + 1), uuid_value(number_));
  if (!found) return tl::unexpected(found.error());
  if (found->size() == 1) return Fate::appended;
  return taken->size() == 1 ? Fate::absent : Fate::overtaken;
}

tl::unexpected<Error> PostgresAppend::unknown(const std::string& reason) const {
  return fail(ErrorCode::outcome_unknown,
              "{}: campaign {}: {}, and it could not be found out whether the records after {} "
              "were kept; look at the campaign before you repeat the request, or repeat it with "
              "the same key",
              in_quotes(pool_.shown()), in_quotes(name_), reason, head_.last);
}

/// Names the key or the item that a unique index refused.
tl::unexpected<Error> PostgresAppend::refusal(const PostgresFailure& failure) {
  const auto refused_by = [&](std::string_view index) { return failure.constraint == index; };
  if (!refused_by("record_key") && !refused_by("content_pkey")) return pool_.refusal(failure);
  const bool is_key = refused_by("record_key");
  auto sought =
      is_key ? PostgresArray::of_bytes(keys_.size()) : PostgresArray::of_numbers(items_.size());
  for (const std::string& key : keys_) {
    if (is_key) sought.add(std::string_view(key));
  }
  for (const std::uint32_t item : items_) {
    if (!is_key) sought.add(std::int64_t{item});
  }
  const PostgresValue values = std::move(sought).take();
  const auto rows = pool_.repeat([&](PostgresConnection& connection, Deadline deadline) {
    return connection.run(
        deadline,
        is_key
            ? "SELECT key FROM allot.record WHERE campaign = $1 AND key IS NOT NULL"
              " AND sha256(key) IN (SELECT sha256(k) FROM unnest($2) k) ORDER BY sequence LIMIT 1"
            : "SELECT item FROM allot.content WHERE campaign = $1"
              " AND item IN (SELECT i FROM unnest($2) i) ORDER BY item LIMIT 1",
        number_value(head_.id), values);
  });
  if (!rows || rows->size() == 0) return pool_.refusal(failure);
  if (is_key) return key_in_use(name_, rows->bytes(0, 0));
  return content_in_use(name_, static_cast<std::uint32_t>(rows->number(0, 0)));
}

}  // namespace allot::store
