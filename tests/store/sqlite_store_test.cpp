#include "allot/store/sqlite_store.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "allot/base/rng.hpp"
#include "store/sqlite.hpp"
#include "support/folder.hpp"

namespace allot::store::sqlite_store_test {
namespace {

namespace fs = std::filesystem;

class SqliteStoreTest : public testing::Test {
 protected:
  test::Folder folder_;
  const std::string path_ = folder_ / "a.db";

  std::unique_ptr<Store> open(const SqliteOptions& options = {.mode = OpenMode::create}) const {
    auto store = open_sqlite(path_, options);
    EXPECT_TRUE(store) << store.error().message;
    return std::move(*store);
  }

  void expect_refusal(const SqliteOptions& options, const std::string& words) const {
    const auto store = open_sqlite(path_, options);
    ASSERT_FALSE(store) << words;
    EXPECT_EQ(store.error().code, ErrorCode::store_failure);
    EXPECT_NE(store.error().message.find(words), std::string::npos) << store.error().message;
    EXPECT_NE(store.error().message.find(path_.substr(0, 30)), std::string::npos);
  }

  void sql(const std::string& text) const {
    sqlite3* file = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &file), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(file, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(file);
    sqlite3_close(file);
  }
};

std::vector<Draft> some(std::size_t count, std::size_t bytes = 10) {
  return std::vector<Draft>(count, {1, 2, "", std::string(bytes, 'x')});
}

TEST_F(SqliteStoreTest, FindsWhatWasKeptBefore) {
  const Draft one{3, 4, "k", "payload"};
  ASSERT_TRUE(open()->append("a", 0, std::vector{one}, std::vector{Content{5, "text"}}));
  const auto store = open({.mode = OpenMode::read});
  EXPECT_EQ(store->read("a", 0, 9).value(), (std::vector{Record{one, 1}}));
  EXPECT_EQ(store->content("a", 5).value(), "text");
}

TEST_F(SqliteStoreTest, IsOneFileOnceItIsClosed) {
  ASSERT_TRUE(open()->append("a", 0, some(100)));
  EXPECT_FALSE(fs::exists(path_ + "-wal"));
  fs::rename(path_, folder_ / "b.db");
  const auto moved = open_sqlite(folder_ / "b.db", {.mode = OpenMode::read});
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_EQ((*moved)->last("a").value(), 100U);
}

TEST_F(SqliteStoreTest, ALogThatIsTidiedAsideDoesNotGrow) {
  constexpr std::uint64_t kCommits = 400, kEach = 50;  // 80 MB, of which a log holds 16 and a bit
  {
    const auto store = open({.mode = OpenMode::create, .background_checkpoint = true});
    for (std::uint64_t n = 0; n < kCommits; ++n) {
      ASSERT_TRUE(store->append("a", n * kEach, some(kEach, 4000)));
    }
    EXPECT_LT(fs::file_size(path_ + "-wal"), 60U << 20);
    EXPECT_GT(fs::file_size(path_), 20U << 20);
  }
  EXPECT_FALSE(fs::exists(path_ + "-wal"));
  const auto store = open({.mode = OpenMode::read});
  EXPECT_EQ(store->last("a").value(), kCommits * kEach);
  EXPECT_EQ(store->read("a", kCommits * kEach - 1, 9)->size(), 1U);
}

TEST_F(SqliteStoreTest, OpensOnlyWhatIsThereUnlessToldToMakeIt) {
  expect_refusal({.mode = OpenMode::write}, "there is no file");
  expect_refusal({.mode = OpenMode::read}, "there is no file");
  EXPECT_FALSE(fs::exists(path_));
  const auto nowhere = open_sqlite(folder_ / "no/such/a.db", {.mode = OpenMode::create});
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("there is no folder"), std::string::npos);
}

TEST_F(SqliteStoreTest, RefusesWhatIsNoCampaignFile) {
  for (const char* text : {"item,worker,label\n1,2,3\n", "x"}) {
    folder_.file("a.db", text);
    for (const OpenMode mode : {OpenMode::read, OpenMode::write, OpenMode::create}) {
      expect_refusal({.mode = mode}, "not a campaign file");
    }
    EXPECT_EQ(test::read_file(path_), text);
  }
}

TEST_F(SqliteStoreTest, RefusesADatabaseOfSomebodyElse) {
  sql("CREATE TABLE t (x)");
  expect_refusal({.mode = OpenMode::create}, "not a campaign file");
}

TEST_F(SqliteStoreTest, RefusesAFileOfANewerFormatAndLeavesItAlone) {
  open();
  sql("PRAGMA user_version = 1000");
  for (const OpenMode mode : {OpenMode::read, OpenMode::write, OpenMode::create}) {
    expect_refusal({.mode = mode}, "written by a newer allot (format 1000)");
  }
}

/// Makes a file one of format 2, or with more of it of format 1.
constexpr const char* kToFormat2 = R"(
  DROP TABLE key; ALTER TABLE campaign DROP COLUMN salt; ALTER TABLE campaign DROP COLUMN indexed;
  ALTER TABLE campaign DROP COLUMN in_log;
  CREATE UNIQUE INDEX record_key ON record (campaign, key) WHERE key IS NOT NULL;
  PRAGMA user_version = 2;)";

