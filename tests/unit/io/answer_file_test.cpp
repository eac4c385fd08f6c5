#include "allot/io/answer_file.hpp"

#include <gtest/gtest.h>

namespace allot::io::answer_file_test {
namespace {

std::string refusal(std::string_view text, const LabelReading& reading = {}) {
  const auto file = parse_answers(text, reading);
  return file ? "" : file.error().message;
}

TEST(AnswerFile, ReadsCsvAndJsonLinesAlike) {
  for (const char* text :
       {"task,worker,label\na,ann,yes\nb,bob,1\n",
        "{\"item\": \"a\", \"worker\": \"ann\", \"label\": \"yes\"}\n"
        "{\"label\": 1, \"worker\": \"bob\", \"item\": \"b\", \"fields\": {\"item\": 3}}\n"}) {
    const AnswerFile file = parse_answers(text).value();
    ASSERT_EQ(file.rows.size(), 2U);
    EXPECT_EQ(file.rows[0].item, "a");
    EXPECT_EQ(file.rows[0].worker, "ann");
    EXPECT_EQ(file.rows[0].label, "yes");
    EXPECT_EQ(file.rows[1].label, "1");
  }
}

TEST(AnswerFile, SkipsRowsWithoutALabel) {
  const AnswerFile file = parse_answers("item,worker,label\na,ann,\nb,ann,no\n").value();
  EXPECT_EQ(file.rows.size(), 1U);
  EXPECT_EQ(file.rows[0].line, 3U);
  EXPECT_EQ(file.left_out.missing, 1U);
  EXPECT_EQ(parse_answers("{\"item\": 1, \"worker\": \"a\"}\n").value().left_out.missing, 1U);
}

TEST(AnswerFile, PrefersItsOwnNamesToThoseOfOtherTools) {
  const AnswerFile file =
      parse_answers("item,question,worker,label,answer\na,Is it?,ann,yes,shown\n").value();
  EXPECT_EQ(file.rows[0].item, "a");
  EXPECT_EQ(file.rows[0].label, "yes");
}

TEST(AnswerFile, ColumnsMayBeNamed) {
  const AnswerFile file =
      parse_answers("HITId,Input.key,WorkerId,Answer.x,Answer.y\nh,a,W1,no,yes\n",
                    {.columns = {.item = "Input.key", .label = "Answer.y"}})
          .value();
  EXPECT_EQ(file.rows[0].item, "a");
  EXPECT_EQ(file.rows[0].worker, "W1");
  EXPECT_EQ(file.rows[0].label, "yes");
}

TEST(AnswerFile, AGivenWorkerAppliesToAllRows) {
  EXPECT_EQ(parse_answers("item,label\na,yes\n", {.worker = "ann"}).value().rows[0].worker, "ann");
  EXPECT_NE(refusal("item,worker,label\na,bob,yes\n", {.worker = "ann"})
                .find("line 2: worker 'bob' is not the worker of --worker"),
            std::string::npos);
}

TEST(AnswerFile, NamesTheLineItCouldNotRead) {
  EXPECT_NE(refusal("item,label\na,yes\n").find("no column holds the worker"), std::string::npos);
  EXPECT_EQ(refusal("item,worker,label\n,ann,yes\n"), "line 2: the item is empty");
  EXPECT_EQ(refusal("item,worker,label\na,ann,yes\nb,,yes\n"), "line 3: the worker is empty");
}

}  // namespace
}  // namespace allot::io::answer_file_test
