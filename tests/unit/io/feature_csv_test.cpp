#include "allot/io/feature_csv.hpp"

#include <gtest/gtest.h>

#include "allot/io/truth_csv.hpp"

namespace allot::io::feature_csv_test {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<double>;

LabelFile labels() { return parse_labels("task,worker,label\na,v,3\nb,v,1\nc,v,3\n").value(); }

std::string refusal(std::string_view text) {
  const auto file = parse_features(text, labels());
  return file ? "read" : file.error().message;
}

TEST(FeatureCsv, IsInTheOrderOfTheLabels) {
  const FeatureFile file =
      parse_features("task,x,y\nc,3,-0.5\nz,9,1e3\na,+1,.5\nb, 2 ,\"-1\"\ny,8,0\n", labels())
          .value();
  EXPECT_EQ(file.features.item_count, 5U);
  EXPECT_EQ(file.features.names, (Names{"x", "y"}));
  EXPECT_EQ(file.features.values, (Numbers{1, 0.5, 2, -1, 3, -0.5, 9, 1000, 8, 0}));
  EXPECT_EQ(file.unlabelled, (Names{"z", "y"}));
}

TEST(FeatureCsv, GrowsTheItemsOfTheLabels) {
  LabelFile file = labels();
  append_items(file, {"z", "y"});
  EXPECT_EQ(file.items, (Names{"a", "b", "c", "z", "y"}));
  EXPECT_EQ(file.set.item_count, 5U);
  EXPECT_EQ(file.set.labels, labels().set.labels);
  const Truth truth = parse_truth("task,truth\ny,1\nx,1\n", file).value();
  EXPECT_EQ(truth.of_item[4], ClassId{0}) << "the truth knows the new items as well";
  EXPECT_EQ(truth.elsewhere, 1U);
}

TEST(FeatureCsv, FindsTheItemByNameOrInFront) {
  const Numbers values{1, 2, 3};
  for (const char* text : {"name,x\na,1\nb,2\nc,3\n",   // no name of items: the first column
                           "x,HITId\n1,a\n2,b\n3,c\n",  // one anywhere
                           "\tx\na\t1\nb\t2\nc\t3\n",   // as pandas writes an index
                           "\xef\xbb\xbfx;item_id\r\n1;a\r\n2;b\r\n3;c\r\n"}) {
    const auto file = parse_features(text, labels());
    ASSERT_TRUE(file) << text << file.error().message;
    EXPECT_EQ(file->features.values, values) << text;
  }
  const auto file = parse_features("item,object\na,1\nb,2\nc,3\n", labels());
  ASSERT_TRUE(file) << "the first column if that is one of several";
  EXPECT_EQ(file->features.names, Names{"object"});
  EXPECT_EQ(refusal("x,item,object\n1,a,1\n"),
            "line 1: the columns 'item', 'object' could all be the item; expected one of them");
}

TEST(FeatureCsv, IsRefusedWithLineAndColumn) {
  const auto number = [](const char* field) {
    return refusal(std::string("task,x,width\na,1,2\n\nb,1,") + field + "\nc,1,1\n");
  };
  EXPECT_EQ(number("wide"),
            "line 4: column 'width' of item 'b' is 'wide'; expected a finite number such as 0.25");
  EXPECT_EQ(number(""),
            "line 4: column 'width' of item 'b' is empty; expected a finite number such as "
            "0.25");
  for (const char* field :
       {"inf", "-inf", "nan", "NA", "1e999", "0x10", "1 2", "--1", "+-1", "1.2.3", "\"1,5\""}) {
    EXPECT_EQ(number(field).rfind("line 4: column 'width' of item 'b' is '", 0), 0U) << field;
  }
  EXPECT_EQ(number("-2e100"),
            "line 4: column 'width' of item 'b' is '-2e100'; expected at most 1e100 in size");
  EXPECT_EQ(refusal("task,x\na,1\nb,2\nc,3\na,1\n"),
            "line 5: item 'a' already has a row, line 2; expected one row per item");
  EXPECT_EQ(refusal("task,x,y\na,1\n"), "line 2: 2 fields; expected 3 as in the first row");
  EXPECT_EQ(refusal("task,x\na,1,2\n"), "line 2: 3 fields; expected 2 as in the first row");
  EXPECT_EQ(refusal("task,x\n,1\n"), "line 2: the item is empty, in column 'task'");
}

TEST(FeatureCsv, NeedsColumnsWithNames) {
  EXPECT_EQ(refusal("task,x,y,x\na,1,2,3\n"),
            "line 1: two columns are named 'x'; expected each name once");
  EXPECT_EQ(refusal("task,x,task\na,1,2\n"),
            "line 1: two columns are named 'task'; expected each name once");
  EXPECT_EQ(refusal(",task,x\n0,a,1\n"),
            "line 1: column 1 has no name; expected one for every feature");
  EXPECT_EQ(refusal("task\na\nb\nc\n"),
            "line 1: the only column is 'task', which holds the item; expected one column per "
            "feature besides it (separated by commas, tabs or semicolons)");
  EXPECT_EQ(refusal(""), "line 1: the text is empty; expected a row that names the columns");
}

TEST(FeatureCsv, MustHaveARowForEveryItemWithLabels) {
  EXPECT_EQ(refusal("task,x\nb,2\nc,2\n"),
            "column 'task' lacks an item of the labels: 'a'; expected one row per item "
            "with labels");
  EXPECT_EQ(refusal("task,x\n"),
            "column 'task' lacks 3 items of the labels: 'a', 'b', 'c'; expected one row per item "
            "with labels");
}

}  // namespace
}  // namespace allot::io::feature_csv_test
