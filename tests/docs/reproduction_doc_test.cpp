// docs/reproduction.md is a report of `allot reproduce` and has all it makes.
#include <gtest/gtest.h>

#include "reproduce/study.hpp"
#include "support/folder.hpp"
#include "support/places.hpp"

namespace allot::test::reproduction_doc_test {
namespace {

TEST(ReproductionDoc, HasEveryStudy) {
  const std::string doc = read_file(root() + "/docs/reproduction.md");
  EXPECT_NE(doc.find("Made by `allot reproduce --runs "), std::string::npos);
  EXPECT_NE(doc.find("## Differences from the paper"), std::string::npos);
  for (const reproduce::Study& study : reproduce::studies()) {
    const std::size_t at = doc.find("## " + study.title + " (`" + study.label + "`)");
    ASSERT_NE(at, std::string::npos) << study.label;
    EXPECT_EQ(doc.compare(at, 2, "##"), 0);
    const std::string section = doc.substr(at, doc.find("\n## ", at + 1) - at);
    EXPECT_NE(section.find("| Claim | Verdict | Numbers |"), std::string::npos)
        << study.label << " was not made";
  }
}

}  // namespace
}  // namespace allot::test::reproduction_doc_test