TEST_F(SqliteStoreTest, BringsAnOlderFileUpToDate) {
  ASSERT_TRUE(open()->append("a", 0, some(5)));
  ASSERT_TRUE(open()->append("b", 0, some(3)));
  sql(std::string(kToFormat2) + "ALTER TABLE campaign DROP COLUMN last; PRAGMA user_version = 1");
  EXPECT_EQ(open({.mode = OpenMode::read})->read("a", 0, 100)->size(), 5U)
      << "for every process that opens it";
  const auto store = open();
  EXPECT_EQ(store->read("a", 0, 100)->size(), 5U);
  EXPECT_EQ(store->read("b", 0, 100)->size(), 3U);
  ASSERT_TRUE(store->append("b", 3, some(2)));
  sql("DELETE FROM record WHERE sequence = 5");
  EXPECT_FALSE(store->read("a", 0, 100));
  EXPECT_FALSE(store->read("b", 0, 100));
}

TEST_F(SqliteStoreTest, FindsTheKeysOfAnOlderFile) {
  for (const char* name : {"a", "b"}) {
    std::vector<Draft> drafts = some(50);
    for (std::size_t n = 0; n < drafts.size(); n += 2) drafts[n].key = "k" + std::to_string(n);
    ASSERT_TRUE(open()->append(name, 0, drafts));
  }
  sql(kToFormat2);
  const auto store = open();
  for (std::size_t n = 0; n < 50; ++n) {
    const auto found = store->find("b", "k" + std::to_string(n));
    ASSERT_TRUE(found);
    ASSERT_EQ(found->has_value(), n % 2 == 0) << n;
    if (n % 2 == 0) {
      EXPECT_EQ((*found)->sequence, n + 1);
    }
  }
  const auto again = store->append("b", 50, std::vector{Draft{1, 2, "k48", ""}});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::conflict);
  ASSERT_TRUE(store->append("b", 50, std::vector{Draft{1, 2, "k49", ""}}));
  EXPECT_EQ(store->find("b", "k49").value()->sequence, 51U);
}

/// Two stores on one file, one that stays open and one that comes and goes, append in turns.
class TwoStoresTest : public SqliteStoreTest {
 protected:
  TwoStoresTest() {
    stores_.push_back(open({.mode = OpenMode::create, .background_checkpoint = true}));
    stores_.push_back(open());
  }

  void expect_known(Store& store, const std::string& key) {
    expect_known(store.find("a", key), key);
  }
  void expect_known(const Result<std::optional<Record>>& found, const std::string& key) {
    ASSERT_TRUE(found) << found.error().message;
    const auto known = known_.find(key);
    ASSERT_EQ(found->has_value(), known != known_.end()) << key;
    if (found->has_value()) {
      ASSERT_EQ((*found)->sequence, known->second) << key;
    }
  }
  std::string any_key() { return "key " + std::to_string(random_() % (next_ + next_ / 10 + 1)); }

