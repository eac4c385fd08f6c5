// What the HTTP layer does without a socket: targets, heads, bytes of requests and answers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "http/answer.hpp"
#include "http/parser.hpp"
#include "http/url.hpp"

namespace allot::http::message_test {
namespace {

using Query = std::vector<std::pair<std::string, std::string>>;

TEST(HttpFields, AreFoundWhateverTheirCapitals) {
  Fields fields;
  fields.add("Content-Type", "a");
  fields.add("content-type", "b");
  EXPECT_EQ(fields.find("CONTENT-TYPE"), "a");
  EXPECT_EQ(fields.find("Content-Typ"), std::nullopt);
  EXPECT_EQ(fields.find(""), std::nullopt);
}

struct GoodTarget {
  const char* text;
  const char* path;
  Query query;
};

TEST(HttpUrl, DecodesPathAndQuery) {
  const GoodTarget rows[] = {
      {"/", "/", {}},
      {"/a/b", "/a/b", {}},
      {"/a%20b/%c3%A4", "/a b/\xc3\xa4", {}},
      {"/a+b", "/a+b", {}},
      {"/a%252F", "/a%2F", {}},
      {"/...", "/...", {}},
      {"/?", "/", {}},
      {"/a?b", "/a", {{"b", ""}}},
      {"/a?b=c&d=e=f&&=g", "/a", {{"b", "c"}, {"d", "e=f"}, {"", "g"}}},
      {"/a?x+y=%2b%26%3D+%0A", "/a", {{"x y", "+&= \n"}}},
      {"/a?b=/../%2F?", "/a", {{"b", "/..//?"}}},
      {"http://host:80/a?b=c", "/a", {{"b", "c"}}},
      {"HTTPS://host", "/", {}},
      {"http://host?a=b", "/", {{"a", "b"}}},
  };
  for (const GoodTarget& row : rows) {
    const auto target = decode_target(row.text);
    ASSERT_TRUE(target) << row.text << ": " << target.error().message;
    EXPECT_EQ(target->path, row.path) << row.text;
    EXPECT_EQ(target->query, row.query) << row.text;
  }
}

TEST(HttpUrl, RefusesWhatCouldBeReadInTwoWays) {
  const std::pair<std::string, const char*> rows[] = {
      {"", "does not start with '/'"},
      {"a", "does not start with '/'"},
      {"*", "does not start with '/'"},
      {"host:80", "does not start with '/'"},
      {"http:///a", "does not start with '/'"},
      {"ftp://host/a", "does not start with '/'"},
      {"/%", "escape '%' in the path is invalid"},
      {"/%4", "escape '%4' in the path is invalid"},
      {"/%4g", "escape '%4g' in the path is invalid"},
      {"/%00", "NUL"},
      {"/a%2fb", "encoded slash"},
      {"/a%2Fb", "encoded slash"},
      {"/a/../b", "segment '..'"},
      {"/a/%2e%2E/b", "segment '..'"},
      {"/.", "segment '.'"},
      {"/a\\b", "backslash"},
      {"/a%5cb", "backslash"},
      {"/a%0d%0aSet-Cookie:x", "control character"},
      {"/a%09", "control character"},
      {"/a%7f", "control character"},
      {"/a#b", "fragment"},
      {"/a b", "visible ASCII"},
      {"/\xc3\xa4", "visible ASCII"},
      {"/%ff", "UTF-8"},
      {"/%c0%ae", "UTF-8"},
      {"/%ed%a0%80", "UTF-8"},
      {"/%f4%90%80%80", "UTF-8"},
  };
  for (const auto& [text, why] : rows) {
    const auto target = decode_target(text);
    ASSERT_FALSE(target) << text;
    EXPECT_NE(target.error().message.find(why), std::string::npos) << target.error().message;
  }
}

TEST(HttpUrl, SaysWhyAQueryCannotBeDecoded) {
  const std::pair<std::string, const char*> rows[] = {
      {"/a?b=%zz", "escape '%zz' in the query is invalid"},
      {"/a?c=d&b={{%PROLIFIC_PID%}}", "escape '%PR' in the query is invalid"},
      {"/a?%=b", "is invalid"},
      {"/a?b=%00", "NUL"},
      {"/a?b=%c3", "UTF-8"},
  };
  for (const auto& [text, why] : rows) {
    const auto target = decode_target(text);
    ASSERT_TRUE(target) << text;
    EXPECT_EQ(target->path, "/a") << "which a page needs";
    EXPECT_TRUE(target->query.empty()) << text;
    EXPECT_NE(target->query_problem.find(why), std::string::npos) << target->query_problem;
  }
}

TEST(HttpUrl, LimitsTheNumberOfParameters) {
  std::string text = "/?";
  for (int k = 0; k < 128; ++k) text += "a=b&";
  EXPECT_EQ(decode_target(text)->query.size(), 128U);
  EXPECT_NE(decode_target(text + "a")->query_problem, "");
}

/// Every byte as an escape.
std::string escape(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    char two[4];
    std::snprintf(two, sizeof two, "%%%02X", static_cast<unsigned char>(letter));
    result += two;
  }
  return result;
}

RC_GTEST_PROP(HttpUrl, GivesBackEveryParameterThatWasEscaped, ()) {
  const auto letters = rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
  const auto query = *rc::gen::container<Query>(rc::gen::pair(rc::gen::nonEmpty(letters), letters));
  RC_PRE(query.size() <= 128);
  std::string text = "/";
  for (std::size_t k = 0; k < query.size(); ++k)
    text += (k == 0 ? "?" : "&") + escape(query[k].first) + "=" + escape(query[k].second);
  const auto target = decode_target(text);
  RC_ASSERT(target.has_value());
  RC_ASSERT(target->query == query);
}

TEST(HttpHead, TakesIdsThatAreSane) {
  for (const char* id : {"a", "0123-abc_D.E"}) EXPECT_TRUE(is_sane_id(id)) << id;
  EXPECT_TRUE(is_sane_id(std::string(64, 'a')));
  EXPECT_FALSE(is_sane_id(std::string(65, 'a')));
  for (const char* id : {"", "a b", "a\"", "<a>", "\xc3\xa4", "a,b"}) EXPECT_FALSE(is_sane_id(id));
}

TEST(HttpProblem, EscapesItsSentence) {
  const Response response = problem({400, "bad_request", "a \"b\" \\ \n"});
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.fields.find("content-type"), "application/problem+json");
  EXPECT_EQ(response.body, R"({"type":"about:blank","title":"Bad Request","status":400,)"
                           R"("detail":"a \"b\" \\ \u000a","code":"bad_request"})");
}

