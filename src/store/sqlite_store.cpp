#include "allot/store/sqlite_store.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "store/ledger_file.hpp"
#include "store/sqlite_turn.hpp"

namespace allot::store {
namespace {

/// Numbers of campaigns, which never change once they are committed.
class CampaignIds {
 public:
  std::optional<std::int64_t> find(std::string_view campaign) const {
    const std::scoped_lock lock(mutex_);
    const auto known = ids_.find(campaign);
    return known == ids_.end() ? std::nullopt : std::optional(known->second);
  }
  void keep(std::string_view campaign, std::int64_t id) {
    const std::scoped_lock lock(mutex_);
    ids_.emplace(campaign, id);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t, std::less<>> ids_;
};

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(std::unique_ptr<LedgerFile> file) : file_(std::move(file)) {}

  Result<std::vector<std::string>> campaigns() override {
    return file_->reader().select(
        "SELECT name FROM campaign c WHERE EXISTS"
        " (SELECT 1 FROM record WHERE campaign = c.id) ORDER BY id",
        [](Statement&) {}, std::vector<std::string>(),
        [](Statement& rows, std::vector<std::string>& names) {
          names.emplace_back(rows.bytes(0));
          return Result<void>();
        });
  }

  Result<std::uint64_t> last(std::string_view campaign) override {
    return file_->reader().select(
        "SELECT coalesce(max(sequence), 0) FROM record"
        " WHERE campaign = (SELECT id FROM campaign WHERE name = ?1)",
        [&](Statement& rows) { rows.bind(1, campaign); }, std::uint64_t{0}, take_number);
  }

  Result<std::vector<Record>> read(std::string_view campaign, std::uint64_t after,
                                   std::size_t most) override {
    const LedgerReader reader = file_->reader();
    const auto id = TRY(id_of(reader, campaign));
    // The end first: a commit in between only makes the ledger longer than it must be.
    const auto end = TRY(reader.select(
        "SELECT last FROM campaign WHERE id = ?1", [&](Statement& rows) { rows.bind(1, id); },
        std::uint64_t{0}, take_number));
    std::uint64_t expected = after;
    auto records = TRY(reader.select(
        "SELECT sequence, time, kind, key, payload, checksum FROM record"
        " WHERE campaign = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3",
        [&](Statement& rows) {
          rows.bind(1, id).bind(2, to_signed(after)).bind(3, to_signed(most));
        },
        std::vector<Record>(),
        [&](Statement& rows, std::vector<Record>& found) {
          return record_of(rows, ++expected, file_->path()).map([&](Record record) {
            found.push_back(std::move(record));
          });
        }));
    if (records.size() < most && expected < end) return cut_off(file_->path(), expected, end);
    return records;
  }

  Result<std::optional<Record>> find(std::string_view campaign, std::string_view key) override {
    SqliteTurn* const turn = file_->own_turn();
    if (turn && turn->campaign() == campaign) return turn->find(key);
    const LedgerReader reader = file_->reader();
    const CampaignRow row = TRY(reader.campaign(campaign));
    return file_->keys().find(reader, row, key);
  }

  Result<std::optional<std::string>> content(std::string_view campaign,
                                             std::uint32_t item) override {
    const LedgerReader reader = file_->reader();
    const auto id = TRY(id_of(reader, campaign));
    return reader.select(
        "SELECT fields FROM content WHERE campaign = ?1 AND item = ?2",
        [&](Statement& rows) { rows.bind(1, id).bind(2, std::int64_t{item}); },
        std::optional<std::string>(),
        [](Statement& rows, std::optional<std::string>& found) {
          found = rows.bytes(0);
          return Result<void>();
        });
  }

  Result<std::optional<Snapshot>> snapshot(std::string_view campaign) override {
    // One statement, so that no other snapshot comes between the parts of this one.
    return file_->reader().select(
        "SELECT s.sequence, p.bytes FROM snapshot s JOIN snapshot_part p ON p.campaign = s.campaign"
        " WHERE s.campaign = (SELECT id FROM campaign WHERE name = ?1) ORDER BY p.part",
        [&](Statement& rows) { rows.bind(1, campaign); }, std::optional<Snapshot>(),
        [](Statement& rows, std::optional<Snapshot>& found) {
          if (!found) found.emplace();
          found->sequence = static_cast<std::uint64_t>(rows.number(0));
          found->parts.emplace_back(rows.bytes(1));
          return Result<void>();
        });
  }

  Result<void> save(std::string_view campaign, const Snapshot& snapshot) override {
    const auto turn = TRY(begin_turn(campaign));
    TRY(turn->save(snapshot));
    return turn->commit();
  }

  Result<std::unique_ptr<Turn>> begin(std::string_view campaign) override {
    return begin_turn(campaign);
  }

 private:
  static Result<void> take_number(Statement& rows, std::uint64_t& number) {
    number = static_cast<std::uint64_t>(rows.number(0));
    return {};
  }

  Result<std::unique_ptr<SqliteTurn>> begin_turn(std::string_view campaign) {
    if (file_->writer()) return SqliteTurn::begin(*file_, campaign);
    return fail(ErrorCode::store_failure,
                fmt::format("{}: the file is open for reading only; expected one that can be "
                            "written",
                            in_quotes(file_->path())));
  }

  /// The number of a campaign; 0 if there is none.
  Result<std::int64_t> id_of(const LedgerReader& reader, std::string_view campaign) {
    if (const auto known = ids_.find(campaign)) return *known;
    const std::int64_t id = TRY(reader.campaign(campaign)).id;
    // The thread that has the turn may see a campaign that is never committed.
    if (id > 0 && !file_->own_turn()) ids_.keep(campaign, id);
    return id;
  }

  const std::unique_ptr<LedgerFile> file_;
  CampaignIds ids_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite(const std::string& path, const SqliteOptions& options) {
  return std::make_unique<SqliteStore>(TRY(LedgerFile::open(path, options)));
}

}  // namespace allot::store
