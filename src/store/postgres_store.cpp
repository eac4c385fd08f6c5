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
    auto ledger = TRY(reader_.read(campaign_, after, most, head_ ? head_->last : UINT64_MAX));
    if (!head_) head_ = ledger.head;
    return std::move(ledger.records);
  }

  Result<void> look_for(std::span<const std::string> keys) override {
    if (keys.empty()) return {};
    TRY(look());
    for (Record& record : TRY(reader_.find_all(campaign_, keys, head_->last))) {
      std::string key = record.key;
      known_.insert_or_assign(std::move(key), std::move(record));
    }
    for (const std::string& key : keys) known_.try_emplace(key, std::nullopt);
    return {};
  }

  Result<std::optional<Record>> find(std::string_view key) override {
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    TRY(look());
    return reader_.find(campaign_, key, head_->last);
  }

  Result<std::optional<std::string>> content(std::uint32_t item) override {
    return contents_.find(campaign_, item);
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
    return contents_.find(campaign, item);
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
    const PostgresHead head = TRY(enter(*pool_, campaign));
    const Deadline deadline = pool_->deadline();
    auto loan = pool_->borrow(deadline);
    const auto done = loan ? save(**loan, deadline, head.id, snapshot)
                           : PostgresResult<PostgresRows>(tl::unexpected(loan.error()));
    // Without its last statement, the transaction ends with the connection.
    return done ? Result<void>() : pool_->refusal(done.error());
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
