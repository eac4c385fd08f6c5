// docs/reference/cli has the option tables that the program prints.
//
// "<!-- allot ARGUMENTS -->" stands above a table, an empty line below it. Run
// `ALLOT_WRITE_DOCS=1 docs_tests --gtest_filter=CliDoc.*` to write the present tables into the
// pages.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "docs/pages.hpp"
#include "support/program.hpp"

namespace allot::test::cli_doc_test {
namespace {

std::vector<std::string> cli_pages() {
  std::vector<std::string> pages = all_pages();
  std::erase_if(pages, [](const auto& page) { return !page.starts_with("docs/reference/cli/"); });
  return pages;
}

/// A table of a page, and the words after `allot` that print it.
struct ShownTable {
  std::string arguments;
  std::size_t begin = 0, size = 0;  // in the page
};

std::vector<ShownTable> tables_in(const std::string& page) {
  static const std::regex table("<!-- allot ([^\n]*) -->\n((?:\\|[^\n]*\n)*)");
  std::vector<ShownTable> tables;
  for (std::sregex_iterator match(page.begin(), page.end(), table), end; match != end; ++match) {
    tables.push_back({(*match)[1], static_cast<std::size_t>(match->position(2)),
                      static_cast<std::size_t>(match->length(2))});
  }
  return tables;
}

/// Commands in a table that `allot help --markdown` prints.
std::vector<std::string> commands_in(const std::string& table) {
  static const std::regex row("\n\\| `([a-z-]+)` \\|");
  std::vector<std::string> names;
  for (std::sregex_iterator match(table.begin(), table.end(), row), end; match != end; ++match) {
    names.push_back((*match)[1]);
  }
  return names;
}

TEST(CliDoc, ShowsTheTablesThatTheProgramPrints) {
  const bool write = std::getenv("ALLOT_WRITE_DOCS") != nullptr;
  for (const std::string& name : cli_pages()) {
    std::string page = read_file(root() + "/" + name);
    auto tables = tables_in(page);
    std::ranges::reverse(tables);  // replacing one does not move those before it
    for (const ShownTable& table : tables) {
      const std::string printed = allot(table.arguments).output;
      if (write) {
        page.replace(table.begin, table.size, printed);
      } else {
        EXPECT_EQ(page.substr(table.begin, table.size), printed)
            << name << ": allot " << table.arguments;
      }
    }
    if (write) std::ofstream(root() + "/" + name, std::ios::binary) << page;
  }
}

TEST(CliDoc, HasATableForEveryCommand) {
  std::set<std::string> shown;
  for (const std::string& name : cli_pages()) {
    for (const ShownTable& table : tables_in(read_file(root() + "/" + name))) {
      shown.insert(table.arguments);
    }
  }
  std::vector<std::string> commands = commands_in(allot("help --markdown").output);
  for (const std::string group : {"campaign", "bridge"}) {
    for (const std::string& name : commands_in(allot("help " + group + " --markdown").output)) {
      commands.push_back(group + " " + name);
    }
  }
  EXPECT_GT(commands.size(), 30U) << "the lists of commands were not found";
  for (const std::string& command : commands) {
    if (command == "help" || command == "policies") continue;  // policies has no options
    EXPECT_TRUE(shown.contains("help " + command + " --markdown")) << command;
  }
}

TEST(CliDoc, ShowsTheListOfPolicies) {
  const std::string page = read_file(root() + "/docs/reference/cli/policies.md");
  EXPECT_NE(page.find("\n$ allot policies\n"), std::string::npos);
}

}  // namespace
}  // namespace allot::test::cli_doc_test
