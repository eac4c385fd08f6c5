// Finds records by their key: the table `key` of the file plus a KeyIndex per campaign in memory.
//
// A commit first asks for a sweep (keys that wait in memory and now go into the table), writes it
// in its transaction, and reports after the commit what is on disk:
//   sweep = next_sweep(...);  write(...);  COMMIT;  committed(..., sweep)
// The turn keeps others from committing in between, so the slice of a sweep stays valid. Any number
// of threads may call `find`.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "store/key_index.hpp"
#include "store/ledger_reader.hpp"

namespace allot::store {

class KeyTable {
 public:
  /// `gradual` suits a process that stays: it sweeps many keys, a slice per commit, so that
  /// neighbours in the table share a page. Another process must read all waiting keys when it first
  /// looks for one, so it sweeps early and all at once.
  explicit KeyTable(bool gradual) : gradual_(gradual) {}

  /// The record on disk that has the key.
  Result<std::optional<Record>> find(const LedgerReader& reader, const CampaignRow& campaign,
                                     std::string_view key);

  struct Sweep {
    /// Keys to write with this commit.
    std::span<const KeyIndex::Place> slice;
    /// The last record whose key is then in the table; nothing if the sweep goes on.
    std::optional<std::uint64_t> end;
  };
  using NewKeys = std::unordered_map<std::string, std::uint64_t>;
  /// `campaign` as it is on disk, `last` as it will be after the commit.
  Sweep next_sweep(const CampaignRow& campaign, std::uint64_t last, const NewKeys& keys);
  static Result<void> write(Connection& writer, const CampaignRow& campaign, const Sweep& sweep);
  void committed(const CampaignRow& campaign, std::uint64_t last, const NewKeys& keys,
                 const Sweep& sweep);

 private:
  const bool gradual_;
  std::mutex mutex_;
  std::map<std::int64_t, KeyIndex> indices_;  // by campaign
};

}  // namespace allot::store
