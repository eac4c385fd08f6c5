// docs/cli.md and README.md: every command, option and policy is described.
#include <gtest/gtest.h>

#include <regex>

#include "support/program.hpp"

namespace allot::test {
namespace {

TEST(CliDoc, DescribesEveryOptionOfEveryCommand) {
  const std::string doc = read_file(root() + "/docs/cli.md");
  static const std::regex option("--[a-z-]+");
  int options = 0;
  for (const std::string command :
       {"simulate", "replay", "exact", "plan", "aggregate", "reproduce", "policies"}) {
    const std::size_t begin = doc.find("## allot " + command), end = doc.find("\n## ", begin + 1);
    ASSERT_NE(begin, std::string::npos) << command;
    const std::string section = doc.substr(begin, end - begin);
    const std::string help = allot(command + " --help").output;
    for (std::sregex_iterator match(help.begin(), help.end(), option), last; match != last;
         ++match, ++options) {
      if (match->str() == "--help") continue;
      EXPECT_NE(section.find("`" + match->str()), std::string::npos)
          << command << " " << match->str();
    }
  }
  EXPECT_GT(options, 15);
}

TEST(CliDoc, DescribesEveryPolicy) {
  const std::string doc = read_file(root() + "/docs/cli.md");
  const std::string listed = allot("policies").output;
  static const std::regex name("\n  ([a-zA-Z:-]+) ");
  int policies = 0;
  for (std::sregex_iterator match(listed.begin(), listed.end(), name), last; match != last;
       ++match, ++policies) {
    EXPECT_NE(doc.find("`" + (*match)[1].str() + "`"), std::string::npos) << (*match)[1];
  }
  EXPECT_EQ(policies, 14);
}

}  // namespace
}  // namespace allot::test