TEST(HttpAnswer, WritesTheDateOfTheRfc) {
  EXPECT_EQ(date_text(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(HttpAnswer, KeepsFramingToTheServer) {
  Response response{.status = 200};
  for (const char* name : {"content-length", "Transfer-Encoding", "Connection", "Date"})
    response.fields.add(name, "mine");
  response.fields.add("X-REQUEST-ID", "mine");
  response.fields.add("ETag", "\"1\"");
  const Frame frame{.version = 11, .keep_alive = true, .length = 5, .id = "i", .date = "d"};
  EXPECT_EQ(head_text(response, frame),
            "HTTP/1.1 200 OK\r\nDate: d\r\nX-Request-Id: i\r\nETag: \"1\"\r\n"
            "Content-Length: 5\r\n\r\n");
}

TEST(HttpAnswer, RefusesToSendWhatWouldSplitIt) {
  const auto with = [](const char* name, const char* value) {
    Response response{.status = 200};
    response.fields.add(name, value);
    return can_be_sent(response);
  };
  EXPECT_TRUE(with("ETag", "a\tb \xc3\xa4"));
  EXPECT_FALSE(with("ETag", "a\r\nSet-Cookie: b"));
  EXPECT_FALSE(with("ETag", "a\nb"));
  EXPECT_FALSE(with("E Tag", "a"));
  EXPECT_FALSE(with("", "a"));
  for (const int status : {0, 100, 199, 600, 1000, -1})
    EXPECT_FALSE(can_be_sent({.status = status})) << status;
}

/// The whole of one request, or why it is none.
tl::expected<std::string, Refusal> parse(std::string_view bytes, std::size_t piece,
                                         std::size_t largest_head = 1000) {
  Parser parser(largest_head);
  std::string body, waiting;
  while (!bytes.empty() || !waiting.empty()) {
    const std::size_t next = std::min(piece, bytes.size());
    waiting += bytes.substr(0, next);
    bytes.remove_prefix(next);
    const bool had_head = parser.has_head();
    const auto taken = parser.take(waiting, body);
    if (!taken) return tl::unexpected(taken.error());
    waiting.erase(0, *taken);
    if (!had_head && parser.has_head()) {
      parser.limit_body(100);
      continue;
    }
    if (parser.done() || (next == 0 && *taken == 0)) break;
  }
  return parser.done() ? "done " + parser.head().method + parser.head().target + " " + body
                       : "waits";
}

TEST(HttpParser, ReadsTheSameInPiecesOfAnySize) {
  const std::string request =
      "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n6;ext=\"a b\"\r\n world\r\n0\r\nTrailer: x\r\n\r\n";
  for (std::size_t piece = 1; piece <= request.size(); ++piece)
    EXPECT_EQ(parse(request, piece).value(), "done POST/a hello world") << piece;
  for (std::size_t end = 0; end < request.size(); ++end)
    EXPECT_EQ(parse(std::string_view(request).substr(0, end), 7).value(), "waits") << end;
}

TEST(HttpParser, LimitsHeadsThatComeInPieces) {
  std::string head = "GET / HTTP/1.1\r\n";
  while (head.size() < 2000) head += "Field: value\r\n";
  for (const std::size_t piece : {1, 14, 100, 3000}) {
    EXPECT_EQ(parse(head, piece).error().status, 431) << piece;
    EXPECT_EQ(parse(head + "\r\n", piece).error().status, 431) << piece;
  }
}

TEST(HttpParser, LimitsWhatStandsBetweenChunks) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::size_t piece : {1, 100}) {
    EXPECT_EQ(parse(head + "5;a=" + std::string(2000, 'b'), piece).error().status, 431);
    EXPECT_EQ(parse(head + "0\r\na: " + std::string(2000, 'b'), piece).error().status, 431);
    EXPECT_EQ(parse(head + std::string(2000, '0'), piece).error().status, 431);
  }
}

TEST(HttpParser, LimitsLinesBetweenChunksToTheByteInPiecesOfAnySize) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto line = [](std::size_t size) { return "1;a=" + std::string(size - 6, 'b') + "\r\n"; };
  const auto end = [](std::size_t size) {
    return "\r\n0\r\na: " + std::string(size - 12, 'b') + "\r\n\r\n";
  };
  for (const std::size_t piece : {1, 2, 7, 100, 5000}) {
    EXPECT_EQ(parse(head + line(200) + "x" + end(200), piece, 200).value(), "done POST/ x");
    EXPECT_EQ(parse(head + line(201) + "x" + end(200), piece, 200).error().status, 431) << piece;
    EXPECT_EQ(parse(head + line(200) + "x" + end(201), piece, 200).error().status, 431) << piece;
  }
}

TEST(HttpParser, LimitsChunkedBodiesAtTheLineThatIsTooMuch) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(parse(head + "64\r\n", 1000).value(), "waits");
  EXPECT_EQ(parse(head + "65\r\n", 1000).error().status, 413);
  EXPECT_EQ(parse(head + "1\r\na\r\n64\r\n", 1000).error().status, 413);
  EXPECT_EQ(parse(head + "ffffffffffffffff\r\n", 1000).error().status, 413);
}

}  // namespace
}  // namespace allot::http::message_test
