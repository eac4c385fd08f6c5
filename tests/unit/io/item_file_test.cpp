#include "allot/io/item_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace allot::io::item_file_test {
namespace {

std::string refusal(std::string_view text, const ItemColumns& columns = {}) {
  const auto items = parse_items(text, columns);
  return items ? "" : items.error().message;
}

TEST(ItemFile, ReadsCsvWithPricesAndKnownAnswers) {
  const auto items = parse_items("id,text,price,gold\na,\"x, y\",0.05,\nb,z,,yes\n").value();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].id, "a");
  EXPECT_EQ(items[0].fields, R"({"text": "x, y"})");
  EXPECT_EQ(items[0].price, parse_money("0.05").value());
  EXPECT_FALSE(items[0].gold);
  EXPECT_EQ(items[0].line, 2U);
  EXPECT_EQ(items[1].gold, "yes");
  EXPECT_FALSE(items[1].price);
}

TEST(ItemFile, ReadsJsonLinesWhoseObjectsMayDiffer) {
  const auto items = parse_items(
                         "\xef\xbb\xbf{\"id\": 7, \"text\": \"x\", \"tags\": [1, 2]}\n\n"
                         "{\"price\": 0.25, \"id\": \"b\", \"gold\": true}\r\n")
                         .value();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].id, "7");
  EXPECT_EQ(items[0].fields, R"({"text": "x", "tags": [1, 2]})");
  EXPECT_EQ(items[1].fields, "{}");
  EXPECT_EQ(items[1].gold, "true");
  EXPECT_EQ(items[1].price, parse_money("0.25").value());
  EXPECT_EQ(items[1].line, 3U);
}

TEST(ItemFile, ColumnsMayBeNamed) {
  const ItemColumns columns{"key", "pay", "known", {"x", "y"}, std::vector<std::string>{"text"},
                            {}};
  const auto items =
      parse_items("id,key,pay,known,x,y,text,other\n1,a,2,no,0.5,-1,hello,secret\n", columns)
          .value();
  EXPECT_EQ(items[0].id, "a");
  EXPECT_EQ(items[0].price, Money::whole(2));
  EXPECT_EQ(items[0].gold, "no");
  EXPECT_EQ(items[0].features, (std::vector<double>{0.5, -1}));
  EXPECT_EQ(items[0].fields, R"({"text": "hello"})");
}

TEST(ItemFile, TruthAndLabelAreShownNotTakenForGold) {
  const auto items = parse_items("item,truth\na,yes\n").value();
  EXPECT_FALSE(items[0].gold);
  EXPECT_FALSE(items[0].truth);
  EXPECT_EQ(items[0].fields, R"({"truth": "yes"})");
}

TEST(ItemFile, ANamedTruthIsNotShown) {
  const ItemColumns columns{.truth = "truth"};
  const auto items = parse_items("item,text,truth\na,A,yes\nb,B,\n", columns).value();
  EXPECT_EQ(items[0].truth, "yes");
  EXPECT_EQ(items[0].fields, R"({"text": "A"})");
  EXPECT_FALSE(items[1].truth);
  EXPECT_FALSE(parse_items("item,text\na,A\n", columns));
}

TEST(ItemFile, NamesTheLineItCouldNotRead) {
  EXPECT_EQ(refusal("id,text\na,x\na,y\n"),
            "line 3: item 'a' already has a row, line 2; expected every id once");
  EXPECT_EQ(refusal("id,text\n,x\n"), "line 2: the id of the item is empty");
  EXPECT_NE(refusal("id,price\na,cheap\n").find("line 2: "), std::string::npos);
  EXPECT_NE(refusal("id,x\na,1\nb,\n", {.features = {"x"}})
                .find("line 3: feature 'x' of item 'b' is empty"),
            std::string::npos);
  EXPECT_NE(refusal("id,x\na,nan\n", {.features = {"x"}}).find("finite number"), std::string::npos);
  EXPECT_NE(refusal("{\"id\": 1}\n{\"text\": 2}\n").find("line 2: no column holds the id"),
            std::string::npos);
  EXPECT_NE(refusal("{\"id\": 1}\n{\"id\": \n").find("line 2: "), std::string::npos);
  EXPECT_NE(refusal("name,text\na,x\n", {.id = "key"}).find("expected a column named key"),
            std::string::npos);
  EXPECT_EQ(refusal("text\nx\n").rfind("line 1: no column holds the id of the item; ", 0), 0U);
  EXPECT_NE(refusal("text\nx\n").find("expected a column named id, item, task, "),
            std::string::npos);
  EXPECT_NE(refusal("[{\"id\": 1}]").find("JSON array"), std::string::npos);
  EXPECT_NE(refusal("id,text\n").find("the text has no items"), std::string::npos);
  EXPECT_NE(refusal("").find("empty"), std::string::npos);
}

