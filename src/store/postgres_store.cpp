#include "allot/store/postgres_store.hpp"

#include <map>
#include <mutex>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "store/postgres_append.hpp"
#include "store/postgres_contents.hpp"
#include "store/postgres_schema.hpp"

namespace allot::store {
namespace {

constexpr std::chrono::minutes kLongestRemoval{10};

/// Sees the ledger as it was when this was first asked for anything.
class PostgresTurn final : public Turn {
 public:
  PostgresTurn(PostgresPool& pool, PostgresContents& contents, std::unique_lock<std::mutex> lock,
               std::string_view campaign, const AppendRules& rules)
      : pool_(pool),
        contents_(contents),
        reader_(pool),
        lock_(std::move(lock)),
        campaign_(campaign),
        rules_(rules) {}

  Result<std::uint64_t> last() override {
    return look().map([&] { return head_->last; });
  }

  Result<std::vector<Record>> read(std::uint64_t after, std::size_t most) override {
    auto ledger =
        TRY(reader_.read(campaign_, after, most, head_ ? head_->last : UINT64_MAX, announced_));
    if (!head_) head_ = ledger.head;
    for (Record& record : ledger.found) {
      std::string key = record.key;
      known_.insert_or_assign(std::move(key), std::move(record));
    }
    for (std::string& key : announced_) known_.try_emplace(std::move(key), std::nullopt);
    announced_.clear();
    return std::move(ledger.records);
  }

  Result<void> look_for(std::span<const std::string> keys) override {
    // The next statement looks for them along with what it is for.
    announced_.insert(announced_.end(), keys.begin(), keys.end());
    return {};
  }

  Result<std::optional<Record>> find(std::string_view key) override {
    if (!announced_.empty()) TRY(read(0, 0));
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    TRY(look());
    return reader_.find(campaign_, key, head_->last);
  }

  Result<std::optional<std::string>> content(std::uint32_t item) override {
    TRY(look());
    return contents_.find(head_->id, campaign_, item);
  }

  Result<void> append(std::span<const Draft> drafts) override {
    return TRY(appends())->add(drafts);
  }
  Result<void> add(std::span<const Content> contents) override {
    return TRY(appends())->add(contents);
  }
  Result<void> commit() override { return TRY(appends())->commit(); }

 private:
  Result<void> look() {
    if (!head_) head_ = TRY(reader_.head(campaign_));
    return {};
  }

  Result<PostgresAppend*> appends() {
    TRY(look());
    if (!appends_) appends_.emplace(pool_, campaign_, *head_, rules_);
    return &*appends_;
  }

  PostgresPool& pool_;
  PostgresContents& contents_;
  const PostgresReader reader_;
  const std::unique_lock<std::mutex> lock_;
  const std::string campaign_;
  const AppendRules rules_;
  std::optional<PostgresHead> head_;
  std::optional<PostgresAppend> appends_;
  std::vector<std::string> announced_;                               // not looked for yet
  std::map<std::string, std::optional<Record>, std::less<>> known_;  // by key, as announced
};

class PostgresStore final : public Store {
 public:
  PostgresStore(std::unique_ptr<PostgresPool> pool, const AppendRules& rules)
      : pool_(std::move(pool)), rules_(rules) {}

  Result<std::vector<std::string>> campaigns() override { return reader_.campaigns(); }

  Result<std::uint64_t> last(std::string_view campaign) override {
    return reader_.head(campaign).map([](const PostgresHead& head) { return head.last; });
  }

  Result<std::vector<Record>> read(std::string_view campaign, std::uint64_t after,
                                   std::size_t most) override {
    return reader_.read(campaign, after, most).map([](PostgresReader::Ledger ledger) {
      return std::move(ledger.records);
    });
  }

  Result<std::optional<Record>> find(std::string_view campaign, std::string_view key) override {
    return reader_.find(campaign, key);
  }

  Result<std::optional<std::string>> content(std::string_view campaign,
                                             std::uint32_t item) override {
    auto found = TRY(reader_.contents(campaign, item, item, 1));
    return found.empty() ? std::nullopt : std::optional(std::move(found.front().fields));
  }

  Result<std::vector<Content>> contents(std::string_view campaign, std::uint32_t from,
                                        std::size_t most) override {
    return reader_.contents(campaign, from, UINT32_MAX, most);
  }

  Result<std::optional<Snapshot>> snapshot(std::string_view campaign) override {
    return reader_.snapshot(campaign);
  }

  Result<void> save(std::string_view campaign, const Snapshot& snapshot) override {
    TRY(check_writing());
    const PostgresHead head = TRY(reader_.head(campaign));
    if (head.id == 0) return {};  // deleted meanwhile
    const Deadline deadline = pool_->deadline();
    auto loan = pool_->borrow(deadline);
    const auto done = loan ? save(**loan, deadline, head.id, snapshot)
                           : PostgresResult<PostgresRows>(tl::unexpected(loan.error()));
    // Without its last statement, the transaction ends with the connection.
    return done ? Result<void>() : pool_->refusal(done.error());
  }

