#include "store/file_use.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "allot/store/sqlite_store.hpp"
#include "store/ledger_backup.hpp"
#include "support/folder.hpp"

namespace allot::store::file_use_test {
namespace {

/// Locks that this process holds on files, one per line of /proc/locks.
int own_locks() {
  std::ifstream file("/proc/locks");
  int locks = 0;
  for (std::string line; std::getline(file, line);) {
    locks += line.find(" " + std::to_string(::getpid()) + " ") != std::string::npos;
  }
  return locks;
}

Result<void> append(Store& store) {
  return store.append("a", store.last("a").value(), std::vector<Draft>(1));
}

TEST(FileUse, KeepsTheLocksOfAStoreWhoseFileIsOpenedAgain) {
  const test::Folder folder;
  const std::string path = folder / "a.db";
  for (const OpenMode first : {OpenMode::create, OpenMode::write}) {
    const auto store = open_sqlite(path, {.mode = first}).value();
    ASSERT_TRUE(append(*store));
    const int locks = own_locks();
    if (locks == 0) GTEST_SKIP() << "this machine does not show locks";
    for (const OpenMode mode : {OpenMode::read, OpenMode::write}) {
      ASSERT_TRUE(open_sqlite(path, {.mode = mode}));  // opened and closed
      EXPECT_EQ(own_locks(), locks);
    }
    ASSERT_TRUE(LedgerSource::open(path));
    EXPECT_EQ(own_locks(), locks);
  }
}

TEST(FileUse, ChecksAFileThatIsInUseNoMore) {
  const test::Folder folder;
  const std::string path = folder / "a";
  std::ofstream(path) << "a";
  int checks = 0;
  const auto check = [&]() -> Result<void> {
    ++checks;
    return {};
  };
  {
    const auto use = FileUse::begin(path, check), another = FileUse::begin(path, check);
    ASSERT_TRUE(use && another);
    EXPECT_EQ(checks, 1);
  }
  ASSERT_TRUE(FileUse::begin(path, check));
  EXPECT_EQ(checks, 2);
}

TEST(FileUse, EndsWithARefusalOrAnException) {
  const test::Folder folder;
  const std::string path = folder / "a";
  std::ofstream(path) << "a";
  const Error error{ErrorCode::store_failure, "refused"};
  EXPECT_EQ(
      FileUse::begin(path, [&] { return Result<void>(tl::unexpected(error)); }).error().message,
      "refused");
  EXPECT_THROW(static_cast<void>(FileUse::begin(
                   path, []() -> Result<void> { throw std::runtime_error("check"); })),
               std::runtime_error);
  int checks = 0;
  ASSERT_TRUE(FileUse::begin(path, [&]() -> Result<void> {
    ++checks;
    return {};
  }));
  EXPECT_EQ(checks, 1);
}

TEST(FileUse, BeginsWithTheCreationOfAFile) {
  const test::Folder folder;
  const std::string path = folder / "a";
  bool checked = false;
  const auto check = [&]() -> Result<void> {
    checked = true;
    return {};
  };
  auto use = FileUse::begin(path, check).value();
  std::ofstream(path) << "a";
  use.created(path);
  checked = false;
  ASSERT_TRUE(FileUse::begin(path, check));
  EXPECT_FALSE(checked);
}

}  // namespace
}  // namespace allot::store::file_use_test
