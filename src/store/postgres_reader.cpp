#include "store/postgres_reader.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "store/checksum.hpp"

namespace allot::store {
namespace {

PostgresHead head_in(const PostgresRows& rows) {
  if (rows.size() == 0) return {};
  return {rows.number(0, 0), rows.count(0, 1), rows.number(0, 2)};
}

std::vector<Content> contents_in(const PostgresRows& rows) {
  std::vector<Content> found;
  for (int row = 0; row < rows.size(); ++row) {
    found.push_back({static_cast<std::uint32_t>(rows.number(row, 0)), rows.text(row, 1)});
  }
  return found;
}

}  // namespace

template <typename... Values>
Result<PostgresRows> PostgresReader::query(const char* sql, const Values&... values) const {
  auto rows = pool_.repeat([&](PostgresConnection& connection, Deadline deadline) {
    return connection.run(deadline, sql, values...);
  });
  if (!rows) return pool_.refusal(rows.error());
  return *std::move(rows);
}

template <typename... Args>
tl::unexpected<Error> PostgresReader::damaged(std::string_view campaign,
                                              fmt::format_string<Args...> what,
                                              Args&&... args) const {
  return fail(ErrorCode::store_failure,
              "{}: the ledger of campaign {} is damaged, {}; restore the database from a backup",
              in_quotes(pool_.shown()), in_quotes(campaign),
              fmt::format(what, std::forward<Args>(args)...));
}

Result<std::vector<std::string>> PostgresReader::campaigns() const {
  const auto rows =
      TRY(query("SELECT name FROM allot.campaign WHERE last > 0 ORDER BY created, name"));
  std::vector<std::string> names;
  for (int row = 0; row < rows.size(); ++row) names.push_back(rows.text(row, 0));
  return names;
}

Result<PostgresHead> PostgresReader::head(std::string_view campaign) const {
  const std::uint64_t acknowledged = pool_.witness().acknowledged(campaign);
  const PostgresHead head =
      TRY(query("SELECT id, last, epoch FROM allot.campaign WHERE name = $1", text_value(campaign))
              .map(head_in));
  TRY(check_end(campaign, acknowledged, head));
  return head;
}

Result<void> PostgresReader::check_end(std::string_view campaign, std::uint64_t acknowledged,
                                       const PostgresHead& head) const {
  if (head.last >= acknowledged) return {};
  pool_.witness().note_loss(campaign);
  return fail(
      ErrorCode::store_failure,
      "{}: the ledger of campaign {} ends at record {}, but record {} was acknowledged: the "
      "database has lost records, for example by a fail-over to a standby that lagged; "
      "recover them, or restart allot to go on without them",
      in_quotes(pool_.shown()), in_quotes(campaign), head.last, acknowledged);
}

/// Reads the columns from the fourth on: sequence, time, kind, key, payload, checksum.
Result<Record> PostgresReader::record_in(const PostgresRows& rows, int row,
                                         std::string_view campaign) const {
  Record record{{.time = rows.number(row, 4),
                 .kind = static_cast<std::uint8_t>(rows.number(row, 5)),
                 .key = rows.text(row, 6),
                 .payload = rows.text(row, 7)},
                rows.count(row, 3)};
  if (checksum(record, record.sequence) != rows.count(row, 8)) {
    return damaged(campaign, "record {} does not match its checksum", record.sequence);
  }
  return record;
}

Result<PostgresReader::Ledger> PostgresReader::read(std::string_view campaign, std::uint64_t after,
                                                    std::size_t most, std::uint64_t end,
                                                    std::span<const std::string> keys) const {
  const std::uint64_t acknowledged = pool_.witness().acknowledged(campaign);
  const PostgresRows rows =
      TRY(keys.empty() ? records_after(campaign, after, most, end)
                       : records_after_and_with_keys(campaign, after, most, end, keys));
  Ledger ledger{head_in(rows), {}};
  TRY(check_end(campaign, acknowledged, ledger.head));
  std::uint64_t last = after;
  for (int row = 0; row < rows.size() && !rows.is_null(row, 3); ++row) {
    Record record = TRY(record_in(rows, row, campaign));
    if (rows.number(row, 9) != 0) {
      ledger.found.push_back(std::move(record));
      continue;
    }
    ledger.records.push_back(std::move(record));
    if (ledger.records.back().sequence != ++last) {
      return damaged(campaign, "record {} is missing", last);
    }
  }
  const std::uint64_t expected = std::min(ledger.head.last, end);
  if (ledger.records.size() < most && last < expected) {
    return damaged(campaign, "it ends at record {} instead of {}", last, expected);
  }
  return ledger;
}

/// One row per record with the head of the ledger; the head alone if there is no record. The last
/// column tells whether the record is there for its key.
Result<PostgresRows> PostgresReader::records_after(std::string_view campaign, std::uint64_t after,
                                                   std::size_t most, std::uint64_t end) const {
  return query(
      "SELECT c.id, c.last, c.epoch, r.sequence, r.time, r.kind, r.key, r.payload, r.checksum,"
      " 0::bigint FROM allot.campaign c LEFT JOIN LATERAL"
      " (SELECT * FROM allot.record WHERE campaign = c.id AND sequence > $2"
      "  AND sequence <= $3 ORDER BY sequence LIMIT $4) r ON true"
      " WHERE c.name = $1 ORDER BY r.sequence",
      text_value(campaign), number_value(after), number_value(end),
      number_value(std::uint64_t{most}));
}

Result<PostgresRows> PostgresReader::records_after_and_with_keys(
    std::string_view campaign, std::uint64_t after, std::size_t most, std::uint64_t end,
    std::span<const std::string> keys) const {
  auto sought = PostgresArray::of_bytes(keys.size());
  for (const std::string& key : keys) sought.add(std::string_view(key));
  // The limit keeps the planner from reading the whole ledger: it looks each key up in the index.
  return query(
      "SELECT c.id, c.last, c.epoch, r.sequence, r.time, r.kind, r.key, r.payload, r.checksum,"
      " r.by_key FROM allot.campaign c LEFT JOIN LATERAL"
      " ((SELECT 0::bigint AS by_key, * FROM allot.record WHERE campaign = c.id AND sequence > $2"
      "   AND sequence <= $3 ORDER BY sequence LIMIT $4) UNION ALL"
      "  SELECT 1::bigint, f.* FROM unnest($5) AS k CROSS JOIN LATERAL"
      "   (SELECT * FROM allot.record WHERE campaign = c.id AND key IS NOT NULL"
      "    AND sha256(key) = sha256(k) LIMIT 1) f WHERE f.sequence <= $3) r ON true"
      " WHERE c.name = $1 ORDER BY r.by_key, r.sequence",
      text_value(campaign), number_value(after), number_value(end),
      number_value(std::uint64_t{most}), std::move(sought).take());
}

Result<std::optional<Record>> PostgresReader::find(std::string_view campaign, std::string_view key,
                                                   std::uint64_t end) const {
  const auto rows = TRY(
      query("SELECT c.id, c.last, c.epoch, r.sequence, r.time, r.kind, r.key, r.payload, r.checksum"
            " FROM allot.campaign c JOIN allot.record r ON r.campaign = c.id WHERE c.name = $1"
            " AND sha256(r.key) = sha256($2) AND r.key IS NOT NULL AND r.sequence <= $3",
            text_value(campaign), bytes_value(key), number_value(end)));
  if (rows.size() == 0) return std::nullopt;
  return record_in(rows, 0, campaign);
}

Result<std::vector<Content>> PostgresReader::contents(std::string_view campaign, std::uint32_t from,
                                                      std::uint32_t to, std::size_t most) const {
  const auto rows =
      TRY(query("SELECT item, fields FROM allot.content WHERE campaign ="
                " (SELECT id FROM allot.campaign WHERE name = $1)"
                " AND item BETWEEN $2 AND $3 ORDER BY item LIMIT $4",
                text_value(campaign), number_value(std::uint64_t{from}),
                number_value(std::uint64_t{to}), number_value(std::uint64_t{most})));
  return contents_in(rows);
}

Result<std::vector<Content>> PostgresReader::contents_near(std::string_view campaign,
                                                           std::uint32_t item, std::uint32_t from,
                                                           std::uint32_t to,
                                                           std::uint64_t bytes) const {
  const auto rows = TRY(query(
      "SELECT item, fields FROM allot.content WHERE campaign ="
      " (SELECT id FROM allot.campaign WHERE name = $1)"
      " AND item BETWEEN $2 AND $3 AND (item = $4 OR octet_length(fields) <= $5)",
      text_value(campaign), number_value(std::uint64_t{from}), number_value(std::uint64_t{to}),
      number_value(std::uint64_t{item}), number_value(bytes)));
  return contents_in(rows);
}

Result<std::optional<Snapshot>> PostgresReader::snapshot(std::string_view campaign) const {
  std::optional<Snapshot> found;
  const std::vector<PostgresValue> values{text_value(campaign)};
  const auto done = pool_.repeat([&](PostgresConnection& connection, Deadline deadline) {
    found.reset();
    return connection.stream(
        deadline,
        "SELECT s.sequence, p.bytes FROM allot.snapshot s"
        " JOIN allot.snapshot_part p ON p.campaign = s.campaign"
        " WHERE s.campaign = (SELECT id FROM allot.campaign WHERE name = $1) ORDER BY p.part",
        values, [&](const PostgresRows& row) {
          if (!found) found.emplace();
          found->sequence = row.count(0, 0);
          found->parts.push_back(row.text(0, 1));
        });
  });
  if (!done) return pool_.refusal(done.error());
  return found;
}

}  // namespace allot::store
