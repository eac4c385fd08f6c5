// The pages show what the program prints, and their links lead somewhere.
//
// A block of commands starts with "$ ". "$ cat FILE" shows a file: the test writes it. Other
// commands run in the same folder, and what they print must be the lines below them. Run
// `ALLOT_WRITE_DOCS=1 docs_tests --gtest_filter=Pages.*` to write the present output into the
// pages.
#include "docs/pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "support/program.hpp"

namespace allot::test::pages_test {
namespace {

namespace fs = std::filesystem;

/// A folder in which the commands of one page run: `allot` and `./run` are the program that was
/// built, and docs/ is that of the repository.
class Terminal {
 public:
  Terminal() {
    fs::create_directory(folder_ / ".bin");
    fs::create_symlink(program(), folder_ / ".bin/allot");
    fs::create_symlink(program(), folder_ / "run");
    fs::create_directory_symlink(root() + "/docs", folder_ / "docs");
  }

  /// What the block reads once its commands have run.
  std::string printed(const std::string& block) const {
    std::istringstream lines(block);
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("$ ")) continue;
      if (line.starts_with("$ cat ")) {
        folder_.file(line.substr(6), block.substr(line.size() + 1));
        return block;
      }
      text += line + "\n" + run(line.substr(2));
    }
    return text;
  }

 private:
  std::string run(const std::string& command) const {
    const std::string out = folder_ / ".out";
    const std::string shell = "cd '" + folder_.path() +
                              "' && export PATH=\"$PWD/.bin:$PATH\" && (" + command +
                              ") >.out 2>&1 </dev/null";
    static_cast<void>(std::system(shell.c_str()));
    return read_file(out);
  }

  Folder folder_;
};

TEST(Pages, ShowWhatTheProgramPrints) {
  const bool write = std::getenv("ALLOT_WRITE_DOCS") != nullptr;
  int commands = 0;
  for (const std::string& name : pages_with_commands()) {
    const Terminal terminal;
    const std::string page = read_file(root() + "/" + name);
    std::string now;
    std::size_t copied = 0;
    for (const Fence& fence : fences(page)) {
      if (!fence.text.starts_with("$ ")) continue;
      const std::string printed = terminal.printed(fence.text);
      if (!write) {
        EXPECT_EQ(printed, fence.text) << name;
      }
      now += page.substr(copied, fence.begin - copied) + printed;
      copied = fence.begin + fence.text.size();
      ++commands;
    }
    now += page.substr(copied);
    if (write && now != page) std::ofstream(root() + "/" + name, std::ios::binary) << now;
  }
  EXPECT_GT(commands, 12);
}

/// A block after the line "<!-- file: PATH -->" shows that file, from its first #include on.
TEST(Pages, ShowCodeAsItStandsInItsFile) {
  const bool write = std::getenv("ALLOT_WRITE_DOCS") != nullptr;
  static const std::regex shown("<!-- file: ([^ ]+) -->\n```[a-z]*\n");
  int blocks = 0;
  for (const std::string& name : all_pages()) {
    std::string page = read_file(root() + "/" + name);
    std::smatch match;
    for (std::size_t at = 0; std::regex_search(page.cbegin() + static_cast<std::ptrdiff_t>(at),
                                               page.cend(), match, shown);
         ++blocks) {
      const std::string code = read_file(root() + "/" + match[1].str());
      const std::string wanted = code.substr(std::min(code.find("#include"), code.size()));
      const std::size_t begin = at + static_cast<std::size_t>(match.position() + match.length()),
                        end = page.find("```", begin);
      ASSERT_NE(wanted, "") << name << " shows " << match[1];
      if (write) {
        page.replace(begin, end - begin, wanted);
      } else {
        EXPECT_EQ(page.substr(begin, end - begin), wanted) << name << " shows " << match[1];
      }
      at = begin;
    }
    if (write) std::ofstream(root() + "/" + name, std::ios::binary) << page;
  }
  EXPECT_GT(blocks, 0);
}

/// Commands of a block, each without a comment and without what follows a pipe. A line such as
/// "allot campaign record: ..." is an error that the program printed.
std::vector<std::string> commands_of(const std::string& block) {
  static const std::regex command("(?:^|\\n)(?:\\$ )?(?:allot|\\./run) ([^#|>\\n]*)");
  std::vector<std::string> found;
  for (std::sregex_iterator match(block.begin(), block.end(), command), end; match != end;
       ++match) {
    const std::string arguments = (*match)[1];
    if (!std::regex_search(arguments, std::regex("^[a-z]+( [a-z]+)?: ")))
      found.push_back(arguments);
  }
  return found;
}

/// The words that select a command: "simulate", "campaign create", or "demo" for options alone.
std::string selected(const std::string& arguments) {
  std::istringstream words(arguments);
  std::string first, second;
  words >> first >> second;
  if (first.starts_with("-")) return first == "--help" || first == "--version" ? "" : "demo";
  return first == "campaign" || first == "bridge" ? first + " " + second : first;
}

TEST(Pages, NameOnlyOptionsThatExist) {
  static const std::regex option("(?:^| )(--[a-z-]+)");
  std::map<std::string, std::string> help;
  int options = 0;
  for (const std::string& name : all_pages()) {
    for (const Fence& fence : fences(read_file(root() + "/" + name))) {
      for (const std::string& arguments : commands_of(fence.text)) {
        const std::string command = selected(arguments);
        if (!help.contains(command)) help[command] = allot(command + " --help").output;
        for (std::sregex_iterator match(arguments.begin(), arguments.end(), option), end;
             match != end; ++match, ++options) {
          EXPECT_NE(help[command].find((*match)[1]), std::string::npos)
              << name << ": allot " << arguments;
        }
      }
    }
  }
  EXPECT_GT(options, 40);
}

TEST(Readme, FitsOnThreeScreens) {
  const std::string readme = read_file(root() + "/README.md");
  EXPECT_LE(std::ranges::count(readme, '\n'), 150);
}

TEST(Pages, LinkToPagesAndHeadingsThatExist) {
  int checked = 0;
  for (const std::string& name : all_pages()) {
    for (const std::string& link : links(read_file(root() + "/" + name))) {
      if (link.starts_with("http")) continue;
      const std::size_t hash = std::min(link.find('#'), link.size());
      const fs::path page = fs::path(root()) / name,
                     target = hash == 0 ? page : page.parent_path() / link.substr(0, hash);
      EXPECT_TRUE(fs::exists(target)) << name << " links to " << link;
      if (hash < link.size()) {
        const auto names = anchors(read_file(target));
        EXPECT_NE(std::ranges::find(names, link.substr(hash + 1)), names.end())
            << name << " links to " << link;
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 20);
}

/// A page is listed where a reader looks for it: in docs/README.md, or in the README of its folder.
TEST(Pages, AreAllOnTheMap) {
  std::vector<fs::path> listed;
  for (const std::string& name : all_pages()) {
    if (fs::path(name).filename() != "README.md") continue;
    for (const std::string& link : links(read_file(root() + "/" + name))) {
      const std::string file = link.substr(0, link.find('#'));
      listed.push_back((fs::path(name).parent_path() / file).lexically_normal());
    }
  }
  for (const std::string& name : all_pages()) {
    if (!name.starts_with("docs/")) continue;
    EXPECT_NE(std::ranges::find(listed, fs::path(name)), listed.end()) << name;
  }
}

}  // namespace
}  // namespace allot::test::pages_test
