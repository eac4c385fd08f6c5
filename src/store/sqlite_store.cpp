#include "allot/store/sqlite_store.hpp"

#include <unordered_set>

#include "store/checksum.hpp"
#include "store/ledger_file.hpp"
#include "store/messages.hpp"

namespace allot::store {
namespace {

/// The last record of the campaign; 0 if there is none.
Result<std::uint64_t> last_in(const LedgerReader& reader, std::string_view campaign) {
  return reader
      .query(
          "SELECT coalesce(max(sequence), 0) FROM record"
          " WHERE campaign = (SELECT id FROM campaign WHERE name = ?1)",
          campaign)
      .count()
      .map([](std::int64_t last) { return static_cast<std::uint64_t>(last); });
}

/// The right to append to one campaign of the file: one transaction.
class SqliteTurn final : public Turn {
 public:
  /// Waits for the turn among all threads and processes, then finds where the ledger ends.
  static Result<std::unique_ptr<SqliteTurn>> begin(LedgerFile& file, std::string_view campaign) {
    auto lock = file.wait_for_turn();                            // threads of this process
    auto transaction = TRY(Transaction::begin(*file.writer()));  // other processes
    std::unique_ptr<SqliteTurn> turn(
        new SqliteTurn(file, std::move(lock), std::move(transaction), campaign));
    TRY(turn->start());
    return turn;
  }

  Result<std::uint64_t> last() override { return row_.last; }

  Result<std::vector<Record>> read(std::uint64_t after, std::size_t most) override {
    return reader_.read(row_, after, most);
  }

  Result<std::optional<Record>> find(std::string_view key) override {
    auto found = file_.keys().find(reader_, row_, key);
    // Remembered, so that `append` with this key need not look again.
    if (found && !*found) absent_.emplace(key);
    return found;
  }

  Result<std::optional<std::string>> content(std::uint32_t item) override {
    return reader_.content(row_, item);
  }

  Result<void> append(std::span<const Draft> drafts) override {
    if (drafts.empty()) return {};
    TRY(enter_campaign());
    for (const Draft& draft : drafts) TRY(append(draft));
    return {};
  }

  Result<void> add(std::span<const Content> contents) override {
    if (contents.empty()) return {};
    TRY(enter_campaign());
    for (const Content& content : contents) {
      const auto added =
          query("INSERT INTO content VALUES (?1, ?2, ?3)", row_.id, content.item, content.fields)
              .run();
      if (added) continue;
      if (!file_.writer()->is_duplicate()) return added;
      return content_in_use(campaign_, content.item);
    }
    return {};
  }

  /// The records were inserted by `append`. What is left, in this order: the slice of keys that
  /// goes into the table, the row of the campaign (where the ledger ends, up to where keys are
  /// indexed), and COMMIT, which writes the log once and syncs it. Memory learns of the keys only
  /// after that, so a failed commit leaves it as it was.
  Result<void> commit() override {
    const KeyTable::Sweep sweep = file_.keys().next_sweep(row_, last_, new_keys_);
    TRY(KeyTable::write(*file_.writer(), row_, sweep));
    const std::uint64_t indexed = sweep.end.value_or(row_.indexed);
    const bool changes = last_ != row_.last || indexed != row_.indexed;
    if (changes) {
      TRY(query("UPDATE campaign SET last = ?2, indexed = ?3, in_log = 1 WHERE id = ?1", row_.id,
                last_, indexed)
              .run());
    }
    TRY(transaction_.commit());
    file_.keys().committed(row_, last_, new_keys_, sweep);
    if (changes) file_.mark_log(row_.in_log);
    return {};
  }

  /// Replaces the snapshot unless the stored one is newer.
  Result<void> save(const Snapshot& snapshot) {
    TRY(enter_campaign());
    const auto stored =
        TRY(query("SELECT sequence FROM snapshot WHERE campaign = ?1", row_.id).count());
    if (static_cast<std::uint64_t>(stored) > snapshot.sequence) return {};
    TRY(query("DELETE FROM snapshot_part WHERE campaign = ?1", row_.id).run());
    TRY(query("INSERT OR REPLACE INTO snapshot VALUES (?1, ?2)", row_.id, snapshot.sequence).run());
    for (std::size_t n = 0; n < snapshot.parts.size(); ++n) {
      TRY(query("INSERT INTO snapshot_part VALUES (?1, ?2, ?3)", row_.id, n,
                Blob{snapshot.parts[n]})
              .run());
    }
    return {};
  }

 private:
  SqliteTurn(LedgerFile& file, std::unique_lock<std::mutex> lock, Transaction transaction,
             std::string_view campaign)
      : file_(file),
        lock_(std::move(lock)),
        transaction_(std::move(transaction)),
        reader_(*file.writer()),
        campaign_(campaign) {}

  Result<void> start() {
    row_ = TRY(reader_.campaign(campaign_));
    last_ = TRY(last_in(reader_, campaign_));
    if (last_ != row_.last) return reader_.cut_off(last_, row_.last);
    return {};
  }

  template <typename... Values>
  Query query(const char* sql, const Values&... values) {
    return reader_.query(sql, values...);
  }

  Result<void> append(const Draft& draft) {
    std::optional<std::string_view> key;
    if (!draft.key.empty()) {
      TRY(refuse_used(draft.key));
      new_keys_.emplace(draft.key, last_ + 1);
      key = draft.key;
    }
    ++last_;
    return query("INSERT INTO record VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", row_.id, last_,
                 draft.time, draft.kind, key, Blob{draft.payload}, checksum(draft, last_))
        .run();
  }

