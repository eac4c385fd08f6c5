#include "allot/io/text_file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "support/folder.hpp"
#include "support/gzip.hpp"
#include "support/program.hpp"

namespace allot::io {
namespace {

using test::gzip;

std::string refusal(const std::string& path, std::uint64_t most = kLargestFile) {
  const auto text = read_text_file(path, most);
  return text ? "read" : text.error().message;
}

TEST(TextFile, IsReadAsItIs) {
  const test::Folder folder;
  const std::string text = std::string("a\r\nb\0c", 6);
  EXPECT_EQ(read_text_file(folder.file("plain", text)).value(), text);
  EXPECT_EQ(read_text_file(folder.file("empty", "")).value(), "");
}

TEST(TextFile, IsDecompressedIfItStartsAsGzipDoes) {
  const test::Folder folder;
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(read_text_file(folder.file("a.csv", gzip("labels"))).value(), "labels");
  EXPECT_EQ(read_text_file(folder.file("b.gz", gzip("one ") + gzip(large) + gzip(""))).value(),
            "one " + large);
  EXPECT_EQ(read_text_file(folder.file("c.gz", gzip("x") + std::string(512, '\0'))).value(), "x");
}

TEST(TextFile, ThatIsDamagedOrCutShortIsRefused) {
  const test::Folder folder;
  const std::string whole = gzip("a text that is long enough to be cut in many places");
  for (std::size_t size = 2; size < whole.size(); ++size) {
    const std::string message = refusal(folder.file("cut", whole.substr(0, size)));
    EXPECT_NE(message.find("cut' is gzip that is cut short"), std::string::npos) << message;
  }
  std::string damaged = whole;
  damaged[whole.size() - 6] ^= 1;  // the check sum
  EXPECT_NE(refusal(folder.file("bad", damaged)).find("damaged"), std::string::npos);
  EXPECT_NE(refusal(folder.file("tail", whole + "more")).find("followed by something"),
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

TEST(TextFile, IsReplacedAsAWhole) {
  const test::Folder folder;
  const std::string path = folder.file("out", "old");
  chmod(path.c_str(), 0640);
  write_text_file(path, "new");
  EXPECT_EQ(test::read_file(path), "new");
  struct stat now {};
  stat(path.c_str(), &now);
  EXPECT_EQ(now.st_mode & 0777U, 0640U);
  EXPECT_EQ(folder.size(), 1U) << "nothing else is left";
}

TEST(TextFile, IsWrittenWhereALinkPoints) {
  const test::Folder folder;
  const std::string path = folder.file("out", "old");
  std::filesystem::create_symlink(path, folder / "link");
  write_text_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(test::read_file(path), "new");
}

TEST(TextFile, StaysAsItWasIfThereIsNoRoomForTheNewOne) {
  const test::Folder folder;
  const std::string path = folder.file("out", "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit fails as on a full disk
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(write_text_file(path, std::string(5000, 'x')), std::runtime_error);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(test::read_file(path), "old");
  EXPECT_EQ(folder.size(), 1U);
}

TEST(TextFile, ThatCannotBeWrittenIsNamedAndLeftAlone) {
  const test::Folder folder;
  const auto trouble = [](const std::string& path) -> std::string {
    try {
      write_text_file(path, "text");
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "written";
  };
  EXPECT_NE(trouble(folder / "no/such").find("could not be written: No such file"),
            std::string::npos);
  EXPECT_NE(trouble(folder / "").find("could not be written: Is a directory"), std::string::npos);
  EXPECT_EQ(trouble("/dev/full"), "'/dev/full' could not be written: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full")) << "a device is not replaced";
}

}  // namespace
}  // namespace allot::io
