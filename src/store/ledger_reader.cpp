#include "store/ledger_reader.hpp"

#include <algorithm>

#include "store/checksum.hpp"
#include "store/messages.hpp"

namespace allot::store {
namespace {

/// Refuses a row that does not have the expected sequence number or checksum.
Result<Record> record_of(const Statement& row, std::uint64_t expected, const std::string& path) {
  Record record{{.time = row.number(1),
                 .kind = static_cast<std::uint8_t>(row.number(2)),
                 .key = row.text(3),
                 .payload = row.text(4)},
                static_cast<std::uint64_t>(row.number(0))};
  if (record.sequence != expected) {
    return damaged(path, "record {} is missing", expected);
  }
  if (checksum(record, record.sequence) != static_cast<std::uint64_t>(row.number(5))) {
    return damaged(path, "record {} does not match its checksum", record.sequence);
  }
  return record;
}

}  // namespace

Result<CampaignRow> LedgerReader::campaign(std::string_view name) const {
  CampaignRow found;
  TRY(query("SELECT id, salt, last, indexed, in_log FROM campaign WHERE name = ?1", name)
          .each([&](const Statement& row) {
            const auto last = static_cast<std::uint64_t>(row.number(2));
            const auto indexed = static_cast<std::uint64_t>(row.number(3));
            found = {row.number(0), row.number(1), last, std::min(last, indexed),
                     row.number(4) != 0};
          }));
  return found;
}

Result<std::vector<Record>> LedgerReader::read(const CampaignRow& campaign, std::uint64_t after,
                                               std::size_t most) const {
  std::vector<Record> records;
  std::uint64_t last = after;
  TRY(query("SELECT sequence, time, kind, key, payload, checksum FROM record"
            " WHERE campaign = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3",
            campaign.id, after, most)
          .each([&](const Statement& row) {
            return record_of(row, ++last, connection_.path()).map([&](Record record) {
              records.push_back(std::move(record));
            });
          }));
  if (records.size() < most && last < campaign.last) return cut_off(last, campaign.last);
  return records;
}

Result<void> LedgerReader::each_of_kind(
    const CampaignRow& campaign, std::uint8_t kind,
    const std::function<Result<void>(const Record&)>& visit) const {
  return query(
             "SELECT sequence, time, kind, key, payload, checksum FROM record"
             " WHERE campaign = ?1 AND kind = ?2 ORDER BY sequence",
             campaign.id, kind)
      .each([&](const Statement& row) {
        const auto sequence = static_cast<std::uint64_t>(row.number(0));
        return record_of(row, sequence, connection_.path()).and_then(visit);
      });
}

Result<std::optional<std::string>> LedgerReader::content(const CampaignRow& campaign,
                                                         std::uint32_t item) const {
  std::optional<std::string> fields;
  TRY(query("SELECT fields FROM content WHERE campaign = ?1 AND item = ?2", campaign.id, item)
          .each([&](const Statement& row) { fields = row.text(0); }));
  return fields;
}

tl::unexpected<Error> LedgerReader::cut_off(std::uint64_t last, std::uint64_t expected) const {
  return damaged(connection_.path(), "the ledger ends at record {} instead of {}", last, expected);
}

}  // namespace allot::store