  Result<void> refuse_used(const std::string& key) {
    if (new_keys_.contains(key)) return key_in_use(campaign_, key);
    if (absent_.contains(key)) return {};
    if (TRY(find(key))) return key_in_use(campaign_, key);
    return {};
  }

  /// Adds the campaign to the file with its first record, content or snapshot.
  Result<void> enter_campaign() {
    if (row_.id > 0) return {};
    return query("INSERT INTO campaign (name, salt) VALUES (?1, random()) RETURNING id, salt",
                 campaign_)
        .each([&](const Statement& row) {
          row_.id = row.number(0);
          row_.salt = row.number(1);
        });
  }

  LedgerFile& file_;
  const std::unique_lock<std::mutex> lock_;
  Transaction transaction_;
  const LedgerReader reader_;
  const std::string campaign_;
  CampaignRow row_;                         // as it is on disk
  std::uint64_t last_ = 0;                  // as it will be after the commit
  KeyTable::NewKeys new_keys_;              // of records this turn appended
  std::unordered_set<std::string> absent_;  // keys that were sought and are not on disk
};

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(std::unique_ptr<LedgerFile> file) : file_(std::move(file)) {}

  Result<std::vector<std::string>> campaigns() override {
    std::vector<std::string> names;
    TRY(file_->reader()
            .query("SELECT name FROM campaign c WHERE EXISTS"
                   " (SELECT 1 FROM record WHERE campaign = c.id) ORDER BY id")
            .each([&](const Statement& row) { names.push_back(row.text(0)); }));
    return names;
  }

  Result<std::uint64_t> last(std::string_view campaign) override {
    return last_in(file_->reader(), campaign);
  }

  Result<std::vector<Record>> read(std::string_view campaign, std::uint64_t after,
                                   std::size_t most) override {
    const LedgerReader reader = file_->reader();
    return reader.read(TRY(reader.campaign(campaign)), after, most);
  }

  Result<std::optional<Record>> find(std::string_view campaign, std::string_view key) override {
    const LedgerReader reader = file_->reader();
    return file_->keys().find(reader, TRY(reader.campaign(campaign)), key);
  }

  Result<std::optional<std::string>> content(std::string_view campaign,
                                             std::uint32_t item) override {
    const LedgerReader reader = file_->reader();
    return reader.content(TRY(reader.campaign(campaign)), item);
  }

  Result<std::vector<Content>> contents(std::string_view campaign, std::uint32_t from,
                                        std::size_t most) override {
    std::vector<Content> found;
    TRY(file_->reader()
            .query("SELECT item, fields FROM content"
                   " WHERE campaign = (SELECT id FROM campaign WHERE name = ?1) AND item >= ?2"
                   " ORDER BY item LIMIT ?3",
                   campaign, from, most)
            .each([&](const Statement& row) {
              found.push_back({static_cast<std::uint32_t>(row.number(0)), row.text(1)});
            }));
    return found;
  }

  Result<std::optional<Snapshot>> snapshot(std::string_view campaign) override {
    std::optional<Snapshot> found;
    // One statement, so that no other snapshot comes between the parts of this one.
    TRY(file_->reader()
            .query("SELECT s.sequence, p.bytes FROM snapshot s"
                   " JOIN snapshot_part p ON p.campaign = s.campaign"
                   " WHERE s.campaign = (SELECT id FROM campaign WHERE name = ?1) ORDER BY p.part",
                   campaign)
            .each([&](const Statement& row) {
              if (!found) found.emplace();
              found->sequence = static_cast<std::uint64_t>(row.number(0));
              found->parts.push_back(row.text(1));
            }));
    return found;
  }

  Result<void> save(std::string_view campaign, const Snapshot& snapshot) override {
    const auto turn = TRY(begin_turn(campaign));
    TRY(turn->save(snapshot));
    return turn->commit();
  }

  Result<void> remove(std::string_view campaign) override {
    TRY(check_writing());
    Connection& writer = *file_->writer();
    const auto turn = file_->wait_for_turn();
    TRY(writer.execute("PRAGMA secure_delete = ON"));  // the file may stay, with other campaigns
    const auto removed = remove_rows(writer, campaign);
    TRY(writer.execute("PRAGMA secure_delete = OFF"));
    return removed;
  }

  Result<std::unique_ptr<Turn>> begin(std::string_view campaign) override {
    return begin_turn(campaign);
  }

  void rest() override { file_->rest(); }

 private:
  static Result<void> remove_rows(Connection& writer, std::string_view campaign) {
    auto transaction = TRY(Transaction::begin(writer));
    const LedgerReader reader(writer);
    const CampaignRow row = TRY(reader.campaign(campaign));
    for (const char* const sql :
         {"DELETE FROM record WHERE campaign = ?1", "DELETE FROM key WHERE campaign = ?1",
          "DELETE FROM content WHERE campaign = ?1", "DELETE FROM snapshot WHERE campaign = ?1",
          "DELETE FROM snapshot_part WHERE campaign = ?1", "DELETE FROM campaign WHERE id = ?1"}) {
      TRY(reader.query(sql, row.id).run());
    }
    return transaction.commit();
  }

  Result<std::unique_ptr<SqliteTurn>> begin_turn(std::string_view campaign) {
    TRY(check_writing());
    return SqliteTurn::begin(*file_, campaign);
  }

  Result<void> check_writing() const {
    if (file_->writer()) return {};
    return in_file(file_->path(),
                   "the file is open for reading only; expected one that can be written");
  }

  const std::unique_ptr<LedgerFile> file_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite(const std::string& path, const SqliteOptions& options) {
  return std::make_unique<SqliteStore>(TRY(LedgerFile::open(path, options)));
}

}  // namespace allot::store
