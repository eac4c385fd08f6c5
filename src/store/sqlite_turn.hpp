// The right to append to one campaign of a SQLite file: one transaction.
#pragma once

#include <mutex>
#include <string>
#include <unordered_set>

#include "allot/store/store.hpp"
#include "store/key_table.hpp"
#include "store/ledger_file.hpp"

namespace allot::store {

class SqliteTurn final : public Turn {
 public:
  /// Waits for the turn among all threads and processes, then finds where the ledger ends.
  static Result<std::unique_ptr<SqliteTurn>> begin(LedgerFile& file, std::string_view campaign);
  ~SqliteTurn() override;

  Result<void> append(std::span<const Draft> drafts) override;
  Result<void> add(std::span<const Content> contents) override;
  Result<void> commit() override;

  /// Replaces the snapshot unless the stored one is newer.
  Result<void> save(const Snapshot& snapshot);

  const std::string& campaign() const { return campaign_; }
  /// The record with that key, on disk or appended by this turn.
  Result<std::optional<Record>> find(std::string_view key);

 private:
  SqliteTurn(LedgerFile& file, std::unique_lock<std::mutex> lock, Transaction transaction,
             std::string_view campaign);
  Result<void> start();
  Result<void> append(Statement& insert, const Draft& draft);
  Result<void> refuse_used(const std::string& key);
  /// Adds the campaign to the file with its first record, content or snapshot.
  Result<void> enter_campaign();
  Result<void> update_campaign(std::optional<std::uint64_t> indexed);
  Result<void> replace(const Snapshot& snapshot);
  Connection& writer() { return *file_.writer(); }

  LedgerFile& file_;
  const std::unique_lock<std::mutex> lock_;
  Transaction transaction_;
  const std::string campaign_;
  CampaignRow row_;                         // as it is on disk
  std::uint64_t last_ = 0;                  // as it will be after the commit
  KeyTable::NewKeys new_keys_;              // of records this turn appended
  std::unordered_set<std::string> absent_;  // keys that were sought and are not on disk
};

}  // namespace allot::store
