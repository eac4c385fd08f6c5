// Requests that the server must refuse.
#include <future>
#include <mutex>

#include "http/server_fixture.hpp"

namespace allot::test::server_hostile_test {
namespace {

using namespace std::chrono_literals;

struct Hostile {
  const char* what;
  std::string bytes;
  int status;
  const char* code;
};

std::string with_fields(const std::string& fields) {
  return "POST /secret HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}

std::vector<Hostile> hostile_requests() {
  // What a proxy might take for the body of the first request.
  const std::string smuggled = "GET /secret HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string chunked = with_fields("Transfer-Encoding: chunked\r\n");
  std::string many_fields = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int k = 0; k < 100; ++k) many_fields += "A: b\r\n";
  return {
      {"garbage", "garbage\r\n\r\n", 400, "bad_request"},
      {"a TLS hello", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), 400,
       "bad_request"},
      {"no method", " / HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad_request"},
      {"no target", "GET HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad_request"},
      {"HTTP/0.9", "GET /\r\n\r\n", 400, "bad_request"},
      {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "version_not_supported"},
      {"a version of the future", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505,
       "version_not_supported"},
      {"bare line feeds", "GET / HTTP/1.1\nHost: a\n\n", 400, "bad_request"},
      {"a blank before a colon", with_fields("Content-Length : 5\r\n") + "hello", 400,
       "bad_request"},
      {"a NUL in a field", with_fields(std::string("A: b\0c\r\n", 8)), 400, "bad_request"},
      {"a bare CR in a field", with_fields("A: b\rContent-Length: 5\r\n"), 400, "bad_request"},
      {"a folded line", with_fields("A: b\r\n c\r\n"), 400, "bad_request"},
      {"a folded coding", with_fields("Transfer-Encoding:\r\n\tchunked\r\n") + "0\r\n\r\n", 400,
       "bad_request"},
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400, "bad_host"},
      {"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400, "bad_host"},
      {"a length and chunks",
       with_fields("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n" + smuggled,
       400, "bad_framing"},
      {"chunks and a length",
       with_fields("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n") + "0\r\n\r\n" + smuggled,
       400, "bad_framing"},
      {"two lengths", with_fields("Content-Length: 0\r\nContent-Length: 37\r\n") + smuggled, 400,
       "bad_framing"},
      {"a list of lengths", with_fields("Content-Length: 0, 37\r\n") + smuggled, 400,
       "bad_framing"},
      {"two equal lengths", with_fields("Content-Length: 4\r\nContent-Length: 4\r\n") + smuggled,
       400, "bad_framing"},
      {"a list of equal lengths", with_fields("Content-Length: 4, 4\r\n") + smuggled, 400,
       "bad_framing"},
      {"two tokens", with_fields("Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"), 400,
       "bad_authorization"},
      {"a negative length", with_fields("Content-Length: -1\r\n") + smuggled, 400, "bad_framing"},
      {"a length with a sign", with_fields("Content-Length: +5\r\n") + smuggled, 400,
       "bad_framing"},
      {"a hexadecimal length", with_fields("Content-Length: 0x5\r\n") + smuggled, 400,
       "bad_framing"},
      {"a length beyond 64 bits", with_fields("Content-Length: 18446744073709551617\r\n"), 400,
       "bad_framing"},
      {"an unknown coding", with_fields("Transfer-Encoding: gzip\r\n") + smuggled, 501,
       "unknown_transfer_coding"},
      {"an unknown coding before chunks",
       with_fields("Transfer-Encoding: gzip, chunked\r\n") + "0\r\n\r\n" + smuggled, 501,
       "unknown_transfer_coding"},
      {"chunks twice", with_fields("Transfer-Encoding: chunked, chunked\r\n") + smuggled, 501,
       "unknown_transfer_coding"},
      {"chunks in disguise", with_fields("Transfer-Encoding: xchunked\r\n") + smuggled, 501,
       "unknown_transfer_coding"},
      {"identity and a length",
       with_fields("Transfer-Encoding: identity\r\nContent-Length: 4\r\n") + smuggled, 400,
       "bad_framing"},
      {"two codings",
       with_fields("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n" +
           smuggled,
       400, "bad_framing"},
      {"chunks by HTTP/1.0",
       "POST /secret HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled, 400,
       "bad_framing"},
      {"a chunk without size", chunked + "\r\nhello\r\n0\r\n\r\n", 400, "bad_chunk"},
      {"a chunk of no number", chunked + "xyz\r\nhello\r\n0\r\n\r\n", 400, "bad_chunk"},
      {"a negative chunk", chunked + "-5\r\nhello\r\n0\r\n\r\n", 400, "bad_chunk"},
      {"a chunk longer than it says", chunked + "3\r\nhello\r\n0\r\n\r\n", 400, "bad_chunk"},
      {"a chunk beyond 64 bits", chunked + "10000000000000005\r\nhello\r\n0\r\n\r\n", 400,
       "bad_chunk"},
      {"a large chunk", chunked + "fffffffffffffff\r\nhello", 413, "body_too_large"},
      {"many chunks", chunked + "1f4\r\n" + std::string(500, 'a') + "\r\n1f5\r\n", 413,
       "body_too_large"},
      {"a length that is too large",
       with_fields("Content-Length: 10000000\r\n") + std::string(1000, 'a'), 413, "body_too_large"},
      {"a head of 100 KB", "GET / HTTP/1.1\r\nHost: a\r\nA: " + std::string(100'000, 'a'), 431,
       "head_too_large"},
      {"a target of 100 KB", "GET /" + std::string(100'000, 'a'), 431, "head_too_large"},
      {"101 fields", many_fields + "\r\n", 431, "head_too_large"},
      {"a bad escape", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad_target"},
      {"an encoded slash", "GET /a%2fsecret HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad_target"},
      {"a way up", "GET /a/../secret HTTP/1.1\r\nHost: a\r\n\r\n", 400, "bad_target"},
      {"an unknown method", "FETCH /secret HTTP/1.1\r\nHost: a\r\n\r\n", 501, "unknown_method"},
      {"a small method", "get /secret HTTP/1.1\r\nHost: a\r\n\r\n", 501, "unknown_method"},
      {"OPTIONS", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 405, "method_not_allowed"},
      {"TRACE", "TRACE /secret HTTP/1.1\r\nHost: a\r\n\r\n", 405, "method_not_allowed"},
      {"CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 405, "method_not_allowed"},
      {"an expectation", with_fields("Expect: a-miracle\r\n"), 417, "expectation_failed"},
  };
}

TEST(HttpHostile, IsRefusedWithAReasonAndNeverServed) {
  Routes routes;
  std::atomic<int> served = 0;
  routes.handlers["/secret"] = [&](Request, const Reply& reply) {
    ++served;
    reply({});
  };
  const auto server = serve(routes, {.linger_time = 60s});
  for (const Hostile& row : hostile_requests()) {
    SCOPED_TRACE(row.what);
    Client client(*server);
    client.send(row.bytes);
    const Answer answer = client.answer();
    expect_problem(answer, row.status, row.code);
    EXPECT_EQ(answer.field("connection"), "close");
    EXPECT_EQ(answer.field("allow") != "", row.status == 405);
    client.plain().end();
    EXPECT_TRUE(client.at_end());
  }
  EXPECT_EQ(served, 0);
  Client client(*server);
  EXPECT_EQ(client.get("/secret").status, 200);
}

TEST(HttpHostile, AnswersWhatCameBeforeTheGarbage) {
  Routes routes;
  routes.handlers["/"] = echo;
  const auto server = serve(routes);
  Client client(*server);
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n" + post("/", "abc") + "garbage\r\n\r\n");
  EXPECT_EQ(client.answer().status, 200);
  EXPECT_EQ(client.answer().body, "/|||abc");
  expect_problem(client.answer(), 400, "bad_request");
  EXPECT_TRUE(client.at_end());
}

TEST(HttpHostile, TakesTheLastChunkByteByByte) {
  Routes routes;
  routes.handlers["/"] = echo;
  const auto server = serve(routes);
  Client client(*server);
  client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const char letter : std::string("0\r\n\r\n")) {
    std::this_thread::sleep_for(5ms);
    client.send(std::string(1, letter));
  }
  EXPECT_EQ(client.answer().body, "/|||");
}

TEST(HttpHostile, LimitsBodiesByRoute) {
  Routes routes;
  routes.handlers["/"] =
      routes.handlers["/large"] = [](const Request& request, const Reply& reply) {
        reply({.body = std::to_string(request.body.size())});
      };
  const auto server = serve(routes);
  Client client(*server);
  for (const std::size_t size : {1000, 1 << 20}) {
    client.send(post(size == 1000 ? "/" : "/large", std::string(size, 'a')));
    EXPECT_EQ(client.answer().body, std::to_string(size));
  }
  client.send(post("/large", std::string((1 << 20) + 1, 'a')));
  expect_problem(client.answer(), 413, "body_too_large");
}

/// A server with a million bytes for bodies, whose handler answers when the test says so.
class BodyMemory : public testing::Test {
 protected:
  BodyMemory() {
    routes.handlers["/large"] = [this](Request, const Reply& reply) {
      if (at_once) return reply({});
      const std::lock_guard lock(mutex);
      waiting.push_back(reply);
    };
    server = serve(routes, {.body_memory = 1'000'000});
  }

  static std::string large(std::size_t size, const std::string& caller = "") {
    return post("/large", std::string(size, 'a'), "Caller: " + caller + "\r\n");
  }
  bool waits_for_the_handler() {
    return eventually([&] {
      const std::lock_guard lock(mutex);
      return waiting.size() == 1;
    });
  }

  Routes routes;
  std::mutex mutex;
  std::vector<Reply> waiting;
  std::atomic<bool> at_once = false;
  std::unique_ptr<Server> server;
};

TEST_F(BodyMemory, IsLimitedForAllTogether) {
  Client first(*server), second(*server);
  first.send(large(600'000, "ann"));
  ASSERT_TRUE(waits_for_the_handler());
  second.send(large(600'000, "bob"));
  const Answer refused = second.answer();
  expect_problem(refused, 503, "too_busy");
  EXPECT_EQ(refused.field("retry-after"), "1");
  waiting[0]({.body = "done"});
  EXPECT_EQ(first.answer().body, "done");
  at_once = true;
  first.send(large(600'000, "ann"));
  EXPECT_EQ(first.answer().status, 200);
}

TEST_F(BodyMemory, HasAQuarterForUnknownCallers) {
  Client first(*server), second(*server), known(*server);
  first.send(large(200'000));
  ASSERT_TRUE(waits_for_the_handler());
  at_once = true;
  second.send(large(200'000));
  expect_problem(second.answer(), 503, "too_busy");
  known.send(large(600'000, "ann"));
  EXPECT_EQ(known.answer().status, 200);
  waiting[0]({.body = "done"});
  EXPECT_EQ(first.answer().body, "done");
  first.send(large(200'000));
  EXPECT_EQ(first.answer().status, 200) << "answered requests do not count";
}

}  // namespace
}  // namespace allot::test::server_hostile_test
