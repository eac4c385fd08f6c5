#include "allot/io/truth_csv.hpp"

#include <gtest/gtest.h>

namespace allot::io::truth_csv_test {
namespace {

using Names = std::vector<std::string>;

LabelFile labels() { return parse_labels("task,worker,label\na,v,3\nb,v,1\nc,v,3\n").value(); }

std::optional<ClassId> known(std::uint32_t label) { return ClassId{label}; }

std::string refusal(std::string_view text) {
  LabelFile file = labels();
  const auto truth = parse_truth(text, file);
  return truth ? "read" : truth.error().message;
}

TEST(TruthCsv, IsGivenItemByItem) {
  LabelFile file = labels();
  const Truth truth = parse_truth("task,label\nc,3\na,1\nz,1\n", file).value();
  EXPECT_EQ(truth.of_item, (std::vector<std::optional<ClassId>>{known(0), {}, known(1)}));
  EXPECT_EQ(truth.known, 2U);
  EXPECT_EQ(truth.elsewhere, 1U);
  EXPECT_EQ(file.classes, (Names{"1", "3"}));
}

TEST(TruthCsv, MayHaveClassesThatNoLabelHas) {
  const Truth truth = parse_truth("item,truth\na,2\nb,3\nc,2\nz,0\n", labels()).value();
  EXPECT_GE(position(*truth.of_item[0]), 2U) << "no answer is that class";
  EXPECT_EQ(truth.of_item[1], known(1));
  EXPECT_EQ(truth.foreign, Names{"2"}) << "class 0 belongs to no item of the labels";
  EXPECT_EQ(truth.foreign_items, 2U);
  EXPECT_EQ(truth.known, 3U);
  EXPECT_TRUE(truth.matched.empty());
}

TEST(TruthCsv, MustShareAClassWithTheLabels) {
  EXPECT_EQ(refusal("item,truth\nz,1\na,2\nb,x\n"),
            "line 3: no truth is a class of the labels: the truths are '2', 'x', the labels are "
            "'1', '3'; "
            "expected the same classes");
  EXPECT_EQ(refusal("item,truth\nz,2\n"), "read") << "it is about other items";
}

TEST(TruthCsv, IsMatchedInAnotherNotation) {
  const auto file = parse_labels("task,worker,label\na,v,True\nb,v,false\nc,v,1\n").value();
  const Truth truth = parse_truth("task,truth\na,TRUE\nb,false\nc,01.0\na,true\n", file).value();
  EXPECT_EQ(truth.of_item, (std::vector<std::optional<ClassId>>{known(2), known(1), known(0)}));
  EXPECT_EQ(truth.matched,
            (std::vector<std::pair<std::string, std::string>>{{"TRUE", "True"}, {"01.0", "1"}}));
  EXPECT_EQ(truth.foreign_items, 0U);
}

TEST(TruthCsv, IsNotGuessedIfTwoClassesMatch) {
  const auto file = parse_labels("task,worker,label\na,v,Yes\nb,v,yes\nc,v,no\n").value();
  EXPECT_EQ(file.doubtful, (std::vector<Names>{{"Yes", "yes"}}));
  const Truth truth = parse_truth("task,truth\na,YES\nb,yes\nc,no\n", file).value();
  EXPECT_EQ(truth.foreign, Names{"YES"});
  EXPECT_EQ(truth.of_item[1], known(2));
}

TEST(TruthCsv, StandsInAColumnOfItsOwnIfThereIsOne) {
  LabelFile file = labels();
  const Truth truth =
      parse_truth("!amt_worker_ids\torig_id\tresponse\tgold\nw\ta\t1\t3\nx\ta\t3\t3\n", file)
          .value();
  EXPECT_EQ(truth.of_item[0], known(1));
}

TEST(TruthCsv, MayBeUnknown) {
  LabelFile file = labels();
  const Truth truth = parse_truth("task,gold\na,\nb,1\n", file).value();
  EXPECT_FALSE(truth.of_item[0]);
  EXPECT_EQ(truth.known, 1U);
}

TEST(TruthCsv, MustNotContradictItself) {
  EXPECT_EQ(refusal("task,gold\na,1\nb,1\na,1\na,3\n"),
            "line 5: the truth of item 'a' is '3', but '1' in line 2; expected one truth");
  EXPECT_EQ(refusal("task,gold\n,1\n"), "line 2: the item is empty");
  EXPECT_EQ(refusal("task,x\na,1\n").rfind("line 1: no column holds the truth", 0), 0U);
}

}  // namespace
}  // namespace allot::io::truth_csv_test
