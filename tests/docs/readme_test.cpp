// README.md shows what the program prints and code that compiles.
#include <gtest/gtest.h>

#include <regex>

#include "support/program.hpp"

namespace allot::test {
namespace {

const std::string kRoot = root();

/// What `./run` without arguments runs.
std::string default_arguments() {
  const std::string script = read_file(kRoot + "/run");
  std::smatch match;
  return std::regex_search(script, match, std::regex("set -- (simulate .*)")) ? match[1].str() : "";
}

TEST(Readme, ShowsWhatTheProgramPrints) {
  const std::string readme = read_file(kRoot + "/README.md");
  static const std::regex block("```\n\\$ \\./run ?([^\n]*)\n([^`]*)```");
  int blocks = 0;
  for (std::sregex_iterator match(readme.begin(), readme.end(), block), end; match != end;
       ++match, ++blocks) {
    const std::string arguments =
        (*match)[1].str().empty() ? default_arguments() : (*match)[1].str();
    EXPECT_EQ((*match)[2].str(), allot(arguments).output) << arguments;
  }
  EXPECT_EQ(blocks, 8);
}

TEST(Readme, ShowsTheExampleThatIsBuiltAgainstAnInstalledCopy) {
  const std::string readme = read_file(kRoot + "/README.md");
  const std::string example = read_file(kRoot + "/tests/install/consumer/ask.cpp");
  const std::string code = example.substr(example.find("#include"));
  EXPECT_NE(readme.find("```cpp\n" + code + "```"), std::string::npos);
}

}  // namespace
}  // namespace allot::test
