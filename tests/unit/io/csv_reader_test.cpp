#include "io/csv_reader.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace allot::io::csv_reader_test {
namespace {

using Row = std::vector<std::string>;

struct NumberedRow {
  std::uint64_t line;
  Row fields;

  bool operator==(const NumberedRow&) const = default;
};

std::vector<NumberedRow> read(std::string_view text, char separator = ',') {
  CsvReader rows(text, separator);
  std::vector<NumberedRow> result;
  while (rows.next().value())
    result.push_back({rows.line(), Row(rows.fields().begin(), rows.fields().end())});
  return result;
}

std::string refusal(std::string_view text) {
  CsvReader rows(text, ',');
  while (true) {
    const auto found = rows.next();
    if (!found) return found.error().message;
    if (!*found) return "read";
  }
}

TEST(CsvReader, CutsLinesAtTheSeparator) {
  EXPECT_EQ(read("a,b\nc,d\n"), (std::vector<NumberedRow>{{1, {"a", "b"}}, {2, {"c", "d"}}}));
  EXPECT_EQ(read("a\tb c", '\t'), (std::vector<NumberedRow>{{1, {"a", "b c"}}}));
  EXPECT_EQ(read(",\n"), (std::vector<NumberedRow>{{1, {"", ""}}}));
  EXPECT_EQ(read("a,"), (std::vector<NumberedRow>{{1, {"a", ""}}}));
  EXPECT_TRUE(read("").empty());
}

TEST(CsvReader, TakesAllLineEndsAndSkipsBlankLines) {
  EXPECT_EQ(read("a,b\r\n\r\n  \nc,d\re,f\n\n"),
            (std::vector<NumberedRow>{{1, {"a", "b"}}, {4, {"c", "d"}}, {5, {"e", "f"}}}));
}

TEST(CsvReader, TakesQuotedFieldsVerbatim) {
  EXPECT_EQ(read("\" a,b \",\"say \"\"x\"\"\"\n\"two\r\nlines\",\"\"\nz,y"),
            (std::vector<NumberedRow>{
                {1, {" a,b ", "say \"x\""}}, {2, {"two\r\nlines", ""}}, {4, {"z", "y"}}}));
}

TEST(CsvReader, DropsBlanksAroundOtherFields) {
  EXPECT_EQ(read(" a , \"b\" ,c d "), (std::vector<NumberedRow>{{1, {"a", "b", "c d"}}}));
  EXPECT_EQ(read("\ta\t,\t\"b\" \t,c"), (std::vector<NumberedRow>{{1, {"a", "b", "c"}}}));
  EXPECT_EQ(read("\t\"b\"\t", '\t'), (std::vector<NumberedRow>{{1, {"", "b", ""}}}));
}

TEST(CsvReader, KeepTheirFieldsWhenMoved) {
  static_assert(!std::is_copy_constructible_v<CsvReader> && !std::is_copy_assignable_v<CsvReader>);
  CsvReader first("\"a\"\"\",b", ',');
  ASSERT_TRUE(first.next().value());
  CsvReader second(std::move(first));
  CsvReader third("", ',');
  third = std::move(second);
  EXPECT_EQ(Row(third.fields().begin(), third.fields().end()), (Row{"a\"", "b"}));
}

TEST(CsvReader, KeepsAQuoteInsideAField) {
  EXPECT_EQ(read("5\" disk,b"), (std::vector<NumberedRow>{{1, {"5\" disk", "b"}}}));
}

TEST(CsvReader, NamesTheLineItCannotRead) {
  EXPECT_EQ(refusal("a,b\n\nc,\"d\n\n").rfind("line 3: a quote is opened and never closed", 0), 0U);
  EXPECT_EQ(refusal("a,b\n\"c\nd\"e,f").rfind("line 3: text follows a closing quote", 0), 0U);
}

}  // namespace
}  // namespace allot::io::csv_reader_test
