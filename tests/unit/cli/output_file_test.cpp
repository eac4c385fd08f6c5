#include "cli/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/folder.hpp"
#include "support/program.hpp"

namespace allot::cli {
namespace {

namespace fs = std::filesystem;
using test::Folder;
using test::read_file;

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(OutputFile, IsWrittenWhole) {
  const Folder folder;
  const std::string text(3'000'000, 'x');
  ASSERT_TRUE(check_writable(folder / "a"));
  EXPECT_EQ(files_in(folder.path()), 0U);
  ASSERT_TRUE(write_file(folder / "a", text));
  EXPECT_EQ(read_file(folder / "a"), text);
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(OutputFile, ReplacesAnOldOneAndKeepsItsPermissions) {
  const Folder folder;
  ASSERT_TRUE(write_file(folder / "a", "old"));
  fs::permissions(folder / "a", fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_TRUE(write_file(folder / "a", "new"));
  EXPECT_EQ(read_file(folder / "a"), "new");
  EXPECT_EQ(fs::status(folder / "a").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(OutputFile, FollowsALink) {
  const Folder folder;
  ASSERT_TRUE(write_file(folder / "a", "old"));
  fs::create_symlink("a", folder / "link");
  ASSERT_TRUE(write_file(folder / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "a"), "new");
}

TEST(OutputFile, GoesToADeviceWithoutReplacingIt) {
  const Folder folder;
  fs::create_symlink("/dev/null", folder / "null");
  EXPECT_TRUE(check_writable(folder / "null"));
  EXPECT_TRUE(write_file(folder / "null", "text"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(OutputFile, ThatCannotBeWrittenIsNamedWithTheReason) {
  const Folder folder;
  const std::string missing = folder / "none/a";
  for (const auto& result : {check_writable(missing), write_file(missing, "text")}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::write_failure);
    EXPECT_EQ(result.error().message,
              "'" + missing + "' cannot be written: No such file or directory");
  }
  EXPECT_FALSE(check_writable(folder.path()));
  EXPECT_FALSE(write_file(folder.path(), "text"));
  const auto full = write_file("/dev/full", "text");
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find("No space left"), std::string::npos);
}

}  // namespace
}  // namespace allot::cli