  /// Appends some records, `keyed` of ten with a key; one turn in ten ends without a commit.
  void append(Store& store, unsigned keyed) {
    auto turn = store.begin("a").value();
    std::vector<Draft> drafts = some(1 + random_() % 120, 4);
    std::map<std::string, std::uint64_t> added;
    for (std::size_t n = 0; n < drafts.size(); ++n) {
      if (random_() % 10 >= keyed) continue;
      drafts[n].key = "key " + std::to_string(next_++);
      added.emplace(drafts[n].key, last_ + n + 1);
      if (random_() % 2 == 0) expect_known(turn->find(drafts[n].key), drafts[n].key);
    }
    ASSERT_TRUE(turn->append(drafts));
    if (!added.empty()) expect_known(store, added.begin()->first);  // not before the commit
    if (random_() % 10 == 0) return;
    ASSERT_TRUE(turn->commit());
    last_ += drafts.size();
    known_.merge(added);
  }
  void expect_conflict(Store& store, const std::string& key) {
    const auto again = store.append("a", last_, std::vector{Draft{1, 2, key, ""}});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::conflict);
  }

  std::vector<std::unique_ptr<Store>> stores_;
  std::map<std::string, std::uint64_t> known_;
  std::uint64_t last_ = 0, next_ = 0;
  std::mt19937 random_{5};
};

TEST_F(TwoStoresTest, FindEveryCommittedKeyAndNoOther) {
  for (int round = 0; round < 1500; ++round) {
    // Most records have a key for a while, then few of them.
    append(*stores_[random_() % 8 == 0], round % 300 < 250 ? 9 : 1);
    for (const auto& store : stores_) expect_known(*store, any_key());
    if (round % 100 == 50) stores_[1] = open();
    if (round % 500 == 250) {
      for (const auto& store : stores_) expect_conflict(*store, known_.begin()->first);
    }
  }
  EXPECT_GT(next_, 60'000U) << "enough that keys went into the table more than once";
  stores_.clear();
  const auto fresh = open({.mode = OpenMode::read});
  for (const auto& [key, sequence] : known_) {
    ASSERT_EQ(fresh->find("a", key).value()->sequence, sequence) << key;
  }
}

/// While one thread appends, and keys go into the table, others look for them.
TEST_F(SqliteStoreTest, FindsKeysWhileOthersAreAppended) {
  const auto store = open({.mode = OpenMode::create, .background_checkpoint = true});
  constexpr std::size_t kAtOnce = 500, kKeys = 80'000;
  std::atomic<std::uint64_t> committed = 0;
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> looking;
    for (unsigned thread = 0; thread < 3; ++thread) {
      looking.emplace_back([&, random = std::mt19937(thread)]() mutable {
        while (committed < kKeys) {
          const std::uint64_t there = committed;
          if (there == 0) continue;
          const std::uint64_t n = random() % 4 == 0 ? there : 1 + random() % there;
          const auto found = store->find("a", "k" + std::to_string(n));
          wrong += !found || !*found || (*found)->sequence != n;
        }
      });
    }
    for (std::size_t n = 0; n < kKeys; n += kAtOnce) {
      std::vector<Draft> drafts = some(kAtOnce);
      for (std::size_t i = 0; i < kAtOnce; ++i) drafts[i].key = "k" + std::to_string(n + i + 1);
      ASSERT_TRUE(store->append("a", n, drafts));
      committed = n + kAtOnce;
    }
  }
  EXPECT_EQ(wrong, 0);
  for (std::uint64_t n = 1; n <= kKeys; n += 97) {
    EXPECT_EQ(store->find("a", "k" + std::to_string(n)).value()->sequence, n);
  }
}

/// Else each that comes would have more of them to read.
TEST_F(SqliteStoreTest, WhoComesAndGoesPutsAllKeysIntoTheTable) {
  const auto keyed = [](std::size_t first, std::size_t count) {
    std::vector<Draft> drafts = some(count);
    for (std::size_t n = 0; n < count; ++n) drafts[n].key = "k" + std::to_string(first + n);
    return drafts;
  };
  constexpr std::size_t kKeys = 10'000;
  ASSERT_TRUE(open({.mode = OpenMode::create, .background_checkpoint = true})
                  ->append("a", 0, keyed(0, kKeys)));
  const auto in_table = [&] {
    return Connection::open(path_, SQLITE_OPEN_READONLY, 0)
        .and_then([](const auto& file) { return file->number("SELECT count(*) FROM key"); })
        .value();
  };
  EXPECT_EQ(in_table(), 0);
  const auto again = open()->append("a", kKeys, keyed(7, 1));
  EXPECT_FALSE(again) << "it is known, wherever it is";
  ASSERT_TRUE(open()->append("a", kKeys, keyed(kKeys, 1)));
  EXPECT_EQ(in_table(), kKeys);
  EXPECT_EQ(open()->find("a", "k9999").value()->sequence, kKeys);
}

