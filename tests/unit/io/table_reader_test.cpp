#include "io/table_reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace allot::io::table_reader_test {
namespace {

std::string opened(std::string_view text) {
  const auto rows = TableReader::open(text, {item_column(), worker_column(), label_column()});
  return rows ? "opened" : rows.error().message;
}

/// The first row's fields as the reader sees them.
std::string first(std::string_view text) {
  auto rows = TableReader::open(text, {item_column(), worker_column(), label_column()});
  if (!rows) return rows.error().message;
  const auto found = rows->next();
  if (!found) return found.error().message;
  return std::string(rows->field(0)) + " " + std::string(rows->field(1)) + " " +
         std::string(rows->field(2));
}

TEST(TableReader, FindsColumnsByTheNamesThatToolsUse) {
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

TEST(TableReader, FindsTheSeparator) {
  EXPECT_EQ(first("task;worker;label\ni,1;w;l"), "i,1 w l");
  EXPECT_EQ(first("\"task, renamed\";task;worker;label\nx;i;w;l"), "i w l");
}

TEST(TableReader, SkipsAByteOrderMark) {
  EXPECT_EQ(first("\xef\xbb\xbftask,worker,label\ni,w,l"), "i w l");
}

TEST(TableReader, RefusesOtherEncodings) {
  EXPECT_NE(opened(std::string_view("\xff\xfet\0a\0", 6)).find("UTF-16"), std::string::npos);
  EXPECT_EQ(opened(std::string_view("task,worker,label\r\na,b\0,c", 26)),
            "line 2: a byte is zero; expected UTF-8 text");
}

TEST(TableReader, NamesBinaryFormats) {
  using namespace std::string_literals;
  EXPECT_EQ(opened("PK\x03\x04\0\0"s),
            "the file is a zip archive; expected text, plain or gzip");
  EXPECT_EQ(opened("PAR1\0"s), "the file is a Parquet file; expected text, plain or gzip");
}

TEST(TableReader, NamesTheMissingColumnAndTheAcceptedNames) {
  const std::string message = opened("\nfoo,worker,label\n");
  EXPECT_EQ(message.rfind("line 2: no column holds the item; the first row has 'foo', 'worker', "
                          "'label'; expected a column named item, task, ",
                          0),
            0U)
      << message;
  EXPECT_EQ(opened("").rfind("line 1: the text is empty", 0), 0U);
  EXPECT_EQ(opened("w1\tobj1\tporn\n").rfind("line 1: no column holds the item", 0), 0U)
      << "a file without names is not guessed at";
}

TEST(TableReader, DoesNotChooseBetweenTwoColumns) {
  EXPECT_EQ(opened("task,item,worker,label"),
            "line 1: the columns 'task', 'item' could all be the item; expected one of them");
}

TEST(TableReader, RefusesRowsOfAnotherWidth) {
  EXPECT_EQ(first("task,worker,label\n\ni,w\n"),
            "line 3: 2 fields; expected 3 as in the first row");
  EXPECT_EQ(first("task,worker,label\ni,w,l,x\n"),
            "line 2: 4 fields; expected 3 as in the first row");
}

TEST(TableReader, NamesTheLineAndTheByteThatIsNotUtf8) {
  const std::string head = "task,worker,label\n";
  for (const char* good :
       {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf", "\xef\xbf\xbf",
        "\xf4\x8f\xbf\xbf", "\xc2\x80", "\xe0\xa0\x80", "\xf0\x90\x80\x80"}) {
    EXPECT_EQ(first(head + "i,w," + good + "\n"), std::string("i w ") + good);
  }
  for (const std::string bad :
       {"\xe9", "\x80", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    for (const std::size_t before : {0U, 1U, 7U, 8U, 100U}) {
      const std::string message =
          opened(head + "i,w,l\n" + std::string(before, 'x') + bad + " and more,w,l\n");
      EXPECT_EQ(message.rfind(fmt::format("line 3: byte 0x{:02X} is not UTF-8",
                                          static_cast<unsigned char>(bad[0])),
                              0),
                0U)
          << message;
    }
  }
}

}  // namespace
}  // namespace allot::io::table_reader_test
