#include "store/ledger_rows.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <array>

#include "store/messages.hpp"

namespace allot::store {

CampaignRow CampaignRow::of(const Statement& row) {
  CampaignRow campaign{row.number(0), row.number(1), static_cast<std::uint64_t>(row.number(2)), 0};
  campaign.indexed = std::min(campaign.last, static_cast<std::uint64_t>(row.number(3)));
  return campaign;
}

std::uint32_t checksum(const Draft& draft, std::uint64_t sequence) {
  const auto add = [](uLong sum, const void* bytes, std::size_t size) {
    return crc32_z(sum, static_cast<const Bytef*>(bytes), size);
  };
  const std::array<std::uint64_t, 3> head{sequence, static_cast<std::uint64_t>(draft.time),
                                          draft.kind | std::uint64_t{draft.key.size()} << 8};
  uLong sum = add(0, head.data(), sizeof head);
  sum = add(sum, draft.key.data(), draft.key.size());
  return static_cast<std::uint32_t>(add(sum, draft.payload.data(), draft.payload.size()));
}

Result<Record> record_of(const Statement& row, std::uint64_t expected, const std::string& path) {
  Record record;
  record.sequence = static_cast<std::uint64_t>(row.number(0));
  record.time = row.number(1);
  record.kind = static_cast<std::uint8_t>(row.number(2));
  record.key = row.bytes(3);
  record.payload = row.bytes(4);
  if (record.sequence != expected) {
    return damaged(path, fmt::format("record {} is missing", expected));
  }
  if (checksum(record, record.sequence) != static_cast<std::uint64_t>(row.number(5))) {
    return damaged(path, fmt::format("record {} does not match its checksum", record.sequence));
  }
  return record;
}

tl::unexpected<Error> cut_off(const std::string& path, std::uint64_t last, std::uint64_t expected) {
  return damaged(path, fmt::format("the ledger ends at record {} instead of {}", last, expected));
}

}  // namespace allot::store
