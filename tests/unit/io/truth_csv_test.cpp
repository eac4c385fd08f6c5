#include "allot/io/truth_csv.hpp"

#include <gtest/gtest.h>

namespace allot::io {
namespace {

using Names = std::vector<std::string>;

LabelFile labels() { return parse_labels("task,worker,label\na,v,3\nb,v,1\nc,v,3\n").value(); }

std::optional<ClassId> one(std::uint32_t label) { return ClassId{label}; }

std::string refusal(std::string_view text) {
  LabelFile file = labels();
  const auto truth = parse_truth(text, file);
  return truth ? "read" : truth.error().message;
}

TEST(TruthCsv, IsGivenItemByItem) {
  LabelFile file = labels();
  const Truth truth = parse_truth("task,label\nc,3\na,1\nz,1\n", file).value();
  EXPECT_EQ(truth.of_item, (std::vector<std::optional<ClassId>>{one(0), {}, one(1)}));
  EXPECT_EQ(truth.known, 2U);
  EXPECT_EQ(truth.elsewhere, 1U);
  EXPECT_EQ(file.classes, (Names{"1", "3"}));
}

TEST(TruthCsv, AddsItsClassesInTheirOrder) {
  LabelFile file = labels();
  const Truth truth = parse_truth("item,truth\na,2\nb,3\nz,0\n", file).value();
  EXPECT_EQ(file.classes, (Names{"1", "2", "3"})) << "class 0 belongs to no item of the labels";
  EXPECT_EQ(file.set.class_count, 3U);
  EXPECT_EQ(file.set.labels[0].label, ClassId{2});
  EXPECT_EQ(file.set.labels[1].label, ClassId{0});
  EXPECT_EQ(truth.of_item, (std::vector<std::optional<ClassId>>{one(1), one(2), {}}));
}

TEST(TruthCsv, StandsInAColumnOfItsOwnIfThereIsOne) {
  LabelFile file = labels();
  const Truth truth =
      parse_truth("!amt_worker_ids\torig_id\tresponse\tgold\nw\ta\t1\t3\nx\ta\t3\t3\n", file)
          .value();
  EXPECT_EQ(truth.of_item[0], one(1));
}

TEST(TruthCsv, MayBeUnknown) {
  LabelFile file = labels();
  const Truth truth = parse_truth("task,gold\na,\nb,1\n", file).value();
  EXPECT_FALSE(truth.of_item[0]);
  EXPECT_EQ(truth.known, 1U);
}

TEST(TruthCsv, MustNotContradictItself) {
  EXPECT_EQ(refusal("task,gold\na,1\nb,1\na,1\na,3\n"),
            "line 5: the truth of item 'a' is '3', but '1' in line 2");
  EXPECT_EQ(refusal("task,gold\n,1\n"), "line 2: the item is empty");
  EXPECT_EQ(refusal("task,x\na,1\n").rfind("line 1: no column holds the truth", 0), 0U);
}

}  // namespace
}  // namespace allot::io
