#include "allot/io/group_csv.hpp"

#include <gtest/gtest.h>

namespace allot::io::group_csv_test {
namespace {

const std::vector<std::string> kWorkers{"ann", "small", "large", "bob", "other"};

TEST(GroupCsv, NumbersGroupsInTheOrderOfTheWorkers) {
  const auto groups =
      parse_groups("worker,group\nother,team\nlarge,llm\nsmall,llm\nnobody,else\nann,\n", kWorkers);
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->names, (std::vector<std::string>{"llm", "team"}));
  EXPECT_EQ(groups->of_worker, (std::vector<std::uint32_t>{0, 1, 1, 0, 2}));
}

TEST(GroupCsv, TakesAColumnOfALabelFile) {
  const auto groups = parse_groups(
      "item,worker,label,family\nr1,large,yes,llm\nr2,large,no,llm\nr1,ann,yes,\n", kWorkers);
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->of_worker, (std::vector<std::uint32_t>{0, 0, 1, 0, 0}));
}

TEST(GroupCsv, RefusesAWorkerInTwoGroups) {
  const auto groups = parse_groups("worker,group\nann,a\nann,b\n", kWorkers);
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error().message,
            "line 3: the group of worker 'ann' is 'b', but was 'a' before; expected one group");
}

TEST(GroupCsv, RefusesARowWithoutAWorker) {
  EXPECT_FALSE(parse_groups("worker,group\n,a\n", kWorkers));
  EXPECT_FALSE(parse_groups("worker,label\nann,a\n", kWorkers)) << "no column of groups";
}

}  // namespace
}  // namespace allot::io::group_csv_test