TEST_F(SqliteStoreTest, NoticesThatTheEndOfTheLedgerIsLost) {
  ASSERT_TRUE(open()->append("a", 0, some(9)));
  sql("DELETE FROM record WHERE sequence > 6");
  const auto store = open();
  for (const std::uint64_t after : {0U, 5U, 6U}) {
    const auto read = store->read("a", after, 100);
    ASSERT_FALSE(read) << after;
    EXPECT_NE(read.error().message.find("ends at record 6 instead of 9"), std::string::npos)
        << read.error().message;
  }
  EXPECT_EQ(store->read("a", 0, 3)->size(), 3U);
  EXPECT_FALSE(store->begin("a"));
}

TEST_F(SqliteStoreTest, RefusesAFileWhoseLogIsMissing) {
  const std::string copy = folder_ / "b.db";
  const auto opened_copy = [&](OpenMode mode) { return open_sqlite(copy, {.mode = mode}); };
  const auto store = open({.mode = OpenMode::create, .background_checkpoint = true});
  for (std::uint64_t n = 0; n < 4; ++n) {
    ASSERT_TRUE(store->append("a", n * 10, some(10)));
    fs::copy_file(path_, copy, fs::copy_options::overwrite_existing);
    for (const OpenMode mode : {OpenMode::read, OpenMode::write, OpenMode::create}) {
      const auto refused = opened_copy(mode);
      ASSERT_FALSE(refused) << n;
      EXPECT_NE(refused.error().message.find("the newest records are missing"), std::string::npos)
          << refused.error().message;
    }
    fs::copy_file(path_ + "-wal", copy + "-wal", fs::copy_options::overwrite_existing);
    EXPECT_EQ(opened_copy(OpenMode::write).value()->last("a").value(), 10 * (n + 1));
    EXPECT_FALSE(fs::exists(copy + "-wal"));
  }
}

TEST_F(SqliteStoreTest, IsWholeWithoutItsLogOnceItRests) {
  const std::string copy = folder_ / "b.db";
  const auto store = open({.mode = OpenMode::create, .background_checkpoint = true});
  for (std::uint64_t n = 0; n < 3; ++n) {
    ASSERT_TRUE(store->append("a", n * 10, some(10)));
    open();  // another process comes and goes
    store->rest();
    fs::copy_file(path_, copy, fs::copy_options::overwrite_existing);
    const auto opened = open_sqlite(copy, {.mode = OpenMode::read});
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ((*opened)->read("a", 0, 100)->size(), 10 * (n + 1));
  }
}

TEST_F(SqliteStoreTest, RefusesAFileThatIsCutShort) {
  ASSERT_TRUE(open()->append("a", 0, some(2000, 100)));
  sql("PRAGMA journal_mode = DELETE");  // all of it into the file
  fs::resize_file(path_, fs::file_size(path_) / 2);
  expect_refusal({.mode = OpenMode::write}, "the file is cut short");
  expect_refusal({.mode = OpenMode::read}, "the file is cut short");
}

TEST_F(SqliteStoreTest, NamesTheRecordThatIsDamagedOrMissing) {
  ASSERT_TRUE(open()->append("a", 0, some(5)));
  sql("UPDATE record SET payload = x'00' WHERE sequence = 3");
  const auto damaged = open()->read("a", 0, 9);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().code, ErrorCode::store_failure);
  EXPECT_NE(damaged.error().message.find("record 3 does not match its checksum"),
            std::string::npos);
  EXPECT_EQ(open()->read("a", 3, 9)->size(), 2U);
  sql("DELETE FROM record WHERE sequence = 4");
  EXPECT_NE(open()->read("a", 3, 9).error().message.find("record 4 is missing"), std::string::npos);
}

