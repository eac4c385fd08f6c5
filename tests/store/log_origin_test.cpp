#include "store/log_origin.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "allot/store/sqlite_store.hpp"
#include "support/folder.hpp"

namespace allot::store::log_origin_test {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A store, and a second file that is put together from copies of its file and its log.
class LogOrigin : public testing::Test {
 protected:
  static constexpr std::uint64_t kRecords = 3;

  void SetUp() override {
    store_ = open_sqlite(path_, {.mode = OpenMode::create}).value();
    append(10);
  }

  void append(int batches) {
    for (int n = 0; n < batches; ++n) {
      const std::vector<Draft> batch(kRecords, {1, 2, "", std::string(1500, 'x')});
      ASSERT_TRUE(store_->append("a", store_->last("a").value(), batch));
    }
  }

  void copy(const std::string& part) const {
    fs::copy_file(path_ + part, copy_ + part, fs::copy_options::overwrite_existing);
  }
  void copy_file() const { copy(""); }
  void copy_log() const { copy("-wal"); }
  void copy_index() const { copy("-shm"); }

  Result<std::uint64_t> records_in_copy() const {
    return open_sqlite(copy_, {.mode = OpenMode::write}).and_then([](const auto& store) {
      return store->last("a");
    });
  }

  /// Expects that the pair is refused, and stays as it is.
  void expect_refusal(const std::string& words) const {
    const std::string file = bytes_of(copy_), log = bytes_of(copy_ + "-wal");
    for (const OpenMode mode : {OpenMode::read, OpenMode::write, OpenMode::create}) {
      const auto opened = open_sqlite(copy_, {.mode = mode});
      ASSERT_FALSE(opened) << words;
      EXPECT_EQ(opened.error().code, ErrorCode::store_failure);
      EXPECT_NE(opened.error().message.find(words), std::string::npos) << opened.error().message;
    }
    EXPECT_EQ(bytes_of(copy_), file);
    EXPECT_EQ(bytes_of(copy_ + "-wal"), log);
  }

  test::Folder folder_;
  const std::string path_ = folder_ / "a.db", copy_ = folder_ / "b.db";
  std::unique_ptr<Store> store_;
};

TEST_F(LogOrigin, RefusesALogOfZerosWhereRecordsAreInTheLogAlone) {
  for (const bool with_index : {true, false}) {
    for (const std::size_t zeros : {std::size_t{4}, std::size_t{4096}, SIZE_MAX}) {
      copy_file();
      copy_log();
      fs::remove(copy_ + "-shm");
      if (with_index) copy_index();
      std::fstream log(copy_ + "-wal", std::ios::binary | std::ios::in | std::ios::out);
      log << std::string(std::min(zeros, std::size_t{fs::file_size(copy_ + "-wal")}), '\0');
      log.close();
      expect_refusal("it has no header");
    }
  }
}

TEST_F(LogOrigin, AcceptsALogOfZerosBesideAFileAtRest) {
  append(10);
  store_->rest();
  copy_file();
  std::ofstream(copy_ + "-wal", std::ios::binary) << std::string(8192, '\0');
  EXPECT_EQ(records_in_copy().value(), 20 * kRecords);
}

TEST_F(LogOrigin, RefusesTheLogOfAnOlderCopy) {
  copy_log();
  append(10);
  store_->rest();
  copy_file();
  expect_refusal("ends at record 30, and the file at record 60");
  fs::remove(copy_ + "-wal");
  fs::remove(copy_ + "-shm");
  EXPECT_EQ(records_in_copy().value(), 20 * kRecords);
}

TEST_F(LogOrigin, RefusesALogThatBeganAfterTheFileWasCopied) {
  store_->rest();
  copy_file();
  append(10);
  store_->rest();  // the log starts over with the next commit
  append(1);
  copy_log();
  expect_refusal("does not fit this file");
}

TEST_F(LogOrigin, RefusesTheLogOfAnotherFile) {
  store_->rest();
  copy_file();
  const std::string other = folder_ / "c.db";
  const auto store = open_sqlite(other, {.mode = OpenMode::create}).value();
  for (int records = 1; records < 40; ++records) {
    ASSERT_TRUE(store->append("c", store->last("c").value(), std::vector<Draft>(1)));
    fs::copy_file(other + "-wal", copy_ + "-wal", fs::copy_options::overwrite_existing);
    fs::remove(copy_ + "-shm");
    expect_refusal("does not fit this file");
  }
}

TEST_F(LogOrigin, AcceptsAFirstCommitWhoseMarkACrashKeptFromTheFile) {
  store_->rest();
  copy_file();
  append(1);
  copy_log();
  EXPECT_EQ(records_in_copy().value(), 11 * kRecords);
}

TEST_F(LogOrigin, AcceptsALogThatDeletesAndAddsCampaigns) {
  ASSERT_TRUE(store_->append("b", 0, std::vector<Draft>(1)));
  store_->rest();
  copy_file();
  ASSERT_TRUE(store_->remove("b"));
  ASSERT_TRUE(store_->append("c", 0, std::vector<Draft>(2)));
  copy_log();
  EXPECT_EQ(records_in_copy().value(), 10 * kRecords);
  const auto copy = open_sqlite(copy_, {.mode = OpenMode::read}).value();
  EXPECT_EQ(copy->campaigns().value(), (std::vector<std::string>{"a", "c"}));
}

TEST_F(LogOrigin, AcceptsAFileThatAnotherConnectionIsWriting) {
  for (int n = 0; n < 200; ++n) {
    const auto checked = check_log_origin(path_, 1000);
    ASSERT_TRUE(checked) << checked.error().message;
    append(1);
    if (n % 7 == 0) store_->rest();
  }
}

}  // namespace
}  // namespace allot::store::log_origin_test
