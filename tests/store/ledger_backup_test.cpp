#include "store/ledger_backup.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "allot/store/sqlite_store.hpp"
#include "store/sqlite.hpp"
#include "support/folder.hpp"

namespace allot::store::ledger_backup_test {
namespace {

namespace fs = std::filesystem;

class LedgerBackupTest : public testing::Test {
 protected:
  test::Folder folder_;
  const std::string path_ = folder_ / "a.db", copy_ = folder_ / "copy.db",
                    part_ = folder_ / "part.db";
  std::unique_ptr<Store> store_ =
      open_sqlite(path_, {.mode = OpenMode::create, .background_checkpoint = true}).value();
  std::uint64_t last_ = 0;
  std::uint32_t items_ = 0;

  /// Records of which every second has a key, and a content per record.
  void append(std::size_t count) {
    std::vector<Draft> drafts;
    std::vector<Content> contents;
    for (std::size_t n = 0; n < count; ++n) {
      const std::uint64_t next = last_ + n + 1;
      drafts.push_back({static_cast<std::int64_t>(next), 3,
                        next % 2 == 0 ? "key " + std::to_string(next) : "",
                        "payload " + std::to_string(next)});
      contents.push_back({items_++, "text " + std::to_string(next)});
    }
    ASSERT_TRUE(store_->append("a", last_, drafts, contents));
    last_ += count;
  }
  std::unique_ptr<LedgerSource> source() const {
    auto source = LedgerSource::open(path_);
    EXPECT_TRUE(source) << source.error().message;
    return *std::move(source);
  }
  void expect_same(Store& copy, std::uint64_t last) const {
    EXPECT_EQ(copy.read("a", 0, last).value(), store_->read("a", 0, last).value());
    EXPECT_EQ(copy.last("a").value(), last);
    EXPECT_EQ(copy.contents("a", 0, last).value(), store_->contents("a", 0, last).value());
    for (std::uint64_t n = 2; n <= last; n += 2) {
      ASSERT_EQ(copy.find("a", "key " + std::to_string(n)).value()->sequence, n);
    }
  }
};

TEST_F(LedgerBackupTest, CopiesTheFileAsItWasWhenItWasOpened) {
  append(50);
  const auto held = source();
  append(30);
  ASSERT_TRUE(held->copy_to(copy_));
  EXPECT_EQ(held->end().last, 50U);
  EXPECT_FALSE(fs::exists(copy_ + "-wal"));
  const auto copy = open_sqlite(copy_, {.mode = OpenMode::read});
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ((*copy)->last("a").value(), 50U);
  expect_same(**copy, 50);
}

TEST_F(LedgerBackupTest, AWholeCopyAndItsPartsAreTheCampaign) {
  append(20);
  const LedgerPosition first = source()->end();
  ASSERT_TRUE(source()->copy_to(copy_));
  append(12'345);
  const LedgerPosition second = source()->end();
  EXPECT_TRUE(source()->continues(first).value());
  ASSERT_TRUE(source()->write_part(first, part_));
  append(7);
  ASSERT_TRUE(source()->write_part(second, folder_ / "part2.db"));
  const auto copy = open_sqlite(copy_).value();
  const auto part = LedgerSource::open_part(part_).value();
  EXPECT_TRUE(part->check(first.last));
  EXPECT_EQ(part->end(), second);
  const auto late = LedgerSource::open_part(folder_ / "part2.db").value();
  EXPECT_FALSE(late->append_to(*copy, second)) << "a part is missing before it";
  ASSERT_TRUE(part->append_to(*copy, first));
  ASSERT_TRUE(late->append_to(*copy, second));
  expect_same(*copy, last_);
}

TEST_F(LedgerBackupTest, APartIsNoCampaignAndACampaignNoPart) {
  append(3);
  ASSERT_TRUE(source()->write_part({}, part_));
  EXPECT_FALSE(open_sqlite(part_, {.mode = OpenMode::read}));
  EXPECT_FALSE(LedgerSource::open(part_));
  EXPECT_FALSE(LedgerSource::open_part(path_));
}

TEST_F(LedgerBackupTest, NoticesThatTwoLedgersPartedWays) {
  append(20);
  const LedgerPosition before = source()->end();
  LedgerPosition other = before;
  other.checksum ^= 1;
  EXPECT_FALSE(source()->continues(other).value()) << "another record at its end";
  other = before;
  other.last = 21;
  EXPECT_FALSE(source()->continues(other).value()) << "longer than the ledger";
  append(1);
  EXPECT_TRUE(source()->continues(before).value());
}

TEST_F(LedgerBackupTest, RefusesDamageOfTheSourceAndOfAPart) {
  append(20);
  const auto damage = [](const std::string& path) {
    const auto file = Connection::open(path, 2 /* to read and write */, 1000);
    ASSERT_TRUE(file && (*file)->execute("UPDATE record SET payload = x'00' WHERE sequence = 15"));
  };
  ASSERT_TRUE(source()->write_part({}, part_));
  damage(part_);
  const auto refused = LedgerSource::open_part(part_).value()->check(0);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("record 15"), std::string::npos);
  damage(path_);
  EXPECT_FALSE(source()->check(0));
  EXPECT_FALSE(source()->write_part({}, folder_ / "other.db"));
}

TEST_F(LedgerBackupTest, RefusesAPartWhoseItemsAreOutOfPlace) {
  append(20);
  ASSERT_TRUE(source()->write_part({}, part_));
  const auto refusal = [&](const std::string& item) {
    const auto file = Connection::open(part_, 2 /* to read and write */, 1000);
    EXPECT_TRUE((*file)->execute("UPDATE content SET item = " + item +
                                 " WHERE item = (SELECT max(item) FROM content)"));
    const auto part = LedgerSource::open_part(part_);
    return part ? "" : part.error().message;
  };
  EXPECT_EQ(refusal("4294967295"), "");
  EXPECT_NE(refusal("4294967296").find("its last item has the number"), std::string::npos);
  EXPECT_NE(refusal("9223372036854775807").find("its last item"), std::string::npos);
}

}  // namespace
}  // namespace allot::store::ledger_backup_test