/// The items of a text read in pieces of `size` bytes, one line per item, or the error.
std::string in_pieces(std::string_view text, std::size_t size, const ItemColumns& columns = {}) {
  ItemReader reader(columns, 4000);
  std::string seen;
  const auto add = [&](const Result<std::vector<ItemRow>>& items) {
    if (!items) {
      seen = items.error().message;
      return false;
    }
    for (const ItemRow& item : *items) {
      seen +=
          fmt::format("{} {} {} {}\n", item.line, item.id, item.fields, item.gold.value_or("-"));
    }
    return true;
  };
  for (std::size_t at = 0; at < text.size(); at += size) {
    if (!add(reader.take(text.substr(at, size)))) return seen;
  }
  add(reader.finish());
  return seen;
}

TEST(ItemReader, PiecesOfAnySizeGiveTheSameItems) {
  for (const std::string_view text :
       {"id,text,gold\na,\"x\n\"\"y, \",\nb,5\" disk,yes\n\nc,z,no",
        "id;text\r\na;1\r\nb;\"2\r\n3\"\r\n", "\xef\xbb\xbfid\ttext\n\u00e4\tx\nb\ty\n",
        "{\"id\": 1, \"text\": \"\u00e4\"}\n\n{\"id\": 2, \"gold\": \"yes\"}\r\n{\"text\": \"c\", "
        "\"id\": 3}",
        "\xef\xbb\xbf{\"id\": 1}\n", "\xef\xbb\xbf\xef\xbb\xbfid,x\na,1\nb,2\n", "id\ra\rb\r",
        "id,\"five,\n\n stars\",x\na,1,2\n"}) {
    const std::string whole = in_pieces(text, text.size());
    const auto items = parse_items(text);
    ASSERT_TRUE(items) << items.error().message;
    std::string plain;
    for (const ItemRow& item : *items) {
      plain +=
          fmt::format("{} {} {} {}\n", item.line, item.id, item.fields, item.gold.value_or("-"));
    }
    EXPECT_EQ(whole, plain);
    for (std::size_t size = 1; size < text.size(); ++size) {
      EXPECT_EQ(in_pieces(text, size), plain) << size;
    }
  }
}

TEST(ItemReader, NamesTheLineForAnyPieces) {
  const ItemColumns feature{.features = {"x"}};
  for (const std::size_t size : {1, 3, 7, 1000}) {
    EXPECT_NE(in_pieces("id,x\na,1\n\"b\n\",2\nc,\n", size, feature)
                  .find("line 5: feature 'x' of item 'c' is empty"),
              std::string::npos);
    EXPECT_NE(in_pieces("id,x\na,1\nb\n", size).find("line 3: 1 field; expected 2"),
              std::string::npos);
    EXPECT_NE(in_pieces("{\"id\": 1}\n{\"id\": \n", size).find("line 2: "), std::string::npos);
    EXPECT_NE(in_pieces("{\"id\": 1}\n\nid,text\n", size).find("line 3: "), std::string::npos);
    EXPECT_NE(in_pieces("id,text\n", size).find("the text has no items"), std::string::npos);
    EXPECT_NE(in_pieces("id,text\na,\"" + std::string(5000, 'x'), size).find("line 2: "),
              std::string::npos);
    EXPECT_NE(in_pieces("id,text\na," + std::string(5000, 'x'), size).find("more than 4000 bytes"),
              std::string::npos);
  }
  EXPECT_NE(in_pieces("", 1).find("the text has no items"), std::string::npos);
}

}  // namespace
}  // namespace allot::io::item_file_test
