// docs/campaigns.md shows what the program prints, from the first command to the last.
#include <gtest/gtest.h>

#include "allot/base/text.hpp"
#include "support/program.hpp"

namespace allot::test {
namespace {

/// What `allot ARGUMENTS` prints in a folder, errors among the rest.
std::string printed_in(const Folder& folder, const std::string& arguments) {
  const std::string out = folder / ".printed";
  const std::string command =
      "cd '" + folder.path() + "' && '" + program() + "' " + arguments + " >" + out + " 2>&1";
  static_cast<void>(std::system(command.c_str()));
  return read_file(out);
}

/// A block is a file ("$ cat NAME" and its text) or commands, each followed by what it prints.
void check_block(const std::string& block, const Folder& folder, int& commands) {
  if (block.starts_with("$ cat ")) {
    const std::size_t end = block.find('\n');
    folder.file(block.substr(6, end - 6), block.substr(end + 1));
    return;
  }
  std::string printed;
  for (const std::string_view line : split(block, '\n')) {
    if (!line.starts_with("$ allot ")) continue;
    printed += std::string(line) + "\n" + printed_in(folder, std::string(line.substr(8)));
    ++commands;
  }
  EXPECT_EQ(printed, block);
}

TEST(CampaignsDoc, ShowsWhatTheProgramPrints) {
  const std::string page = read_file(root() + "/docs/campaigns.md");
  const Folder folder;
  int commands = 0;
  std::size_t at = 0;
  while ((at = page.find("```\n$ ", at)) != std::string::npos) {
    const std::size_t end = page.find("```\n", at + 4);
    ASSERT_NE(end, std::string::npos);
    check_block(page.substr(at + 4, end - at - 4), folder, commands);
    at = end + 4;
  }
  EXPECT_GT(commands, 12);
}

}  // namespace
}  // namespace allot::test
