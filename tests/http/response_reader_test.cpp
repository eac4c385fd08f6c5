#include "http/response_reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace allot::http::response_reader_test {
namespace {

const ResponseReader::Limits kSmall{.head = 200, .body = 10};

/// The body of a response that comes in pieces of that size, or why there is none.
std::string read(std::string_view bytes, std::size_t piece, const ResponseReader::Limits& limits) {
  ResponseReader reader(limits);
  std::string body;
  for (; !bytes.empty() && !reader.is_done(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    reader.receive(bytes.substr(0, piece));
    const auto has_head = reader.read_head();
    if (!has_head) return has_head.error().message;
    for (std::string some = *has_head ? "some" : ""; !some.empty();) {
      const auto next = reader.read_body(3);
      if (!next) return next.error().message;
      body += some = *next;
    }
  }
  const bool is_complete = reader.is_done() || reader.end();
  return is_complete ? std::to_string(reader.status()) + " " + body : "is incomplete";
}

void expect_read(std::string_view bytes, const std::string& expected,
                 const ResponseReader::Limits& limits = kSmall) {
  for (const std::size_t piece : {1, 2, 5, 1000}) {
    EXPECT_EQ(read(bytes, piece, limits), expected) << bytes << " in pieces of " << piece;
  }
}

TEST(ResponseReader, ReadsTheSameInPieces) {
  expect_read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "200 hello");
  expect_read("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", "404 ");
  expect_read("HTTP/1.0 200 OK\r\n\r\nthe rest", "200 the rest");
  expect_read("HTTP/1.1 204 No\r\n\r\n", "204 ");
  expect_read(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nX: "
      "y\r\n\r\n",
      "200 hello");
  expect_read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made\r\nContent-Length: 1\r\n\r\nx",
              "201 x");
  expect_read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "is incomplete");
  expect_read("SSH-2.0-OpenSSH\r\n\r\n", "the response is not HTTP");
}

// Beast asserts that a last chunk comes in five bytes.
TEST(ResponseReader, ReadsAnEmptyBodyByteByByte) {
  expect_read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "200 ");
}

TEST(ResponseReader, KeepsToItsLimits) {
  const std::string ten = "0123456789", too_long = "the response is too long";
  expect_read("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + ten, "200 " + ten);
  expect_read("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n", too_long);
  expect_read("HTTP/1.1 200 OK\r\n\r\n" + ten, "200 " + ten);
  expect_read("HTTP/1.1 200 OK\r\n\r\n" + ten + "0", too_long);
  expect_read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n" + ten + "0\r\n",
              too_long);
  const std::string long_text(200, 'x'), none = "the response is not HTTP";
  expect_read("HTTP/1.1 200 OK\r\nX: " + long_text, none);
  expect_read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: " + long_text + "\r\n\r\n", none);
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  expect_read(chunked + "1;" + long_text + "\r\nx\r\n0\r\n\r\n", none);
  expect_read(chunked + "0\r\nX: " + long_text + "\r\n\r\n", none);
  expect_read("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", "200 ",
              {.head = 200, .body = 10, .has_body = false});
}

TEST(ResponseReader, AConnectionWithBytesBehindTheResponseIsNotUsedAgain) {
  const auto leaves_connection = [](std::string_view bytes) {
    ResponseReader reader({});
    reader.receive(bytes);
    EXPECT_TRUE(reader.read_head());
    EXPECT_TRUE(reader.read_body(100));
    EXPECT_TRUE(reader.is_done());
    return reader.leaves_connection();
  };
  EXPECT_TRUE(leaves_connection("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"));
  EXPECT_FALSE(leaves_connection("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK"));
  EXPECT_FALSE(
      leaves_connection("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx"));
}

}  // namespace
}  // namespace allot::http::response_reader_test
