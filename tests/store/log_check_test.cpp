#include "store/log_check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "allot/base/rng.hpp"
#include "allot/store/sqlite_store.hpp"
#include "support/folder.hpp"

namespace allot::store::log_check_test {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kHeader = 32, kFrame = 24 + 4096;

/// A store with 20 batches of records in its log, and copies of its files as a kill leaves them.
class LogCheck : public testing::Test {
 protected:
  static constexpr std::uint64_t kBatches = 20, kRecords = 3;

  void SetUp() override {
    store_ = open_sqlite(path_, {.mode = OpenMode::create}).value();
    for (std::uint64_t n = 0; n < kBatches; ++n) append();
  }

  void append() {
    const std::vector<Draft> batch(kRecords, {1, 2, "", std::string(1500, 'x')});
    ASSERT_TRUE(store_->append("a", store_->last("a").value(), batch));
  }

  enum class Index { copied, missing };
  void copy_files(Index index) {
    for (const char* const part : {"", "-wal", "-shm"}) fs::remove(copy_ + part);
    fs::copy_file(path_, copy_);
    fs::copy_file(path_ + "-wal", copy_ + "-wal");
    if (index == Index::copied) fs::copy_file(path_ + "-shm", copy_ + "-shm");
  }

  std::uintmax_t log_size() const { return fs::file_size(copy_ + "-wal"); }
  std::uintmax_t frames() const { return (log_size() - kHeader) / kFrame; }

  void flip_bit(std::uintmax_t at) const {
    std::fstream log(copy_ + "-wal", std::ios::binary | std::ios::in | std::ios::out);
    log.seekg(static_cast<std::streamoff>(at));
    const auto byte = static_cast<char>(log.get() ^ 4);
    log.seekp(static_cast<std::streamoff>(at));
    log.put(byte);
  }

  Result<std::uint64_t> records_in_copy() const {
    return open_sqlite(copy_, {.mode = OpenMode::write}).and_then([](const auto& store) {
      return store->last("a");
    });
  }

  void expect_refusal(const std::string& words) const {
    for (const OpenMode mode : {OpenMode::read, OpenMode::write, OpenMode::create}) {
      const auto opened = open_sqlite(copy_, {.mode = mode});
      ASSERT_FALSE(opened) << words;
      EXPECT_EQ(opened.error().code, ErrorCode::store_failure);
      EXPECT_NE(opened.error().message.find(words), std::string::npos) << opened.error().message;
    }
  }

  test::Folder folder_;
  const std::string path_ = folder_ / "a.db", copy_ = folder_ / "b.db";
  std::unique_ptr<Store> store_;
};

TEST_F(LogCheck, AcceptsWhatAKillLeaves) {
  for (const Index index : {Index::copied, Index::missing}) {
    copy_files(index);
    EXPECT_EQ(records_in_copy().value(), kBatches * kRecords);
  }
}

TEST_F(LogCheck, RefusesALogThatWasCutOff) {
  for (std::uintmax_t lost = 1; lost < 12; ++lost) {
    copy_files(Index::copied);
    const auto all = frames();
    fs::resize_file(copy_ + "-wal", log_size() - lost * kFrame);
    expect_refusal(fmt::format("{} of its {} pages can be read", all - lost, all));
  }
}

TEST_F(LogCheck, RefusesAFileWithoutEvenOnePageInItsLog) {
  for (const std::uintmax_t left : {std::uintmax_t{0}, kHeader, kHeader + 100}) {
    copy_files(Index::missing);
    fs::resize_file(copy_ + "-wal", left);
    expect_refusal("the newest records are missing");
  }
}

TEST_F(LogCheck, RefusesEveryFlippedBitIfTheIndexIsThere) {
  Rng rng(5);
  for (int n = 0; n < 200; ++n) {
    copy_files(Index::copied);
    flip_bit(below(rng, log_size()));
    expect_refusal("the newest records are missing");
  }
}

TEST_F(LogCheck, OpensWhatIsLeftOnceTheLogIsCutBehindTheDamage) {  // docs/guide/backup.md
  copy_files(Index::copied);
  const std::uintmax_t page = frames() / 2;
  flip_bit(kHeader + page * kFrame + 500);
  expect_refusal(fmt::format("{} of its", page));
  fs::resize_file(copy_ + "-wal", kHeader + page * kFrame);
  fs::remove(copy_ + "-shm");
  const std::uint64_t left = records_in_copy().value();
  EXPECT_GT(left, 0U);
  EXPECT_LT(left, kBatches * kRecords);
  EXPECT_EQ(left % kRecords, 0U) << "whole commits";
}

TEST_F(LogCheck, WithoutAnIndexRefusesAFlippedBitUnlessItIsInTheLastCommit) {
  copy_files(Index::missing);
  const std::uintmax_t before = log_size();
  append();  // the log is longer by this commit
  const std::uint64_t all = store_->last("a").value();
  copy_files(Index::missing);
  ASSERT_GT(log_size(), before);
  Rng rng(6);
  for (int n = 0; n < 200; ++n) {
    copy_files(Index::missing);
    const std::uintmax_t at = below(rng, log_size());
    flip_bit(at);
    if (at < before) {
      expect_refusal("the newest records are missing");
    } else {
      EXPECT_EQ(records_in_copy().value(), all - kRecords) << "as after a commit that was cut off";
    }
  }
}

TEST_F(LogCheck, AcceptsACommitThatACrashCutOff) {
  copy_files(Index::missing);
  const std::uintmax_t whole = log_size();
  append();
  const std::uint64_t all = store_->last("a").value();
  for (const std::uintmax_t more : {std::uintmax_t{1}, std::uintmax_t{30}, kFrame - 1}) {
    copy_files(Index::missing);
    fs::resize_file(copy_ + "-wal", whole + more);
    EXPECT_EQ(records_in_copy().value(), all - kRecords);
  }
}

TEST_F(LogCheck, AcceptsALogThatStartedOverWithOldPagesBehindIt) {
  store_->rest();
  append();
  for (const Index index : {Index::copied, Index::missing}) {
    copy_files(index);
    ASSERT_GT(frames(), 8U) << "the old pages are still there";
    EXPECT_EQ(records_in_copy().value(), (kBatches + 1) * kRecords);
  }
}

TEST_F(LogCheck, AcceptsALogThatAnotherConnectionIsWriting) {
  std::atomic<bool> done = false;
  std::thread reader([&] {
    for (int n = 0; n < 300; ++n) {
      const auto checked = check_log_frames(path_);
      EXPECT_TRUE(checked) << checked.error().message;
    }
    done = true;
  });
  for (int n = 0; n < 20'000 && !done; ++n) {
    append();
    if (n % 7 == 0) store_->rest();
  }
  reader.join();
}

}  // namespace
}  // namespace allot::store::log_check_test