  Result<void> remove(std::string_view campaign) override {
    TRY(check_writing());
    // A transaction that deletes millions of rows takes longer than a request may.
    const Deadline deadline =
        std::max(pool_->deadline(), std::chrono::steady_clock::now() + kLongestRemoval);
    TRY(check_unlisted(campaign));
    const auto done = pool_->repeat_until(deadline, [&](PostgresConnection& connection) {
      auto removed = remove(connection, deadline, campaign);
      if (!removed) connection.give_up();  // ends the transaction with the connection
      return removed;
    });
    if (!done) return pool_->refusal(done.error());
    pool_->witness().forget(campaign);
    return {};
  }

  Result<std::unique_ptr<Turn>> begin(std::string_view campaign) override {
    TRY(check_writing());
    return std::make_unique<PostgresTurn>(*pool_, contents_, std::unique_lock(turn_of(campaign)),
                                          campaign, rules_);
  }

 private:
  Result<void> check_writing() const {
    if (pool_->options().mode != OpenMode::read) return {};
    return fail(ErrorCode::store_failure,
                "{}: the database is open for reading only; expected one that can be written",
                in_quotes(pool_->shown()));
  }

  /// The turn among threads of this process.
  std::mutex& turn_of(std::string_view campaign) {
    const std::scoped_lock lock(mutex_);
    return turns_[std::string(campaign)];
  }

  /// Refuses a campaign that servers list: one of them must take it off the list first.
  Result<void> check_unlisted(std::string_view campaign) const {
    const auto count = [&](const char* sql) {
      return pool_->repeat([&](PostgresConnection& connection, Deadline deadline) {
        return connection.run(deadline, sql, text_value(campaign));
      });
    };
    const auto tables = count(
        "SELECT count(*) FROM pg_tables WHERE schemaname = 'allot' AND tablename ="
        " 'server_campaign' AND $1::text IS NOT NULL");
    if (!tables) return pool_->refusal(tables.error());
    if (tables->number(0, 0) == 0) return {};
    const auto listed = count("SELECT count(*) FROM allot.server_campaign WHERE id = $1");
    if (!listed) return pool_->refusal(listed.error());
    if (listed->number(0, 0) == 0) return {};
    return fail(ErrorCode::conflict,
                "campaign {} belongs to a server; expected it to be deleted by its page or its API",
                in_quotes(campaign));
  }

  /// A transaction: it locks the row of the campaign, so that no append comes between.
  static PostgresResult<PostgresRows> remove(PostgresConnection& connection, Deadline deadline,
                                             std::string_view campaign) {
    auto done = connection.run(deadline, "BEGIN");
    if (!done) return done;
    done = connection.run(deadline, "SELECT id FROM allot.campaign WHERE name = $1 FOR UPDATE",
                          text_value(campaign));
    const PostgresValue id = number_value(done && done->size() == 1 ? done->number(0, 0) : 0);
    for (const char* const sql : {"DELETE FROM allot.record WHERE campaign = $1",
                                  "DELETE FROM allot.content WHERE campaign = $1",
                                  "DELETE FROM allot.snapshot WHERE campaign = $1",
                                  "DELETE FROM allot.snapshot_part WHERE campaign = $1",
                                  "DELETE FROM allot.campaign WHERE id = $1"}) {
      if (done) done = connection.run(deadline, sql, id);
    }
    return done ? connection.run(deadline, "COMMIT") : std::move(done);
  }

  /// A transaction: the row of the snapshot keeps other savers out.
  static PostgresResult<PostgresRows> save(PostgresConnection& connection, Deadline deadline,
                                           std::int64_t campaign, const Snapshot& snapshot) {
    auto done = connection.run(deadline, "BEGIN");
    if (!done) return done;
    done = connection.run(deadline,
                          "INSERT INTO allot.snapshot AS s VALUES ($1, $2)"
                          " ON CONFLICT (campaign) DO UPDATE SET sequence = excluded.sequence"
                          " WHERE s.sequence <= excluded.sequence RETURNING sequence",
                          number_value(campaign), number_value(snapshot.sequence));
    if (!done) return done;
    if (done->size() == 0) return connection.run(deadline, "ROLLBACK");  // a newer one is there
    done = connection.run(deadline, "DELETE FROM allot.snapshot_part WHERE campaign = $1",
                          number_value(campaign));
    for (std::size_t n = 0; done && n < snapshot.parts.size(); ++n) {
      done = connection.run(deadline, "INSERT INTO allot.snapshot_part VALUES ($1, $2, $3)",
                            number_value(campaign), number_value(std::uint64_t{n}),
                            bytes_value(snapshot.parts[n]));
    }
    return done ? connection.run(deadline, "COMMIT") : std::move(done);
  }

  const std::unique_ptr<PostgresPool> pool_;
  const PostgresReader reader_{*pool_};
  PostgresContents contents_{*pool_};
  const AppendRules rules_;
  std::mutex mutex_;
  std::map<std::string, std::mutex, std::less<>> turns_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_postgres_with(const std::string& location,
                                                  const PostgresOptions& options,
                                                  const AppendRules& rules) {
  auto pool = std::make_unique<PostgresPool>(location, TRY(shown_database(location)), options);
  TRY(prepare(*pool, postgres_ledger()));
  return std::make_unique<PostgresStore>(std::move(pool), rules);
}

Result<std::unique_ptr<Store>> open_postgres(const std::string& location,
                                             const PostgresOptions& options) {
  return open_postgres_with(location, options, {});
}

}  // namespace allot::store
