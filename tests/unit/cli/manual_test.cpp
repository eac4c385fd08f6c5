// Manual pages and completions say what the program takes.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "allot/base/text.hpp"
#include "support/program.hpp"

namespace allot::test::manual_test {
namespace {

/// The first column of the table that `allot help WORDS --markdown` prints, without backticks.
std::vector<std::string> terms_of(const std::string& words) {
  static const std::regex row("\n\\| `([^`]*)` \\|");
  const std::string table = allot("help " + words + " --markdown").output;
  std::vector<std::string> terms;
  for (std::sregex_iterator match(table.begin(), table.end(), row), end; match != end; ++match)
    terms.push_back(std::regex_replace((*match)[1].str(), std::regex("\\\\\\|"), "|"));
  return terms;
}

/// "campaign create" and all others; groups as well.
std::vector<std::string> all_commands() {
  std::vector<std::string> commands = terms_of("");
  for (const std::string& inner : terms_of("campaign")) commands.push_back("campaign " + inner);
  return commands;
}

std::string roff_term(const std::string& term) {
  return "\\fB" + std::regex_replace(term, std::regex("-"), "\\-") + "\\fR\n";
}

TEST(ManualPages, NameEveryOptionOfEveryCommand) {
  const Folder folder;
  ASSERT_EQ(allot("help --man-pages '" + (folder / "") + "'").status, 0);
  for (const std::string& command : all_commands()) {
    const std::string name = std::regex_replace("allot-" + command, std::regex(" "), "-") + ".1";
    const std::string page = read_file(folder / name);
    for (const std::string& term : terms_of(command))
      EXPECT_NE(page.find(roff_term(term)), std::string::npos) << name << ": " << term;
  }
}

TEST(ManualPages, ComeInAFolderThatIsMadeOrOneError) {
  const Folder folder;
  EXPECT_EQ(allot("help --man-pages '" + (folder / "new/one") + "'").status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "new/one/allot-serve.1"));
  const Outcome refused = allot("help --man-pages '" + folder.file("file", "") + "'");
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(std::ranges::count(refused.errors, '\n'), 1) << refused.errors;
  EXPECT_NE(refused.errors.find("--man-pages"), std::string::npos) << refused.errors;
}

TEST(ManualPages, HaveNoLineThatRoffTakesForARequest) {
  static const std::set<std::string_view> known = {".TH", ".SH", ".TP", ".PP", ".nf", ".fi"};
  const Folder folder;
  ASSERT_EQ(allot("help --man-pages '" + (folder / "") + "'").status, 0);
  int pages = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder / "")) {
    if (file.path().extension() != ".1") continue;
    ++pages;
    const std::string page = read_file(file.path().string());
    for (const std::string_view line : split(page, '\n')) {
      if (line.starts_with('.')) {
        EXPECT_TRUE(known.contains(line.substr(0, 3))) << file.path() << ": " << line;
      }
      EXPECT_FALSE(line.starts_with('\'')) << file.path() << ": " << line;
    }
  }
  EXPECT_GT(pages, 30);
}

/// What bash offers at the end of a command line, sorted as the program lists it.
std::string offered(const std::string& line) {
  const Folder folder;
  folder.file("complete.sh", allot("completions bash").output + R"(
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_allot
echo "${COMPREPLY[*]}"
)");
  const std::string out = folder / "out";
  EXPECT_EQ(std::system(("bash '" + (folder / "complete.sh") + "' " + line + " >" + out).c_str()),
            0);
  return std::string(trim(read_file(out)));
}

TEST(Completions, OfferCommandsOptionsAndValuesInBash) {
  EXPECT_EQ(offered("allot agg"), "aggregate");
  EXPECT_EQ(offered("allot campaign resu"), "resume");
  EXPECT_EQ(offered("allot campaign create --it"), "--items");
  EXPECT_EQ(offered("allot campaign create x.db --bud"), "--budget");
  EXPECT_EQ(offered("allot serve --private-webhooks ''"), "yes no");
  EXPECT_EQ(offered("allot serve --log-level ''"), "debug info warning error off");
  EXPECT_EQ(offered("allot simulate --format ''"), "table csv json");
  EXPECT_EQ(offered("allot campaign create --lease ''"), "") << "`90s` is an example";
  EXPECT_EQ(offered("allot serve --sign-in-admins ''"), "") << "addresses";
  EXPECT_EQ(offered("allot serve --config ''"), "") << "bash completes files";
  EXPECT_EQ(offered("allot completions ''"), "bash zsh fish");
  EXPECT_EQ(offered("allot help agg"), "aggregate");
  EXPECT_EQ(offered("allot help campaign resu"), "resume");
}

TEST(Completions, NameEveryOptionInEveryShell) {
  const std::string zsh = allot("completions zsh").output, fish = allot("completions fish").output;
  for (const std::string& command : all_commands()) {
    EXPECT_NE(zsh.find("('allot " + command + "')"), std::string::npos) << command;
    for (const std::string& term : terms_of(command)) {
      if (!term.starts_with("--")) continue;
      const std::string name = term.substr(0, term.find(' '));
      EXPECT_NE(zsh.find("'" + name + ":"), std::string::npos) << command << " " << name;
      const std::string line = "'__allot_is \"allot " + command + "\"' -l " + name.substr(2) + " ";
      EXPECT_NE(fish.find(line), std::string::npos) << line;
    }
  }
}

TEST(Completions, RefuseAnUnknownShell) {
  expect_refusal("completions tcsh", "unknown shell 'tcsh'", "expected bash, zsh or fish");
}

}  // namespace
}  // namespace allot::test::manual_test
