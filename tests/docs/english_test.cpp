// Plain English, as far as a program can check it: in the pages, in the help of every command and
// in the messages of the sources. The pages of the service have a test of their own in web/src.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "docs/pages.hpp"
#include "support/program.hpp"

namespace allot::test {
namespace {

namespace fs = std::filesystem;

/// Phrases that nobody says: "a" for "per", officialese, and the other punctuation of errors.
constexpr std::array<std::string_view, 24> kStiff{
    " shall ",           " anew",        "whoever",          "is no class",   "is no amount",
    "is no number",      "is no price",  "is no JSON",       "a row a ",      "a line a ",
    "row a label",       "row an item",  "one a row",        "one a line",    "one a worker",
    "one an item",       "one a class",  "labels (an item)", "labels a day",  "a second, p50",
    "labels an item on", "is of no use", "it is said",       "there is to be"};

std::vector<std::string> stiff_in(std::string_view text) {
  std::vector<std::string> found;
  for (const std::string_view phrase : kStiff) {
    const std::size_t at = text.find(phrase);
    if (at == std::string_view::npos) continue;
    const std::size_t begin = at < 40 ? 0 : at - 40;
    found.emplace_back(text.substr(begin, 100));
  }
  return found;
}

/// The string literals of a source, one per line. Adjacent literals are joined, as compilers do.
std::string literals(const std::string& source) {
  std::string found;
  std::size_t end_of_last = std::string::npos;
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source[at] == '/' && at + 1 < source.size() && source[at + 1] == '/') {
      at = std::min(source.find('\n', at), source.size());
    } else if (source[at] == '\'' && at + 2 < source.size() && source[at + 2] == '\'') {
      at += 2;
    } else if (source[at] == '"') {
      const bool adjoins = end_of_last != std::string::npos &&
                           source.find_first_not_of(" \n", end_of_last + 1) == at;
      if (!adjoins) found += '\n';
      for (++at; at < source.size() && source[at] != '"'; ++at) {
        if (source[at] == '\\') ++at;
        found += source[at];
      }
      end_of_last = at;
    }
  }
  return found;
}

TEST(English, FindsStiffPhrases) {
  EXPECT_EQ(stiff_in("which items shall be labelled").size(), 1U);
  EXPECT_EQ(stiff_in("one row per label").size(), 0U);
  EXPECT_EQ(literals("f(\"a, \" // \"no\"\n  \"b\", \"c\");"), "\na, \nb\nc");
  EXPECT_EQ(literals("f(\"a, \"\n  \"expected\");"), "\na, expected");
}

TEST(English, IsPlainInThePages) {
  for (const std::string& name : all_pages()) {
    for (const std::string& passage : stiff_in(read_file(root() + "/" + name))) {
      ADD_FAILURE() << name << ": " << passage;
    }
  }
}

TEST(English, IsPlainInHelp) {
  for (const std::string command :
       {"", "aggregate", "simulate", "replay", "plan", "exact", "policies", "reproduce", "campaign",
        "campaign create", "campaign next", "campaign record", "campaign export", "serve",
        "demo"}) {
    for (const std::string& passage : stiff_in(allot(command + " --help").output)) {
      ADD_FAILURE() << "allot " << command << " --help: " << passage;
    }
  }
}

TEST(English, IsPlainInMessagesWithOnePunctuationOfErrors) {
  int files = 0;
  for (const char* part : {"/include", "/src"}) {
    for (const auto& file : fs::recursive_directory_iterator(root() + part)) {
      const fs::path extension = file.path().extension();
      if (extension != ".cpp" && extension != ".hpp") continue;
      const std::string text = literals(read_file(file.path()));
      for (const std::string& passage : stiff_in(text)) ADD_FAILURE() << file.path() << passage;
      for (std::size_t at = text.find(", expected "); at != std::string::npos;
           at = text.find(", expected ", at + 1)) {
        EXPECT_TRUE(text.substr(at).starts_with(", expected accuracy"))
            << file.path() << ": " << text.substr(at < 60 ? 0 : at - 60, 100)
            << "; expected '; expected'";
      }
      ++files;
    }
  }
  EXPECT_GT(files, 300);
}

}  // namespace
}  // namespace allot::test