TEST_F(SqliteStoreTest, AFullDiskKeepsNothingOfTheBatchAndSaysSo) {
  const auto store = open({.mode = OpenMode::create, .largest_file = 200'000});
  ASSERT_TRUE(store->append("a", 0, some(10)));
  const auto done = store->append("a", 10, some(1000, 1000));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::store_failure);
  EXPECT_NE(done.error().message.find("the disk is full"), std::string::npos)
      << done.error().message;
  EXPECT_EQ(store->last("a").value(), 10U);
  EXPECT_TRUE(store->append("a", 10, some(1)));
}

TEST_F(SqliteStoreTest, OpenedForReadingRefusesToAppend) {
  ASSERT_TRUE(open()->append("a", 0, some(1)));
  const auto store = open({.mode = OpenMode::read});
  const auto done = store->append("a", 1, some(1));
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("reading only"), std::string::npos);
}

TEST_F(SqliteStoreTest, AFileThatMayNotBeWrittenCanBeRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everything";
  ASSERT_TRUE(open()->append("a", 0, some(1)));
  fs::permissions(path_, fs::perms::owner_read);
  EXPECT_EQ(open({.mode = OpenMode::read})->last("a").value(), 1U);
  const auto store = open_sqlite(path_, {.mode = OpenMode::write});
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message.find("read-only"), std::string::npos) << store.error().message;
}

TEST_F(SqliteStoreTest, WaitsForAnotherProcessOnlySoLong) {
  const auto one = open(),
             other = open({.mode = OpenMode::write, .timeout = std::chrono::milliseconds(10)});
  auto turn = one->begin("a").value();
  const auto late = other->begin("a");
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().message.find("another process"), std::string::npos);
  turn.reset();
  EXPECT_TRUE(other->begin("a"));
}

/// Appends batches of three until it dies, and says which are acknowledged.
[[noreturn]] void append_until_killed(const std::string& path, int acknowledged) {
  const auto store = open_sqlite(path, {.mode = OpenMode::create});
  if (!store) _exit(1);
  while (true) {
    auto turn = (*store)->begin("a");
    if (!turn || !(*turn)->append(some(3)) || !(*turn)->commit()) _exit(1);
    turn->reset();
    const std::uint64_t last = (*store)->last("a").value();
    if (write(acknowledged, &last, sizeof last) != sizeof last) _exit(1);
  }
}

TEST_F(SqliteStoreTest, KilledAtAnyMomentNothingAcknowledgedIsLost) {
  Rng rng(1);
  for (int round = 0; round < 20; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) append_until_killed(path_, ends[1]);
    close(ends[1]);
    std::uint64_t acknowledged = 0, one = 0;
    for (std::uint64_t n = below(rng, 20); n > 0; --n) {
      ASSERT_EQ(read(ends[0], &one, sizeof one), static_cast<ssize_t>(sizeof one));
      acknowledged = one;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(below(rng, 2'000)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(ends[0], &one, sizeof one) == sizeof one) acknowledged = one;
    close(ends[0]);
    const auto store = open();
    const std::uint64_t last = store->last("a").value();
    EXPECT_GE(last, acknowledged);
    EXPECT_EQ(last % 3, 0U);  // batches are whole
    EXPECT_EQ(store->read("a", 0, 1'000'000)->size(), last);
  }
}

TEST_F(SqliteStoreTest, ProcessesShareAFile) {
  open();
  std::vector<pid_t> children;
  constexpr int kEach = 50;
  for (int n = 0; n < 4; ++n) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    const auto store = open_sqlite(path_);
    int status = store ? 0 : 1;
    for (int i = 0; status == 0 && i < kEach; ++i) {
      auto turn = (*store)->begin("a");
      if (!turn) _exit(2);
      const Draft next{1, 1, "", std::to_string((*store)->last("a").value() + 1)};
      if (!(*turn)->append(std::vector{next}) || !(*turn)->commit()) status = 3;
    }
    _exit(status);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  const auto all = open()->read("a", 0, 1000).value();
  ASSERT_EQ(all.size(), std::size_t{4 * kEach});
  for (const Record& one : all) EXPECT_EQ(one.payload, std::to_string(one.sequence));
}

}  // namespace
}  // namespace allot::store::sqlite_store_test
