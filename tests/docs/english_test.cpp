// Plain English, as far as a program can check it: in the pages, in the help of every command and
// in the messages of the sources. The pages of the service have a test of their own in web/src.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "docs/pages.hpp"
#include "support/program.hpp"

namespace allot::test::english_test {
namespace {

namespace fs = std::filesystem;

/// Phrases that nobody says: "a" for "per", officialese, and the other punctuation of errors.
constexpr std::array<std::string_view, 24> kStiff{
    " shall ",           " anew",        "whoever",          "is no class",   "is no amount",
    "is no number",      "is no price",  "is no JSON",       "a row a ",      "a line a ",
    "row a label",       "row an item",  "one a row",        "one a line",    "one a worker",
    "one an item",       "one a class",  "labels (an item)", "labels a day",  "a second, p50",
    "labels an item on", "is of no use", "it is said",       "there is to be"};

/// "two labels an item": "a" where people say "per". Without a number it may be a verb ("who labels
/// an item").
const std::regex& amount_a_thing() {
  static const std::regex phrase(
      "\\b(?:\\d[\\d,.]*|one|two|three|four|five|ten|many|number of|as many) [a-z]+s an? "
      "(?:item|label|worker|row|line|class|campaign|request|second|minute|hour|day|month|policy|"
      "run|budget)\\b(?!')");
  return phrase;
}

std::vector<std::string> stiff_in(const std::string& text) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), amount_a_thing()), end; match != end;
       ++match) {
    found.push_back(match->str());
  }
  for (const std::string_view phrase : kStiff) {
    const std::size_t at = text.find(phrase);
    if (at == std::string::npos) continue;
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
  EXPECT_EQ(stiff_in("at most 3 labels an item").size(), 1U);
  EXPECT_EQ(stiff_in("one row per label").size(), 0U);
  EXPECT_EQ(stiff_in("everyone who labels an item").size(), 0U);
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

/// Commands named in a help text: `  NAME  what it does`.
std::vector<std::string> commands_in(const std::string& help) {
  static const std::regex row("\\n  ([a-z-]+)  +[A-Z]");
  std::vector<std::string> names;
  for (std::sregex_iterator match(help.begin(), help.end(), row), end; match != end; ++match) {
    names.push_back((*match)[1]);
  }
  return names;
}

TEST(English, IsPlainInHelp) {
  std::vector<std::string> waiting{"help"};
  int seen = 0;
  for (; !waiting.empty(); ++seen) {
    const std::string command = waiting.back();
    waiting.pop_back();
    const std::string help = allot(command).output;
    for (const std::string& passage : stiff_in(help)) {
      ADD_FAILURE() << "allot " << command << ": " << passage;
    }
    if (command != "help" && command != "help campaign" && command != "help bridge") continue;
    for (const std::string& name : commands_in(help)) {
      if (name != "help") waiting.push_back(command + " " + name);
    }
  }
  EXPECT_GT(seen, 25);
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
}  // namespace allot::test::english_test
