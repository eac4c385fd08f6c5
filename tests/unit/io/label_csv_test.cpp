#include "allot/io/label_csv.hpp"

#include <gtest/gtest.h>

namespace allot::io::label_csv_test {
namespace {

using Names = std::vector<std::string>;
using Rows = std::vector<std::array<std::uint32_t, 3>>;

Rows rows(const LabelFile& file) {
  Rows result;
  for (const auto& [item, worker, label] : file.set.labels)
    result.push_back({position(item), position(worker), position(label)});
  return result;
}

std::string refusal(std::string_view text, Duplicates duplicates = Duplicates::error) {
  const auto file = parse_labels(text, {.duplicates = duplicates});
  return file ? "read" : file.error().message;
}

constexpr std::string_view kRepeated =
    "task,worker,label\n"
    "a,v,no\n"
    "a,w,maybe\n"
    "b,w,yes\n"
    "a,w,no\n"
    "a,w,yes\n";

TEST(LabelCsv, ReadsConfidencesOfANamedColumn) {
  LabelReading reading;
  reading.columns.confidence = "sure";
  reading.duplicates = Duplicates::last;
  const auto file = parse_labels(
      "task,worker,label,sure\na,v,no,\na,w,no,0.5\nb,w,,0.9\na,w,yes,80\nb,v,no,-2\n", reading);
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->set.labels.size(), 3U);
  ASSERT_EQ(file->set.confidences.size(), 3U);
  EXPECT_FALSE(model::has_confidence(file->set.confidences[0]));
  EXPECT_EQ(file->set.confidences[1], 80.0F);
  EXPECT_EQ(file->set.confidences[2], -2.0F);
  const auto lines = parse_labels(
      "{\"item\":\"a\",\"worker\":\"v\",\"label\":\"no\"}\n"
      "{\"item\":\"a\",\"worker\":\"w\",\"label\":\"no\",\"sure\":0.25}\n",
      reading);
  ASSERT_TRUE(lines) << lines.error().message;
  EXPECT_FALSE(model::has_confidence(lines->set.confidence(0)));
  EXPECT_EQ(lines->set.confidence(1), 0.25F);
  const std::string text = "task,worker,label,sure\na,v,no,high\n";
  EXPECT_NE(parse_labels(text, reading).error().message.find("line 2: the confidence 'high' is no"),
            std::string::npos);
  EXPECT_TRUE(parse_labels(text)->set.confidences.empty()) << "nobody asked for it";
  EXPECT_NE(parse_labels("task,worker,label\na,v,no\n", reading).error().message.find("named sure"),
            std::string::npos);
  EXPECT_NE(parse_labels("task,worker,label,sure\na,v,no,\n", reading)
                .error()
                .message.find("no label has a confidence in 'sure'"),
            std::string::npos);
}

TEST(LabelCsv, NumbersItemsAndWorkersByAppearanceAndClassesInOrder) {
  const auto file =
      parse_labels("task,worker,label\nb,ann,Yes\na,ann,no\nb,\"bob, jr\",Yes\n").value();
  EXPECT_EQ(file.items, (Names{"b", "a"}));
  EXPECT_EQ(file.workers, (Names{"ann", "bob, jr"}));
  EXPECT_EQ(file.classes, (Names{"no", "Yes"}));
  EXPECT_EQ(rows(file), (Rows{{0, 0, 1}, {1, 0, 0}, {0, 1, 1}}));
  EXPECT_EQ(file.set.item_count, 2U);
  EXPECT_EQ(file.set.worker_count, 2U);
  EXPECT_EQ(file.set.class_count, 2U);
}

TEST(LabelCsv, NamesTheRowItCannotRead) {
  EXPECT_EQ(refusal("task,worker,label\na,b,c\n,b,c\n"), "line 3: the item is empty");
  EXPECT_EQ(refusal("task,worker,label\na, ,c\n"), "line 2: the worker is empty");
  EXPECT_EQ(refusal("task,worker,label\n\"a\n\n\",b,c\nx,y\n"),
            "line 5: 2 fields; expected 3 as in the first row");
  EXPECT_EQ(refusal("task,worker,label\n").rfind("line 1: no label follows", 0), 0U);
  const std::string longest(65536, 'a');
  EXPECT_TRUE(parse_labels("task,worker,label\nt," + longest + ",c\n", {}));
  const std::string longer = refusal("task,worker,label\nt,w," + longest + "a\n");
  EXPECT_EQ(longer.rfind("line 2: the label 'aaaa", 0), 0U) << longer;
  EXPECT_NE(longer.find("has 65537 bytes; expected at most 65536"), std::string::npos) << longer;
}

TEST(LabelCsv, LeavesMissingLabelsOutAndCountsThem) {
  constexpr std::string_view kText = "task,worker,label\na,u,NA\na,v,no\na,w,\na,x,nan\na,y,None\n";
  const auto file = parse_labels(kText).value();
  EXPECT_EQ(file.classes, (Names{"no", "None"}));
  EXPECT_EQ(file.left_out, (LeftOutLabels{.missing = 3}));
  EXPECT_EQ(file.workers, (Names{"v", "y"})) << "workers without a label do not count";
  const auto named = parse_labels(kText, {.classes = {"NA"}}).value();
  EXPECT_EQ(named.classes, (Names{"NA", "no", "None"}));
  EXPECT_EQ(named.left_out.missing, 2U) << "a class that is named is a label";
  EXPECT_NE(refusal("task,worker,label\na,b,\"\"\n").find("except 1 that do not count"),
            std::string::npos);
}

TEST(LabelCsv, ColumnsMayBeNamed) {
  const auto file = parse_labels("sentence;coder;rating\ns1;ann;3\n",
                                 {.columns = {"sentence", "coder", "rating"}})
                        .value();
  EXPECT_EQ(file.items, (Names{"s1"}));
  EXPECT_EQ(file.classes, (Names{"3"}));
  EXPECT_EQ(file.item_column, "sentence");
  const std::string message = refusal("sentence;coder;rating\ns1;ann;3\n");
  EXPECT_NE(message.find("(--item-column names it)"), std::string::npos) << message;
}

TEST(LabelCsv, KeepsAllOrTheMajorityOfARepeatedPair) {
  const auto all = parse_labels(kRepeated, {.duplicates = Duplicates::all}).value();
  EXPECT_EQ(all.set.labels.size(), 5U);
  EXPECT_EQ(all.dropped, 0U);
  constexpr std::string_view kVoted =
      "task,worker,label\na,w,maybe\na,w,no\na,v,yes\na,w,no\nb,w,yes\nb,w,no\n";
  const auto voted = parse_labels(kVoted, {.duplicates = Duplicates::majority}).value();
  EXPECT_EQ(voted.classes, (Names{"no", "yes"}));
  EXPECT_EQ(rows(voted), (Rows{{0, 0, 0}, {0, 1, 1}, {1, 0, 1}})) << "a tie keeps the first";
  EXPECT_EQ(voted.dropped, 3U);
}

TEST(LabelCsv, HasTheNamedClassesInTheirOrderAndThenThoseOfTheLabels) {
  const auto file =
      parse_labels("task,worker,label\na,v,2\nb,v,10\nb,w,9\n", {.classes = {"3", "2", "3"}})
          .value();
  EXPECT_EQ(file.classes, (Names{"3", "2", "9", "10"}));
  EXPECT_EQ(file.set.class_count, 4U);
  EXPECT_EQ(rows(file), (Rows{{0, 0, 1}, {1, 0, 3}, {1, 1, 2}}));
}

TEST(LabelCsv, KeepsClassesInDifferentNotationsApartAndReportsThem) {
  const auto file =
      parse_labels("task,worker,label\na,u,1\na,v,yes\na,w,1.0\na,x,Yes\na,y,no\n").value();
  EXPECT_EQ(file.classes, (Names{"1", "1.0", "no", "Yes", "yes"}));
  EXPECT_EQ(file.doubtful, (std::vector<Names>{{"1", "1.0"}, {"Yes", "yes"}}));
}

TEST(LabelCsv, NamesBothRowsOfARepeatedPair) {
  const std::string message = refusal(kRepeated);
  EXPECT_EQ(message.rfind("line 5: item 'a' already has a label by worker 'w', in line 3", 0), 0U)
      << message;
}

TEST(LabelCsv, KeepsTheFirstOrTheLastOfARepeatedPairAtItsPlace) {
  const auto first = parse_labels(kRepeated, {.duplicates = Duplicates::first}).value();
  EXPECT_EQ(first.classes, (Names{"maybe", "no", "yes"}));
  EXPECT_EQ(rows(first), (Rows{{0, 0, 1}, {0, 1, 0}, {1, 1, 2}}));
  EXPECT_EQ(first.dropped, 2U);
  const auto last = parse_labels(kRepeated, {.duplicates = Duplicates::last}).value();
  EXPECT_EQ(last.classes, (Names{"no", "yes"})) << "no label is maybe any more";
  EXPECT_EQ(rows(last), (Rows{{0, 0, 0}, {1, 1, 1}, {0, 1, 1}}));
}

}  // namespace
}  // namespace allot::io::label_csv_test
