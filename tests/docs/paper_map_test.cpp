// docs/paper-map.md names code and tests that exist, and no label of the paper is missing.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <regex>
#include <set>

#include "allot/base/text.hpp"
#include "support/program.hpp"

namespace allot::test::paper_map_test {
namespace {

namespace fs = std::filesystem;

const std::string kRoot = root();

struct MapRow {
  std::string tags, code, tests;
};

std::vector<MapRow> map_rows() {
  std::vector<MapRow> rows;
  const std::string text = read_file(kRoot + "/docs/paper-map.md");
  for (const std::string_view line : split(text, '\n')) {
    const auto cells = split(line, '|');
    if (cells.size() != 6 || line.find('`') == std::string_view::npos) continue;
    rows.push_back({std::string(cells[1]), std::string(cells[3]), std::string(cells[4])});
  }
  return rows;
}

std::vector<std::string> quoted(const std::string& cell) {
  static const std::regex pattern("`([^`]+)`");
  std::vector<std::string> words;
  for (std::sregex_iterator match(cell.begin(), cell.end(), pattern), end; match != end; ++match) {
    words.push_back((*match)[1]);
  }
  return words;
}

/// The first two arguments of a call whose text starts at `at`, after its parenthesis:
/// "Suite.Name".
std::string named_test(const std::string& text, std::size_t at) {
  std::string name;
  int commas = 0;
  for (; at < text.size() && text[at] != ')'; ++at) {
    if (text[at] == ',' && ++commas == 2) break;
    if (text[at] == ',') name += '.';
    if (std::isalnum(static_cast<unsigned char>(text[at])) != 0) name += text[at];
  }
  return name;
}

/// "Suite.Name" of every test. (A search by regular expressions takes minutes without
/// optimisation.)
std::set<std::string> all_tests() {
  std::set<std::string> names;
  for (const auto& file : fs::recursive_directory_iterator(kRoot + "/tests")) {
    if (file.path().extension() != ".cpp") continue;
    const std::string text = read_file(file.path());
    for (const std::string macro : {"TEST(", "TEST_P(", "TEST_F(", "RC_GTEST_PROP("}) {
      for (std::size_t at = text.find(macro); at != std::string::npos; at = text.find(macro, at)) {
        at += macro.size();
        names.insert(named_test(text, at));
      }
    }
  }
  return names;
}

/// Whether the text has the word, not as a part of a longer one.
bool has_word(const std::string& text, const std::string& word) {
  const auto is_letter = [&](std::size_t at) {
    return at < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if (!(at > 0 && is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  }
  return false;
}

/// "index/gittins: gittins" names a word in include/allot/index/gittins.hpp or
/// src/index/gittins.{hpp,cpp}.
void check_code(const std::string& place) {
  const std::size_t colon = place.find(": ");
  ASSERT_NE(colon, std::string::npos) << place;
  const std::string file = place.substr(0, colon), word = place.substr(colon + 2);
  std::string text = read_file(kRoot + "/include/allot/" + file + ".hpp");
  for (const char* ending : {".hpp", ".cpp"}) text += read_file(kRoot + "/src/" + file + ending);
  EXPECT_TRUE(has_word(text, word)) << place;
}

TEST(PaperMap, NamesCodeAndTestsThatExist) {
  const std::set<std::string> tests = all_tests();
  const auto rows = map_rows();
  EXPECT_GT(rows.size(), 20U);
  for (const MapRow& row : rows) {
    const auto code = quoted(row.code), checks = quoted(row.tests);
    EXPECT_FALSE(code.empty() && row.code.find("no code") == std::string::npos) << row.tags;
    for (const std::string& place : code) check_code(place);
    EXPECT_FALSE(checks.empty() && !code.empty()) << row.tags << " has no test";
    for (const std::string& name : checks) EXPECT_TRUE(tests.contains(name)) << name;
  }
}

/// The labels of sections 2 to 6, of their proofs and appendices.
std::set<std::string> labels_of(const std::string& paper) {
  static const std::regex label("\\\\label\\{([^}]+)\\}");
  std::set<std::string> labels;
  const auto collect = [&](const std::string& from, const std::string& to) {
    const std::size_t begin = paper.find(from), end = paper.find(to, begin);
    ASSERT_NE(end, std::string::npos) << from;
    const std::string part = paper.substr(begin, end - begin);
    for (std::sregex_iterator match(part.begin(), part.end(), label), last; match != last;
         ++match) {
      labels.insert((*match)[1]);
    }
  };
  collect("\\section{Binary Labeling", "\\section{Related Works}");
  collect("\\section*{Proof of  Proposition \\ref{prop:H}}", "\\bibliographystyle");
  return labels;
}

TEST(PaperMap, HasEveryLabelOfTheSectionsItCovers) {
  const fs::path folder = fs::path(kRoot).parent_path() / "shared" / "paper";
  if (!fs::exists(folder))
    GTEST_SKIP() << "the paper's source is not beside the repository (../shared/paper)";
  std::set<std::string> mapped;
  for (const MapRow& row : map_rows()) {
    for (const std::string& tag : quoted(row.tags)) mapped.insert(tag);
  }
  for (const auto& file : fs::directory_iterator(folder)) {
    for (const std::string& label : labels_of(read_file(file.path())))
      EXPECT_TRUE(mapped.contains(label)) << label;
  }
}

}  // namespace
}  // namespace allot::test::paper_map_test
