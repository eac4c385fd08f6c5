// Files of finished answers, and of verdicts on them.
#include "allot/io/finished_answers.hpp"

#include <gtest/gtest.h>

#include "allot/io/verdict_csv.hpp"

namespace allot::test::finished_answers_test {
namespace {

using io::FinishedAnswers;

std::string refusal(const std::string& text) {
  const auto file = io::parse_finished_answers(text);
  return file ? "accepted" : file.error().message;
}

void expect_message(const std::string& message, const std::string& wrong,
                    const std::string& expected) {
  EXPECT_NE(message.find(wrong), std::string::npos) << message;
  EXPECT_NE(message.find(expected), std::string::npos) << message;
}

TEST(FinishedAnswers, AreReadAsAggregateWritesThem) {
  const auto file = io::parse_finished_answers(
      "item,answer,probability,labels,p_no,p_yes\na,yes,0.75,3,0.25,0.75\nb,no,1,3,1,0\n");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->items, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(file->classes, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(file->answers, (std::vector<ClassId>{ClassId{1}, ClassId{0}}));
  EXPECT_EQ(file->stated, (std::vector<double>{0.75, 1}));
}

TEST(FinishedAnswers, HaveOtherNamesAndClasses) {
  const auto file =
      io::parse_finished_answers("task,agg_label,confidence\na,2,0.5\nb,10,0.6\n", {"1"});
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->classes, (std::vector<std::string>{"1", "2", "10"}));
  EXPECT_EQ(file->answers, (std::vector<ClassId>{ClassId{1}, ClassId{2}}));
}

TEST(FinishedAnswers, NeedNoProbability) {
  EXPECT_TRUE(io::parse_finished_answers("item,answer\na,yes\n")->stated.empty());
  EXPECT_TRUE(io::parse_finished_answers("item,answer,probability\na,x,\nb,x,\n")->stated.empty());
}

TEST(FinishedAnswers, LeaveItemsWithoutAnAnswerOut) {
  const auto file =
      io::parse_finished_answers("item,answer,probability\na,x,0.9\nb,,\nc,y,0.8\nd,,0.5\n");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->items, (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(file->stated, (std::vector<double>{0.9, 0.8}));
  EXPECT_EQ(file->unanswered, 2U);
}

TEST(FinishedAnswers, NameTheRowThatCannotBeRead) {
  expect_message(refusal("item,answer,probability\na,x,1.5\n"),
                 "line 2: the probability of item 'a' is '1.5'", "expected a number from 0 to 1");
  expect_message(refusal("item,answer,probability\na,x,0.5\nb,x,\n"), "line 3: item 'b' has no",
                 "expected one");
  expect_message(refusal("item,answer\na,x\nb,y\na,x\n"),
                 "line 4: item 'a' already has an answer, in line 2", "expected one");
  expect_message(refusal("item,answer\na,\n"), "no answers", "below the first row");
  expect_message(refusal("item,answer\n"), "no answers", "below the first row");
  expect_message(refusal("item,worker\na,x\n"), "answer", "expected");
  expect_message(refusal("item,answer,probability,Probability\na,x,1,1\n"), "could all be",
                 "expected one of them");
}

const FinishedAnswers kAnswers =
    io::parse_finished_answers("item,answer\na,true\nb,false\nc,true\n").value();

std::string verdict_refusal(const std::string& rows) {
  const auto verdicts = io::parse_verdicts("item,truth\n" + rows, kAnswers, {true, true, false});
  return verdicts ? "accepted" : verdicts.error().message;
}

TEST(Verdicts, AreReadInAnyNotation) {
  const auto verdicts =
      io::parse_verdicts("item,note,truth\nb,,TRUE\na,,\nb,,true\n", kAnswers, {true, true, false});
  ASSERT_TRUE(verdicts.has_value()) << verdicts.error().message;
  EXPECT_EQ((*verdicts)[0], std::nullopt);
  EXPECT_EQ((*verdicts)[1], ClassId{1});
}

TEST(Verdicts, NameTheRowThatCannotBeRead) {
  expect_message(verdict_refusal("c,true\n"), "line 2: item 'c' was not drawn", "same options");
  expect_message(verdict_refusal("z,true\n"), "line 2: item 'z' has no answer", "expected an item");
  expect_message(verdict_refusal("a,true\nb,maybe\n"), "line 3: the truth 'maybe' of item 'b'",
                 "expected 'false', 'true'");
  expect_message(verdict_refusal("a,true\na,false\n"),
                 "line 3: the truth of item 'a' is 'false', but 'true' in line 2",
                 "expected one truth");
  expect_message(verdict_refusal(",true\n"), "line 2: the item is empty", "");
}

}  // namespace
}  // namespace allot::test::finished_answers_test
