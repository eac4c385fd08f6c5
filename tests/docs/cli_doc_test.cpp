// docs/cli.md and README.md: every command, option and policy is described.
#include <gtest/gtest.h>

#include <regex>

#include "support/program.hpp"

namespace allot::test {
namespace {

/// The part of the page about a command; empty if there is none.
std::string section_of(const std::string& doc, const std::string& command) {
  const std::size_t begin = doc.find("## allot " + command + "\n");
  if (begin == std::string::npos) return "";
  return doc.substr(begin, doc.find("\n## ", begin + 1) - begin);
}

/// Options that the help text of a command names and the section does not; how many it names.
int check_options(const std::string& command, const std::string& section) {
  static const std::regex option("--[a-z-]+");
  const std::string help = allot(command + " --help").output;
  int options = 0;
  for (std::sregex_iterator match(help.begin(), help.end(), option), last; match != last;
       ++match, ++options) {
    if (match->str() == "--help") continue;
    EXPECT_NE(section.find("`" + match->str()), std::string::npos)
        << command << " " << match->str();
  }
  return options;
}

TEST(CliDoc, DescribesEveryOptionOfEveryCommand) {
  const std::string doc = read_file(root() + "/docs/cli.md");
  int options = 0;
  for (const std::string command : {"simulate", "replay", "exact", "plan", "aggregate", "reproduce",
                                    "serve", "demo", "policies"}) {
    const std::string section = section_of(doc, command);
    ASSERT_NE(section, "") << command;
    options += check_options(command, section);
  }
  EXPECT_GT(options, 15);
}

TEST(CliDoc, DescribesEveryCommandOfACampaign) {
  const std::string doc = read_file(root() + "/docs/cli.md");
  const std::string shared = section_of(doc, "campaign");
  const std::string help = allot("campaign --help").output;
  const std::string listed = help.substr(help.find("Subcommands:"));
  static const std::regex name("\n  ([a-z-]+) ");
  int commands = 0;
  for (std::sregex_iterator match(listed.begin(), listed.end(), name), last; match != last;
       ++match) {
    const std::string command = "campaign " + (*match)[1].str();
    if (command == "campaign allot") continue;  // an example
    const std::string section = section_of(doc, command);
    ASSERT_NE(section, "") << command;
    check_options(command, section + shared);
    ++commands;
  }
  EXPECT_EQ(commands, 21);
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
