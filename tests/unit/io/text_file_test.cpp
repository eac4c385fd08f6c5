#include "allot/io/text_file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>

#include "support/folder.hpp"
#include "support/gzip.hpp"

namespace allot::io::text_file_test {
namespace {

namespace fs = std::filesystem;
using test::gzip;

std::string refusal(const std::string& path, std::uint64_t most = kLargestFile) {
  const auto text = read_text_file(path, most);
  return text ? "read" : text.error().message;
}

TEST(TextFile, IsReadVerbatim) {
  const test::Folder folder;
  const std::string text = std::string("a\r\nb\0c", 6);
  EXPECT_EQ(read_text_file(folder.file("plain", text)).value(), text);
  EXPECT_EQ(read_text_file(folder.file("empty", "")).value(), "");
}

TEST(TextFile, IsDecompressedIfItIsGzip) {
  const test::Folder folder;
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(read_text_file(folder.file("a.csv", gzip("labels"))).value(), "labels");
  EXPECT_EQ(read_text_file(folder.file("b.gz", gzip("one ") + gzip(large) + gzip(""))).value(),
            "one " + large);
  EXPECT_EQ(read_text_file(folder.file("c.gz", gzip("x") + std::string(512, '\0'))).value(), "x");
}

TEST(TextFile, ThatIsDamagedOrTruncatedIsRefused) {
  const test::Folder folder;
  const std::string whole = gzip("a text that is long enough to be cut in many places");
  for (std::size_t size = 2; size < whole.size(); ++size) {
    const std::string message = refusal(folder.file("cut", whole.substr(0, size)));
    EXPECT_NE(message.find("cut' is truncated gzip"), std::string::npos) << message;
  }
  std::string damaged = whole;
  damaged[whole.size() - 6] ^= 1;  // the check sum
  EXPECT_NE(refusal(folder.file("bad", damaged)).find("damaged"), std::string::npos);
  EXPECT_NE(refusal(folder.file("tail", whole + "more")).find("followed by other bytes"),
            std::string::npos);
}

TEST(TextFile, LargerThanTheLimitIsRefused) {
  const test::Folder folder;
  const std::string zeros(1'000'000, '0');
  EXPECT_EQ(read_text_file(folder.file("plain", zeros), 1'000'000).value(), zeros);
  EXPECT_NE(refusal(folder.file("plain", zeros), 999'999).find("more than 999999 bytes"),
            std::string::npos);
  EXPECT_NE(refusal(folder.file("bomb", gzip(zeros)), 999'999).find("gzip of more than 999999"),
            std::string::npos);
}

TEST(TextFile, ThatCannotBeReadIsNamed) {
  const test::Folder folder;
  EXPECT_NE(refusal(folder / "none").find("none' cannot be read: No such file"), std::string::npos);
  EXPECT_NE(refusal(folder / "").find("cannot be read: Is a directory"), std::string::npos);
}

TEST(TextFile, IsWrittenWhole) {
  const test::Folder folder;
  const std::string text(3'000'000, 'x');
  ASSERT_TRUE(check_writable(folder / "out"));
  EXPECT_EQ(folder.size(), 0U) << "the check leaves nothing behind";
  ASSERT_TRUE(write_text_file(folder / "out", text));
  EXPECT_EQ(test::read_file(folder / "out"), text);
  EXPECT_EQ(folder.size(), 1U);
}

TEST(TextFile, IsReplacedAsAWholeAndKeepsItsPermissions) {
  const test::Folder folder;
  const std::string path = folder.file("out", "old");
  constexpr auto kMode = fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_write;
  fs::permissions(path, kMode);
  ASSERT_TRUE(check_writable(path));
  EXPECT_EQ(test::read_file(path), "old");
  ASSERT_TRUE(write_text_file(path, "new"));
  EXPECT_EQ(test::read_file(path), "new");
  EXPECT_EQ(fs::status(path).permissions(), kMode);
  EXPECT_EQ(folder.size(), 1U) << "nothing else is left";
}

TEST(TextFile, IsWrittenWhereLinksLead) {
  const test::Folder folder;
  fs::create_symlink("file", folder / "inner");
  fs::create_symlink(folder / "inner", folder / "outer");
  for (const char* text : {"made", "replaced"}) {
    ASSERT_TRUE(check_writable(folder / "outer"));
    ASSERT_TRUE(write_text_file(folder / "outer", text));
    EXPECT_TRUE(fs::is_symlink(folder / "outer") && fs::is_symlink(folder / "inner"));
    EXPECT_EQ(test::read_file(folder / "file"), text);
  }
}

TEST(TextFile, GoesToADeviceWithoutReplacingIt) {
  const test::Folder folder;
  fs::create_symlink("/dev/null", folder / "null");
  EXPECT_TRUE(check_writable(folder / "null"));
  EXPECT_TRUE(write_text_file(folder / "null", "text"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(TextFile, StaysUnchangedIfTheDiskIsFull) {
  const test::Folder folder;
  const std::string path = folder.file("out", "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit fails as on a full disk
  setrlimit(RLIMIT_FSIZE, &small);
  const auto written = write_text_file(path, std::string(5000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_FALSE(written);
  EXPECT_EQ(test::read_file(path), "old");
  EXPECT_EQ(folder.size(), 1U);
}

TEST(TextFile, ThatCannotBeWrittenIsNamedWithTheReason) {
  const test::Folder folder;
  fs::create_symlink("loop", folder / "loop");
  const std::vector<std::pair<std::string, std::string>> cases{
      {folder / "none/a", "No such file or directory"},
      {"", "No such file or directory"},
      {folder.path(), "Is a directory"},
      {folder.file("plain", "") + "/a", "Not a directory"},
      {folder / "loop", "Too many levels of symbolic links"},
      {folder / std::string(300, 'x'), "File name too long"},
  };
  for (const auto& [path, reason] : cases) {
    for (const auto& result : {check_writable(path), write_text_file(path, "text")}) {
      ASSERT_FALSE(result) << path;
      EXPECT_EQ(result.error().code, ErrorCode::write_failure);
      EXPECT_EQ(result.error().message, "'" + path + "' cannot be written: " + reason);
    }
  }
  EXPECT_EQ(folder.size(), 2U);
}

TEST(TextFile, ForAFullDeviceIsRefused) {
  ASSERT_TRUE(check_writable("/dev/full")) << "the failure shows only when writing";
  const auto written = write_text_file("/dev/full", "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "'/dev/full' cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full")) << "a device is not replaced";
}

}  // namespace
}  // namespace allot::io::text_file_test
