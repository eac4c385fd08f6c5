// Each layer includes only layers below it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "support/program.hpp"

namespace allot::test::layers_test {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::set<std::string>> kBelow{
    {"base", {}},
    {"math", {"base"}},
    {"figure", {"base"}},
    {"audit", {"base", "math"}},
    {"model", {"base", "math"}},
    {"index", {"base", "math", "model"}},
    {"policy", {"base", "math", "model", "index"}},
    {"io", {"base", "math", "model", "index", "policy"}},
    {"store", {"base"}},
    {"campaign", {"base", "math", "audit", "model", "index", "policy", "io", "store"}},
    {"aggregate", {"base", "math", "model"}},
    {"sim", {"base", "math", "model", "index", "policy", "aggregate"}},
    {"reproduce", {"base", "math", "model", "index", "policy", "io", "aggregate", "sim", "figure"}},
    {"http", {"base"}},
    {"serve",
     {"base", "math", "audit", "model", "index", "policy", "io", "store", "campaign", "aggregate",
      "http", "bridge"}},
    {"bridge",
     {"base", "math", "audit", "model", "index", "policy", "io", "store", "campaign", "http"}},
    {"demo", {"base", "io", "campaign", "http", "serve"}},
    {"cli",
     {"base", "math", "model", "index", "policy", "io", "store", "campaign", "aggregate", "sim",
      "figure", "audit", "reproduce", "http", "serve", "bridge", "demo"}},
    {"bindings",
     {"base", "math", "model", "index", "policy", "io", "store", "campaign", "aggregate", "sim",
      "figure", "audit", "cli"}},
};

void check_file(const fs::path& file, const std::string& layer) {
  static const std::regex include("#include \"(?:allot/)?([a-z_]+)/[a-z_]+\\.hpp\"");
  const std::string text = read_file(file);
  for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match) {
    const std::string other = (*match)[1];
    EXPECT_TRUE(other == layer || kBelow.at(layer).contains(other))
        << file << " includes a header of " << other;
  }
}

// Tests are compiled in batches; equal names of helpers must not meet.
TEST(Layers, TestFilesHaveNamespacesOfTheirOwn) {
  int files = 0;
  for (const auto& file : fs::recursive_directory_iterator(root() + "/tests")) {
    const std::string name = file.path().stem();
    if (file.path().extension() != ".cpp" || !name.ends_with("_test")) continue;
    EXPECT_NE(read_file(file.path()).find("::" + name + " {\nnamespace {\n"), std::string::npos)
        << file.path();
    ++files;
  }
  EXPECT_GT(files, 200);
}

/// The initializers of objects in braces, up to the first TRY in each.
std::vector<std::string> braces_before_try(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t at = text.find("TRY("); at != std::string::npos;
       at = text.find("TRY(", at + 1)) {
    // Back to the brace around it, over whole pairs; a statement ends the search.
    int depth = 0;
    for (std::size_t n = at; n-- > 0 && text[n] != ';';) {
      if (text[n] == '}') ++depth;
      if (text[n] != '{' || depth-- > 0) continue;
      const std::size_t before = text.find_last_not_of(" \n", n - 1);
      const auto ahead = std::string_view(text).substr(0, before + 1);
      const bool is_block = std::ranges::any_of(
          std::array{")", "]", ">", " const", " else", " do", " try", "mutable"},
          [&](const char* end) { return ahead.ends_with(end); });
      if (!is_block) found.push_back(text.substr(n, at - n));
      break;
    }
  }
  return found;
}

// See base/try.hpp. A member before TRY would leak.
TEST(Layers, TryStandsFirstInBraces) {
  EXPECT_EQ(braces_before_try("f() { return A{a, TRY(b())}; }"), std::vector<std::string>{"{a, "});
  EXPECT_EQ(braces_before_try("if (a) { x = TRY(b()); }"), std::vector<std::string>());
  int seen = 0;
  for (const auto& file : fs::recursive_directory_iterator(root() + "/src")) {
    if (!file.is_regular_file()) continue;
    const std::string text = read_file(file.path());
    for (const std::string& braces : braces_before_try(text)) {
      ++seen;
      EXPECT_EQ(braces.find(','), std::string::npos) << file.path() << ": " << braces << "TRY(";
    }
  }
  EXPECT_GT(seen, 5);
}

TEST(Layers, IncludeOnlyThoseBelow) {
  int files = 0;
  for (const char* part : {"/include/allot", "/src"}) {
    for (const auto& layer : fs::directory_iterator(root() + part)) {
      if (!layer.is_directory()) continue;
      ASSERT_TRUE(kBelow.contains(layer.path().filename()))
          << layer.path() << " is not a known layer";
      for (const auto& file : fs::directory_iterator(layer)) {
        check_file(file, layer.path().filename());
        ++files;
      }
    }
  }
  for (const auto& file : fs::directory_iterator(root() + "/python/bindings"))
    check_file(file, "bindings");
  EXPECT_GT(files, 30);
}

TEST(Layers, LibraryHeaderIncludesEveryPublicHeader) {
  const std::string library = read_file(root() + "/include/allot/allot.hpp");
  int headers = 0;
  for (const auto& layer : fs::directory_iterator(root() + "/include/allot")) {
    if (!layer.is_directory()) continue;
    for (const auto& file : fs::directory_iterator(layer)) {
      const std::string header = fmt::format("allot/{}/{}", layer.path().filename().string(),
                                             file.path().filename().string());
      EXPECT_NE(library.find(fmt::format("#include \"{}\"", header)), std::string::npos)
          << header << " is missing in allot.hpp";
      ++headers;
    }
  }
  EXPECT_GT(headers, 90);
}

/// The names in the table of a layer in docs/architecture.md.
std::set<std::string> files_in_table(const std::string& page, const std::string& layer) {
  const std::size_t begin = page.find("\n### " + layer + "\n");
  if (begin == std::string::npos) return {};
  const std::size_t end = std::min(page.find("\n#", begin + 2), page.size());
  std::set<std::string> names;
  for (std::size_t at = page.find("\n| ", begin); at < end; at = page.find("\n| ", at + 1)) {
    const std::size_t open = page.find('`', at), close = page.find('`', open + 1);
    if (close < page.find('\n', at + 1)) names.insert(page.substr(open + 1, close - open - 1));
  }
  return names;
}

TEST(Layers, HaveATableOfFilesInTheArchitecture) {
  const std::string page = read_file(root() + "/docs/architecture.md");
  for (const auto& [layer, below] : kBelow) {
    std::set<std::string> files;
    for (const std::string part : {"/include/allot/", "/src/", "/python/"}) {
      if (!fs::exists(root() + part + layer)) continue;
      for (const auto& file : fs::directory_iterator(root() + part + layer)) {
        files.insert(file.path().stem());
      }
    }
    const std::set<std::string> named = files_in_table(page, layer);
    EXPECT_GE(3 * named.size(), files.size()) << layer << ": most files are missing";
    for (const std::string& name : named) {
      EXPECT_TRUE(files.contains(name)) << layer << " has no file '" << name << "'";
    }
  }
}

}  // namespace
}  // namespace allot::test::layers_test
