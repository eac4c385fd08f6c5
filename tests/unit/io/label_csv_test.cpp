#include "allot/io/label_csv.hpp"

#include <gtest/gtest.h>

namespace allot::io {
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
  const auto file = parse_labels(text, duplicates);
  return file ? "read" : file.error().message;
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
  EXPECT_EQ(refusal("task,worker,label\na,b,\"\"\n"), "line 2: the label is empty");
  EXPECT_EQ(refusal("task,worker,label\n\"a\n\n\",b,c\nx,y\n"),
            "line 5: 2 fields; expected 3 as in the first row");
  EXPECT_EQ(refusal("task,worker,label\n").rfind("line 1: no label follows", 0), 0U);
}

TEST(LabelCsv, HasClassesOfTheLabelsAndThoseNamed) {
  const auto file =
      parse_labels("task,worker,label\na,v,2\nb,v,10\n", Duplicates::error, {"3", "2"}).value();
  EXPECT_EQ(file.classes, (Names{"2", "3", "10"}));
  EXPECT_EQ(file.set.class_count, 3U);
  EXPECT_EQ(rows(file), (Rows{{0, 0, 0}, {1, 0, 2}}));
}

TEST(LabelCsv, KeepsClassesInDifferentNotationsApartAndReportsThem) {
  const auto file =
      parse_labels("task,worker,label\na,u,1\na,v,yes\na,w,1.0\na,x,Yes\na,y,no\n").value();
  EXPECT_EQ(file.classes, (Names{"1", "1.0", "no", "Yes", "yes"}));
  EXPECT_EQ(file.doubtful, (std::vector<Names>{{"1", "1.0"}, {"Yes", "yes"}}));
}

constexpr std::string_view kRepeated =
    "task,worker,label\n"
    "a,v,no\n"
    "a,w,maybe\n"
    "b,w,yes\n"
    "a,w,no\n"
    "a,w,yes\n";

TEST(LabelCsv, NamesBothRowsOfARepeatedPair) {
  const std::string message = refusal(kRepeated);
  EXPECT_EQ(message.rfind("line 5: item 'a' already has a label by worker 'w', in line 3", 0), 0U)
      << message;
}

TEST(LabelCsv, KeepsTheFirstOrTheLastOfARepeatedPairAtItsPlace) {
  const auto first = parse_labels(kRepeated, Duplicates::first).value();
  EXPECT_EQ(first.classes, (Names{"maybe", "no", "yes"}));
  EXPECT_EQ(rows(first), (Rows{{0, 0, 1}, {0, 1, 0}, {1, 1, 2}}));
  EXPECT_EQ(first.dropped, 2U);
  const auto last = parse_labels(kRepeated, Duplicates::last).value();
  EXPECT_EQ(last.classes, (Names{"no", "yes"})) << "no label is maybe any more";
  EXPECT_EQ(rows(last), (Rows{{0, 0, 0}, {1, 1, 1}, {0, 1, 1}}));
}

}  // namespace
}  // namespace allot::io
