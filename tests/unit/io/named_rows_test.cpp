#include "io/named_rows.hpp"

#include <gtest/gtest.h>

namespace allot::io {
namespace {

std::string opened(std::string_view text) {
  const auto rows = NamedRows::open(text, {item_column(), worker_column(), label_column()});
  return rows ? "opened" : rows.error().message;
}

/// The first row's fields as the reader sees them.
std::string first(std::string_view text) {
  auto rows = NamedRows::open(text, {item_column(), worker_column(), label_column()});
  if (!rows) return rows.error().message;
  const auto found = rows->next();
  if (!found) return found.error().message;
  return std::string(rows->field(0)) + " " + std::string(rows->field(1)) + " " +
         std::string(rows->field(2));
}

TEST(NamedRows, FindsColumnsByTheNamesThatToolsUse) {
  for (const char* header :
       {"task,worker,label", "item,annotator,answer", "question,worker,answer",
        "object,performer,label", "HITId,WorkerId,Answer.category", "Task ID,User-Id,Response",
        "INPUT:image,ASSIGNMENT:worker_id,OUTPUT:result", "TASK,WORKER,LABEL"}) {
    EXPECT_EQ(first(std::string(header) + "\ni,w,l\n"), "i w l") << header;
  }
  EXPECT_EQ(first("!amt_annotation_ids\t!amt_worker_ids\torig_id\tresponse\tgold\n"
                  "99\tw\ti\tl\tg\n"),
            "i w l");
  EXPECT_EQ(first("worker\tobject\tlabel\nw\ti\tl"), "i w l");
  EXPECT_EQ(first("INPUT:a,INPUT:b,ASSIGNMENT:task_id,ASSIGNMENT:worker_id,OUTPUT:x\n"
                  "1,2,i,w,l"),
            "i w l");
}

TEST(NamedRows, FindsTheSeparator) {
  EXPECT_EQ(first("task;worker;label\ni,1;w;l"), "i,1 w l");
  EXPECT_EQ(first("\"task, renamed\";task;worker;label\nx;i;w;l"), "i w l");
}

TEST(NamedRows, PassesOverAByteOrderMark) {
  EXPECT_EQ(first("\xef\xbb\xbftask,worker,label\ni,w,l"), "i w l");
}

TEST(NamedRows, RefusesOtherEncodings) {
  EXPECT_NE(opened(std::string_view("\xff\xfet\0a\0", 6)).find("UTF-16"), std::string::npos);
  EXPECT_EQ(opened(std::string_view("task,worker,label\r\na,b\0,c", 26)),
            "line 2: a byte is zero; expected a text in UTF-8");
}

TEST(NamedRows, SaysWhichColumnIsMissingAndWhatWouldDo) {
  const std::string message = opened("\nfoo,worker,label\n");
  EXPECT_EQ(message.rfind("line 2: no column holds the item; the first row has 'foo', 'worker', "
                          "'label', expected a column named item, task, ",
                          0),
            0U)
      << message;
  EXPECT_EQ(opened("").rfind("line 1: the text is empty", 0), 0U);
  EXPECT_EQ(opened("w1\tobj1\tporn\n").rfind("line 1: no column holds the item", 0), 0U)
      << "a file without names is not guessed at";
}

TEST(NamedRows, DoesNotChooseBetweenTwoColumns) {
  EXPECT_EQ(opened("task,item,worker,label"),
            "line 1: the columns 'task', 'item' could all be the item; expected one of them");
}

TEST(NamedRows, RefusesRowsOfAnotherWidth) {
  EXPECT_EQ(first("task,worker,label\n\ni,w\n"),
            "line 3: 2 fields, expected 3 as in the first row");
  EXPECT_EQ(first("task,worker,label\ni,w,l,x\n"),
            "line 2: 4 fields, expected 3 as in the first row");
}

}  // namespace
}  // namespace allot::io
