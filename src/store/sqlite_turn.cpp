#include "store/sqlite_turn.hpp"

#include <fmt/format.h>

#include "base/try.hpp"
#include "store/messages.hpp"

namespace allot::store {

SqliteTurn::SqliteTurn(LedgerFile& file, std::unique_lock<std::mutex> lock, Transaction transaction,
                       std::string_view campaign)
    : file_(file),
      lock_(std::move(lock)),
      transaction_(std::move(transaction)),
      campaign_(campaign) {
  file_.set_turn(this);
}

SqliteTurn::~SqliteTurn() { file_.set_turn(nullptr); }

Result<std::unique_ptr<SqliteTurn>> SqliteTurn::begin(LedgerFile& file, std::string_view campaign) {
  auto lock = file.wait_for_turn();                            // threads of this process
  auto transaction = TRY(Transaction::begin(*file.writer()));  // other processes
  std::unique_ptr<SqliteTurn> turn(
      new SqliteTurn(file, std::move(lock), std::move(transaction), campaign));
  TRY(turn->start());
  return turn;
}

Result<void> SqliteTurn::start() {
  const LedgerReader reader(writer());
  row_ = TRY(reader.campaign(campaign_));
  if (row_.id == 0) return {};
  last_ = TRY(reader.select(
      "SELECT coalesce(max(sequence), 0) FROM record WHERE campaign = ?1",
      [&](Statement& rows) { rows.bind(1, row_.id); }, std::uint64_t{0},
      [](Statement& rows, std::uint64_t& last) {
        last = static_cast<std::uint64_t>(rows.number(0));
        return Result<void>();
      }));
  if (last_ != row_.last) return cut_off(file_.path(), last_, row_.last);
  return {};
}

Result<std::optional<Record>> SqliteTurn::find(std::string_view key) {
  const LedgerReader reader(writer());
  const auto appended = new_keys_.find(std::string(key));
  if (appended != new_keys_.end()) return reader.record_at(row_, appended->second);
  auto found = file_.keys().find(reader, row_, key);
  // Remembered, so that `append` with this key need not look again.
  if (found && !*found) absent_.emplace(key);
  return found;
}

Result<void> SqliteTurn::append(std::span<const Draft> drafts) {
  if (drafts.empty()) return {};
  TRY(enter_campaign());
  Statement& insert =
      *TRY(writer().prepared("INSERT INTO record VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  const Statement::Reset reset(insert);
  for (const Draft& draft : drafts) {
    TRY(append(insert, draft));
  }
  return {};
}

Result<void> SqliteTurn::append(Statement& insert, const Draft& draft) {
  if (!draft.key.empty()) {
    TRY(refuse_used(draft.key));
    new_keys_.emplace(draft.key, last_ + 1);
  }
  const std::uint64_t sequence = ++last_;
  insert.bind(1, row_.id).bind(2, to_signed(sequence)).bind(3, draft.time);
  insert.bind(4, std::int64_t{draft.kind});
  if (!draft.key.empty()) insert.bind(5, draft.key);
  insert.bind_blob(6, draft.payload).bind(7, std::int64_t{checksum(draft, sequence)});
  return insert.run();
}

Result<void> SqliteTurn::refuse_used(const std::string& key) {
  if (new_keys_.contains(key)) return key_in_use(campaign_, key);
  if (absent_.contains(key)) return {};
  if (TRY(find(key))) return key_in_use(campaign_, key);
  return {};
}

Result<void> SqliteTurn::add(std::span<const Content> contents) {
  if (contents.empty()) return {};
  TRY(enter_campaign());
  Statement& insert = *TRY(writer().prepared("INSERT INTO content VALUES (?1, ?2, ?3)"));
  const Statement::Reset reset(insert);
  for (const Content& content : contents) {
    insert.bind(1, row_.id).bind(2, std::int64_t{content.item});
    const Result<void> added = insert.bind(3, content.fields).run();
    if (added) continue;
    if (!writer().is_duplicate()) return added;
    return content_in_use(campaign_, content.item);
  }
  return {};
}

// The records were inserted by `append`. What is left, in this order: the slice of keys that goes
// into the table, the row of the campaign (where the ledger ends, up to where keys are indexed),
// and COMMIT, which writes the log once and syncs it. Memory learns of the keys only after that, so
// a failed commit leaves it as it was.
Result<void> SqliteTurn::commit() {
  const KeyTable::Sweep sweep = file_.keys().next_sweep(row_, last_, new_keys_);
  TRY(KeyTable::write(writer(), row_, sweep));
  TRY(update_campaign(sweep.end));
  TRY(transaction_.commit());
  file_.keys().committed(row_, last_, new_keys_, sweep);
  return {};
}

Result<void> SqliteTurn::update_campaign(std::optional<std::uint64_t> indexed) {
  if (last_ == row_.last && (!indexed || *indexed == row_.indexed)) return {};
  Statement& update =
      *TRY(writer().prepared("UPDATE campaign SET last = ?2, indexed = ?3 WHERE id = ?1"));
  const Statement::Reset reset(update);
  return update.bind(1, row_.id)
      .bind(2, to_signed(last_))
      .bind(3, to_signed(indexed.value_or(row_.indexed)))
      .run();
}

Result<void> SqliteTurn::enter_campaign() {
  if (row_.id > 0) return {};
  Statement& insert = *TRY(writer().prepared(
      "INSERT INTO campaign (name, salt) VALUES (?1, random()) RETURNING id, salt"));
  const Statement::Reset reset(insert);
  TRY(insert.bind(1, campaign_).step());
  row_.id = insert.number(0);
  row_.salt = insert.number(1);
  return insert.run();
}

Result<void> SqliteTurn::save(const Snapshot& snapshot) {
  TRY(enter_campaign());
  const auto stored = TRY(LedgerReader(writer()).select(
      "SELECT sequence FROM snapshot WHERE campaign = ?1",
      [&](Statement& rows) { rows.bind(1, row_.id); }, std::uint64_t{0},
      [](Statement& rows, std::uint64_t& sequence) {
        sequence = static_cast<std::uint64_t>(rows.number(0));
        return Result<void>();
      }));
  if (stored > snapshot.sequence) return {};
  return replace(snapshot);
}

Result<void> SqliteTurn::replace(const Snapshot& snapshot) {
  TRY(
      writer().execute(fmt::format("DELETE FROM snapshot_part WHERE campaign = {0};"
                                   "INSERT OR REPLACE INTO snapshot VALUES ({0}, {1});",
                                   row_.id, snapshot.sequence)));
  Statement& insert = *TRY(writer().prepared("INSERT INTO snapshot_part VALUES (?1, ?2, ?3)"));
  const Statement::Reset reset(insert);
  for (std::size_t n = 0; n < snapshot.parts.size(); ++n) {
    insert.bind(1, row_.id).bind(2, static_cast<std::int64_t>(n));
    TRY(insert.bind_blob(3, snapshot.parts[n]).run());
  }
  return {};
}

}  // namespace allot::store
