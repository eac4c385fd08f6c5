// The server on a real listener, and clients who say exactly what they are told to.
#include "http/server.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <future>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "http/head.hpp"
#include "support/http_client.hpp"

namespace allot::test {
namespace {

using namespace std::chrono_literals;
using http::Finished;
using http::Reply;
using http::Request;
using http::Response;
using http::Server;
using http::ServerOptions;

std::string post(const std::string& path, const std::string& body) {
  return "POST " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

/// Says what it was asked.
void echo(Request request, const Reply& reply) {
  Response response;
  response.fields.add("Content-Type", "text/plain");
  response.body = request.path + "|";
  for (const auto& [name, value] : request.query) response.body += name + "=" + value + ";";
  response.body +=
      "|" + std::string(request.fields.find("x-test").value_or("")) + "|" + request.body;
  reply(std::move(response));
}

/// Answers on threads of its own, which it waits for at the end.
class Threads {
 public:
  ~Threads() {
    for (std::thread& thread : list_) thread.join();
  }
  void run(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    list_.emplace_back(std::move(work));
  }

 private:
  std::mutex mutex_;
  std::vector<std::thread> list_;
};

void expect_problem(const Answer& answer, int status, const std::string& code) {
  EXPECT_EQ(answer.status, status) << answer.body;
  EXPECT_TRUE(answer.whole);
  EXPECT_EQ(answer.field("content-type"), "application/problem+json");
  EXPECT_NE(answer.field("x-request-id"), "");
  EXPECT_NE(answer.field("date"), "");
  for (const std::string& member : std::vector<std::string>{
           "\"type\":\"", "\"title\":\"", "\"detail\":\"", "\"status\":" + std::to_string(status),
           "\"code\":\"" + code + "\""})
    EXPECT_NE(answer.body.find(member), std::string::npos) << member << " in " << answer.body;
}

// --- Requests and answers ---

TEST(HttpServer, HandsOverWhatWasAsked) {
  Routes routes;
  std::promise<Request> seen;
  routes.handlers["/a b"] = [&](Request request, const Reply& reply) {
    seen.set_value(std::move(request));
    reply({.status = 201, .body = "made"});
  };
  const auto server = serve(routes);
  Client client(*server);
  client.send(
      "PATCH /a%20b?c=d%26&e HTTP/1.1\r\nHost: a\r\nX-Test:  some value \r\n"
      "X-Request-Id: my-id.1\r\nContent-Length: 4\r\n\r\nbody");
  const Answer answer = client.answer();
  const Request request = seen.get_future().get();
  EXPECT_EQ(request.method, http::Method::patch);
  EXPECT_EQ(request.path, "/a b");
  EXPECT_EQ(request.query,
            (std::vector<std::pair<std::string, std::string>>{{"c", "d&"}, {"e", ""}}));
  EXPECT_EQ(request.fields.find("x-test"), "some value");
  EXPECT_EQ(request.body, "body");
  EXPECT_EQ(request.upload, nullptr);
  EXPECT_EQ(request.peer, "127.0.0.1");
  EXPECT_EQ(request.id, "my-id.1");
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.body, "made");
  EXPECT_EQ(answer.field("x-request-id"), "my-id.1");
  EXPECT_EQ(answer.field("date").size(), 29U);
  EXPECT_EQ(answer.field("server"), "");
  EXPECT_EQ(answer.field("connection"), "");
}

TEST(HttpServer, KnowsEveryMethod) {
  Routes routes;
  routes.handlers["/"] = [](const Request& request, const Reply& reply) {
    reply({.body = std::to_string(static_cast<int>(request.method))});
  };
  const auto server = serve(routes);
  Client client(*server);
  const std::pair<const char*, http::Method> rows[] = {{"GET", http::Method::get},
                                                       {"POST", http::Method::post},
                                                       {"PUT", http::Method::put},
                                                       {"PATCH", http::Method::patch},
                                                       {"DELETE", http::Method::del}};
  for (const auto& [name, method] : rows) {
    client.send(std::string(name) + " / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(client.answer().body, std::to_string(static_cast<int>(method))) << name;
  }
}

TEST(HttpServer, MakesIdsWhereTheClientsAreNotSane) {
  Routes routes;
  const auto server = serve(routes);
  Client client(*server);
  std::set<std::string> ids;
  for (const std::string& given :
       std::vector<std::string>{"", "a b", "<script>", "x;y", std::string(65, 'a')}) {
    client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: " + given + "\r\n\r\n");
    const std::string id = client.answer().field("x-request-id");
    EXPECT_EQ(id.size(), 16U) << id;
    EXPECT_TRUE(http::is_sane_id(id)) << id;
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 5U);
}

TEST(HttpServer, KeepsConnectionsAliveUnlessAskedNotTo) {
  Routes routes;
  routes.handlers["/"] = echo;
  const auto server = serve(routes);
  Client client(*server);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(client.get("/?k=" + std::to_string(k)).status, 200);
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const Answer last = client.answer();
  EXPECT_EQ(last.status, 200);
  EXPECT_EQ(last.field("connection"), "close");
  EXPECT_TRUE(client.at_end());
}

TEST(HttpServer, ServesHttp10) {
  Routes routes;
  routes.handlers["/"] = echo;
  const auto server = serve(routes);
  Client client(*server);
  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(client.answer().field("connection"), "keep-alive");
  client.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.answer().field("connection"), "close");
  EXPECT_TRUE(client.at_end());
}

TEST(HttpServer, AnswersAClientThatSaysNothingMore) {
  Routes routes;
  Threads threads;
  routes.handlers["/"] = [&](Request, const Reply& reply) {
    threads.run([reply] {
      std::this_thread::sleep_for(20ms);
      reply({.body = "late"});
    });
  };
  const auto server = serve(routes);
  Client client(*server);
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  client.plain().end();
  EXPECT_EQ(client.answer().body, "late");
  EXPECT_TRUE(client.at_end());
}

TEST(HttpServer, AnswersAHundredRequestsSentAheadInTheirOrder) {
  Routes routes;
  Threads threads;
  routes.handlers["/now"] = echo;
  routes.handlers["/later"] = [&](Request request, Reply reply) {
    auto shared = std::make_shared<Request>(std::move(request));
    threads.run([shared, reply] { echo(std::move(*shared), reply); });
  };
  const auto server = serve(routes);
  Client client(*server);
  std::string all;
  for (int k = 0; k < 100; ++k) {
    const std::string text = std::to_string(k);
    if (k % 3 == 0)
      all += "GET /now?k=" + text + " HTTP/1.1\r\nHost: a\r\n\r\n";
    else if (k % 3 == 1)
      all += post("/later?k=" + text, "body " + text);
    else
      all += "\r\nPOST /now?k=" + text +
             " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x\r\nc\r\n"
             "0\r\nX-Test: a trailer\r\n\r\n";
  }
  client.send(all);
  for (int k = 0; k < 100; ++k) {
    const std::string text = std::to_string(k);
    const std::string expected = k % 3 == 0   ? "/now|k=" + text + ";||"
                                 : k % 3 == 1 ? "/later|k=" + text + ";||body " + text
                                              : "/now|k=" + text + ";||abc";
    ASSERT_EQ(client.answer().body, expected);
  }
}

TEST(HttpServer, AnswersHeadWithTheLengthAlone) {
  Routes routes;
  routes.handlers["/"] = [](Request, const Reply& reply) { reply({.body = "12345"}); };
  const auto server = serve(routes);
  Client client(*server);
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  const Answer answer = client.answer(true);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("content-length"), "5");
  EXPECT_EQ(client.get("/").body, "12345");
}

TEST(HttpServer, SendsNoBodyWhereThereMustBeNone) {
  Routes routes;
  for (const int status : {204, 304})
    routes.handlers["/" + std::to_string(status)] = [status](Request, const Reply& reply) {
      reply({.status = status, .body = "not to be seen"});
    };
  const auto server = serve(routes);
  Client client(*server);
  for (const int status : {204, 304}) {
    const Answer answer = client.get("/" + std::to_string(status));
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.field("content-length"), "");
  }
  EXPECT_EQ(client.get("/nowhere").status, 404);
}

TEST(HttpServer, SendsLargeBodiesWhole) {
  Routes routes;
  std::string large(5'000'000, 'a');
  for (std::size_t k = 0; k < large.size(); k += 1000) large[k] = static_cast<char>('a' + k % 26);
  routes.handlers["/"] = [&](Request, const Reply& reply) { reply({.body = large}); };
  const auto server = serve(routes);
  Client client(*server);
  EXPECT_TRUE(client.get("/").body == large);
}

TEST(HttpServer, AsksForABodyThatWaits) {
  Routes routes;
  routes.handlers["/"] = echo;
  const auto server = serve(routes);
  Client client(*server);
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n";
  client.send(head + "Content-Length: 4\r\n\r\n");
  EXPECT_EQ(client.answer().status, 100);
  client.send("body");
  EXPECT_EQ(client.answer().body, "/|||body");
  // A body that is there already, or none, needs no asking.
  client.send(head + "Content-Length: 4\r\n\r\nbody");
  EXPECT_EQ(client.answer().body, "/|||body");
  client.send(head + "\r\n");
  EXPECT_EQ(client.answer().body, "/|||");
  // One that is too large is refused before it is sent.
  client.send(head + "Content-Length: 1001\r\n\r\n");
  expect_problem(client.answer(), 413, "body_too_large");
  EXPECT_TRUE(client.at_end());
}

TEST(HttpServer, GivesItsOwnAnswerWhereTheHandlersIsNone) {
  Routes routes;
  routes.handlers["/drops"] = [](Request, const Reply&) {};
  routes.handlers["/throws"] = [](Request, const Reply&) { throw std::runtime_error("no"); };
  routes.handlers["/status"] = [](Request, const Reply& reply) { reply({.status = 99}); };
  routes.handlers["/splits"] = [](Request, const Reply& reply) {
    Response response;
    response.fields.add("X-Test", "a\r\nSet-Cookie: b");
    reply(std::move(response));
  };
  routes.handlers["/twice"] = [](Request, const Reply& reply) {
    reply({.body = "first"});
    reply({.body = "second"});
  };
  const auto server = serve(routes);
  Client client(*server);
  for (const char* path : {"/drops", "/throws", "/status", "/splits"}) {
    const Answer answer = client.get(path);
    expect_problem(answer, 500, "internal_error");
    EXPECT_EQ(answer.field("set-cookie"), "");
  }
  EXPECT_EQ(client.get("/twice").body, "first");
  EXPECT_EQ(client.get("/nowhere").status, 404);
}

TEST(HttpServer, RunsOnSeveralThreads) {
  Routes routes;
  Threads threads;
  routes.handlers["/"] = echo;
  routes.handlers["/later"] = [&](Request request, Reply reply) {
    auto shared = std::make_shared<Request>(std::move(request));
    threads.run([shared, reply] { echo(std::move(*shared), reply); });
  };
  std::atomic<int> finished = 0;
  const auto server =
      serve(routes, {.threads = 4, .finished = [&](const Finished&) { ++finished; }});
  std::vector<std::thread> clients;
  for (int k = 0; k < 16; ++k)
    clients.emplace_back([&, k] {
      Client client(*server);
      for (int n = 0; n < 20; ++n) {
        const std::string query = "k=" + std::to_string(k) + "&n=" + std::to_string(n);
        const std::string expected = "k=" + std::to_string(k) + ";n=" + std::to_string(n) + ";";
        const std::string path = n % 2 ? "/" : "/later";
        EXPECT_EQ(client.get(path + "?" + query).body, path + "|" + expected + "||");
      }
    });
  for (std::thread& client : clients) client.join();
  server->stop();
  EXPECT_EQ(finished, 320);
}

TEST(HttpServer, TellsWhatBecameOfEveryRequest) {
  Routes routes;
  routes.handlers["/a b"] = [](Request, const Reply& reply) {
    reply({.status = 201, .body = "abc"});
  };
  struct Seen {
    std::string method, path, peer, id;
    int status;
    std::uint64_t received, sent;
    bool whole, took_time;
  };
  std::vector<Seen> seen;
  const auto server =
      serve(routes, {.finished = [&](const Finished& one) {
              seen.push_back({std::string(one.method), std::string(one.path), std::string(one.peer),
                              std::string(one.id), one.status, one.received, one.sent, one.whole,
                              one.duration > 0ns});
            }});
  {
    Client client(*server);
    client.send(
        "POST /a%20b?secret=1 HTTP/1.1\r\nHost: a\r\nX-Request-Id: one\r\n"
        "Content-Length: 4\r\n\r\nbody");
    client.answer();
    client.send("HEAD /a%20b HTTP/1.1\r\nHost: a\r\n\r\n");
    client.answer(true);
    client.send("FETCH / HTTP/1.1\r\nHost: a\r\n\r\n");
    client.answer();
  }
  {
    Client client(*server);
    client.send(post("/", "x").substr(0, 20));
  }
  EXPECT_TRUE(eventually([&] { return server->load().connections == 0; }));
  server->stop();
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen[0].method, "POST");
  EXPECT_EQ(seen[0].path, "/a b");
  EXPECT_EQ(seen[0].peer, "127.0.0.1");
  EXPECT_EQ(seen[0].id, "one");
  EXPECT_EQ(seen[0].status, 201);
  EXPECT_EQ(seen[0].received, 4U);
  EXPECT_EQ(seen[0].sent, 3U);
  EXPECT_TRUE(seen[0].whole && seen[0].took_time);
  EXPECT_EQ(seen[1].method, "HEAD");
  EXPECT_EQ(seen[1].sent, 0U);
  EXPECT_EQ(seen[1].id.size(), 16U);
  EXPECT_EQ(seen[2].method, "FETCH");
  EXPECT_EQ(seen[2].status, 501);
  EXPECT_EQ(seen[3].status, 0);
  EXPECT_FALSE(seen[3].whole);
}

TEST(HttpServer, RefusesAddressesThatItCannotListenOn) {
  Routes routes;
  for (const char* address :
       {"", "8080", "localhost:8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
        "::1:8080", "[127.0.0.1]:80", "[::1]"}) {
    const auto server = Server::start({.listen = {address}}, routes);
    ASSERT_FALSE(server) << address;
    EXPECT_EQ(server.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(server.error().message.find("127.0.0.1:8080"), std::string::npos);
  }
  const auto first = serve(routes);
  const auto second = Server::start({.listen = first->addresses()}, routes);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::conflict);
  EXPECT_NE(second.error().message.find("in use"), std::string::npos) << second.error().message;
}

TEST(HttpServer, ListensOnSeveralAddresses) {
  Routes routes;
  const auto server = Server::start({.listen = {"127.0.0.1:0", "127.0.0.1:0"}}, routes);
  ASSERT_TRUE(server);
  ASSERT_EQ((*server)->addresses().size(), 2U);
  EXPECT_NE((*server)->addresses()[0], (*server)->addresses()[1]);
  for (const std::string& address : (*server)->addresses()) {
    Client client(std::make_unique<PlainWire>(address));
    EXPECT_EQ(client.get("/").status, 404);
  }
}

// --- Refusals ---

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

TEST(HttpHostile, LimitsTheMemoryOfAllBodies) {
  Routes routes;
  std::mutex mutex;
  std::vector<Reply> waiting;
  std::atomic<bool> at_once = false;
  routes.handlers["/large"] = [&](Request, const Reply& reply) {
    if (at_once) return reply({});
    const std::lock_guard lock(mutex);
    waiting.push_back(reply);
  };
  const auto server = serve(routes, {.body_memory = 1'000'000});
  Client first(*server);
  first.send(post("/large", std::string(600'000, 'a')));
  ASSERT_TRUE(eventually([&] {
    const std::lock_guard lock(mutex);
    return waiting.size() == 1;
  }));
  Client second(*server);
  second.send(post("/large", std::string(600'000, 'a')));
  const Answer refused = second.answer();
  expect_problem(refused, 503, "too_busy");
  EXPECT_EQ(refused.field("retry-after"), "1");
  waiting[0]({.body = "done"});
  EXPECT_EQ(first.answer().body, "done");
  at_once = true;
  first.send(post("/large", std::string(600'000, 'a')));
  EXPECT_EQ(first.answer().status, 200);
}

TEST(HttpSlow, HalfAHeadIsAnsweredWith408) {
  Routes routes;
  const auto server = serve(routes, {.head_time = 100ms});
  Client client(*server);
  client.send("GET / HTTP/1.1\r\nHo");
  expect_problem(client.answer(), 408, "request_timeout");
  EXPECT_TRUE(client.at_end());
}

TEST(HttpSlow, AHeadThatTricklesIsNoBetter) {
  Routes routes;
  const auto server = serve(routes, {.head_time = 200ms});
  Client client(*server);
  std::atomic<bool> answered = false;
  std::thread drip([&] {
    client.send("GET / HTTP/1.1\r\n");
    while (!answered && client.send("A: b\r\n")) std::this_thread::sleep_for(20ms);
  });
  expect_problem(client.answer(), 408, "request_timeout");
  answered = true;
  drip.join();
}

TEST(HttpSlow, HalfABodyIsAnsweredWith408) {
  Routes routes;
  const auto server = serve(routes, {.body_time = 100ms});
  for (const std::string& start :
       {post("/", "0123456789").substr(0, 50),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe")}) {
    Client client(*server);
    client.send(start);
    expect_problem(client.answer(), 408, "request_timeout");
    EXPECT_TRUE(client.at_end());
  }
}

TEST(HttpSlow, SilentConnectionsAreClosedWithoutAWord) {
  Routes routes;
  const auto hasty = serve(routes, {.head_time = 100ms});
  Client silent(*hasty);
  EXPECT_TRUE(silent.at_end());
  const auto patient = serve(routes, {.head_time = 60s, .idle_time = 100ms});
  Client idle(*patient);
  EXPECT_EQ(idle.get("/").status, 404);
  EXPECT_TRUE(idle.at_end());
}

TEST(HttpSlow, ClientsThatDoNotReadAreCut) {
  Routes routes;
  std::promise<bool> whole;
  routes.handlers["/"] = [&](Request, const Reply& reply) {
    reply({.body = std::string(50'000'000, 'a')});
  };
  const auto server = serve(routes, {.write_time = 100ms, .finished = [&](const Finished& one) {
                                       whole.set_value(one.whole);
                                     }});
  Client client(std::make_unique<PlainWire>(server->addresses().front(), 4096));
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_FALSE(whole.get_future().get());
  EXPECT_TRUE(eventually([&] { return server->load().connections == 0; }));
  EXPECT_FALSE(client.answer().whole);
}

TEST(HttpSlow, ManyOfThemDoNotStopTheOthers) {
  Routes routes;
  routes.handlers["/"] = echo;
  const auto server = serve(routes);
  std::vector<std::unique_ptr<Client>> slow;
  for (int k = 0; k < 64; ++k) {
    slow.push_back(std::make_unique<Client>(*server));
    slow.back()->send(k % 2 ? "GET / HT" : post("/", "0123456789").substr(0, 50));
  }
  Client client(*server);
  EXPECT_EQ(client.get("/").status, 200);
}

TEST(HttpLimits, TurnsConnectionsAwayBeyondTheMost) {
  Routes routes;
  const auto server = serve(routes, {.most_connections = 2});
  auto first = std::make_unique<Client>(*server);
  Client second(*server);
  EXPECT_EQ(first->get("/").status, 404);
  EXPECT_EQ(second.get("/").status, 404);
  {
    Client third(*server);
    third.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const Answer answer = third.answer();
    expect_problem(answer, 503, "too_many_connections");
    EXPECT_EQ(answer.field("retry-after"), "1");
    EXPECT_TRUE(third.at_end());
  }
  first.reset();
  EXPECT_TRUE(eventually([&] { return server->load().connections == 1; }));
  Client fourth(*server);
  EXPECT_EQ(fourth.get("/").status, 404);
}

TEST(HttpLimits, ClientsMayGoAtAnyTime) {
  Routes routes;
  std::mutex mutex;
  std::vector<Reply> waiting;
  routes.handlers["/never"] = [&](Request, const Reply& reply) {
    const std::lock_guard lock(mutex);
    waiting.push_back(reply);
  };
  routes.handlers["/"] = echo;
  const auto server = serve(routes);
  const std::string request = post("/", "0123456789");
  for (const bool rude : {false, true}) {
    for (std::size_t end = 0; end <= request.size(); end += 7) {
      Client client(*server);
      client.send(request.substr(0, end));
      if (rude) client.plain().reset();
    }
    Client client(*server);
    client.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(eventually([&] {
      const std::lock_guard lock(mutex);
      return waiting.size() == (rude ? 2U : 1U);
    }));
    if (rude) client.plain().reset();
  }
  for (const Reply& reply : waiting) reply({.body = std::string(100'000, 'a')});
  EXPECT_TRUE(eventually([&] { return server->load().connections == 0; }));
  Client client(*server);
  EXPECT_EQ(client.get("/").status, 200);
}

std::size_t resident_bytes() {
  std::size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(HttpLimits, IdleConnectionsCostLittle) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  // Both ends are in this process.
  const std::size_t count = std::min<std::size_t>(2000, (files.rlim_cur - 100) / 2);
  Routes routes;
  routes.handlers["/"] = echo;
  const auto server = serve(routes);
  const std::size_t before = resident_bytes();
  std::vector<std::unique_ptr<Client>> idle;
  for (std::size_t k = 0; k < count; ++k) {
    idle.push_back(std::make_unique<Client>(*server));
    // All but a few have been served before.
    if (k % 10) {
      ASSERT_EQ(idle.back()->get("/").status, 200);
    }
  }
  ASSERT_TRUE(eventually([&] { return server->load().connections == count; }));
  Client client(*server);
  EXPECT_EQ(client.get("/").status, 200);
#ifndef ALLOT_SANITIZE
  // 5,000 are to stay well under 100 MB.
  EXPECT_LT((resident_bytes() - before) / count, 12'000U);
#endif
  for (const auto& one : idle) ASSERT_EQ(one->get("/").status, 200);
}

TEST(HttpLimits, OutOfFilesANewConnectionWaitsForOthersToGo) {
  Routes routes;
  const auto server = serve(routes);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  std::vector<int> free{dup(0)};
  const rlimit few{static_cast<rlim_t>(free[0]) + 16, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  while (free.back() >= 0) free.push_back(dup(0));
  free.pop_back();
  // An odd number: when all are used up, the last client has no other end.
  for (std::size_t k = free.size() % 2 ? 0 : 1; k < free.size(); ++k) close(free[k]);
  std::vector<std::unique_ptr<Client>> clients;
  try {
    for (;;) clients.push_back(std::make_unique<Client>(*server));
  } catch (const std::runtime_error&) {
  }
  EXPECT_GT(clients.size(), server->load().connections);
  clients.back()->send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  clients.erase(clients.begin(), clients.end() - 1);
  EXPECT_EQ(clients.back()->answer().status, 404);
  setrlimit(RLIMIT_NOFILE, &before);
}

// --- Streams ---

/// Gives pieces one after the other, and tells of its end.
class ListStream final : public http::Stream {
 public:
  ListStream(std::vector<std::string> pieces, std::function<void()> pulled,
             std::function<void()> gone)
      : pieces_(std::move(pieces)), pulled_(std::move(pulled)), gone_(std::move(gone)) {}
  ~ListStream() override { gone_(); }
  void pull(Ready ready) override {
    pulled_();
    if (next_ == pieces_.size()) return ready(std::nullopt);
    ready(pieces_[next_++]);
  }

 private:
  const std::vector<std::string> pieces_;
  const std::function<void()> pulled_, gone_;
  std::size_t next_ = 0;
};

void nothing() {}

/// Keeps what it is asked with, for the test to answer.
struct Desk {
  std::mutex mutex;
  http::Stream::Ready ready;
  std::atomic<int> pulls = 0, gone = 0;

  void give(std::optional<std::string> piece) {
    http::Stream::Ready now;
    {
      const std::lock_guard lock(mutex);
      now = ready;
    }
    now(std::move(piece));
  }
};

class DeskStream final : public http::Stream {
 public:
  explicit DeskStream(Desk& desk) : desk_(desk) {}
  ~DeskStream() override { ++desk_.gone; }
  void pull(Ready ready) override {
    const std::lock_guard lock(desk_.mutex);
    desk_.ready = std::move(ready);
    ++desk_.pulls;
  }

 private:
  Desk& desk_;
};

Handler from_desk(Desk& desk, const std::string& type = "text/event-stream") {
  return [&desk, type](Request, const Reply& reply) {
    Response response;
    response.fields.add("Content-Type", type);
    response.stream = std::make_unique<DeskStream>(desk);
    reply(std::move(response));
  };
}

TEST(HttpStream, GoesOutInChunksAndTheConnectionGoesOn) {
  Routes routes;
  std::atomic<int> gone = 0;
  routes.handlers["/"] = [&](Request, const Reply& reply) {
    Response response;
    response.stream = std::make_unique<ListStream>(
        std::vector<std::string>{"one ", "", "two ", std::string(200'000, 'x')}, nothing,
        [&] { ++gone; });
    reply(std::move(response));
  };
  routes.handlers["/echo"] = echo;
  const auto server = serve(routes);
  Client client(*server);
  for (int k = 1; k <= 3; ++k) {
    const Answer answer = client.get("/");
    EXPECT_EQ(answer.field("transfer-encoding"), "chunked");
    EXPECT_EQ(answer.field("content-length"), "");
    EXPECT_TRUE(answer.whole);
    EXPECT_EQ(answer.body, "one two " + std::string(200'000, 'x'));
    EXPECT_EQ(client.get("/echo?a").body, "/echo|a=;||");
    EXPECT_EQ(gone, k);
  }
  // Requests that were sent while the stream went out.
  std::string ahead;
  for (int k = 0; k < 50; ++k)
    ahead += k % 2 ? "GET / HTTP/1.1\r\nHost: a\r\n\r\n" : post("/echo", "body");
  client.send(ahead);
  for (int k = 0; k < 50; ++k) ASSERT_EQ(client.answer().body.size(), k % 2 ? 200'008U : 12U) << k;
}

TEST(HttpStream, EndsWithTheConnectionForHttp10) {
  Routes routes;
  routes.handlers["/"] = [](Request, const Reply& reply) {
    Response response;
    response.stream =
        std::make_unique<ListStream>(std::vector<std::string>{"one ", "two"}, nothing, nothing);
    reply(std::move(response));
  };
  const auto server = serve(routes);
  Client client(*server);
  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const Answer answer = client.answer();
  EXPECT_EQ(answer.field("transfer-encoding"), "");
  EXPECT_EQ(answer.field("connection"), "close");
  EXPECT_EQ(answer.body, "one two");
}

TEST(HttpStream, IsNotPulledForHead) {
  Routes routes;
  Desk desk;
  routes.handlers["/"] = from_desk(desk);
  const auto server = serve(routes);
  Client client(*server);
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer(true).status, 200);
  EXPECT_TRUE(eventually([&] { return desk.gone == 1; }));
  EXPECT_EQ(desk.pulls, 0);
}

TEST(HttpStream, IsPulledOnlyWhenTheLastPieceIsOut) {
  Routes routes;
  std::atomic<int> pulls = 0;
  constexpr int pieces = 400;
  routes.handlers["/"] = [&](Request, const Reply& reply) {
    Response response;
    response.stream = std::make_unique<ListStream>(
        std::vector<std::string>(pieces, std::string(100'000, 'x')), [&] { ++pulls; }, nothing);
    reply(std::move(response));
  };
  const auto server = serve(routes);
  Client client(std::make_unique<PlainWire>(server->addresses().front(), 4096));
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  // Nobody reads: what the system's buffers take, and one piece.
  int last = -1;
  while (pulls != last) {
    last = pulls;
    std::this_thread::sleep_for(200ms);
  }
  EXPECT_LT(pulls, pieces / 2);
  EXPECT_EQ(client.answer().body.size(), pieces * 100'000U);
  EXPECT_EQ(pulls, pieces + 1);
}

TEST(HttpStream, EndsSoonWhenTheClientOfAnIdleOneIsGone) {
  Routes routes;
  Desk desk;
  routes.handlers["/"] = from_desk(desk);
  const auto server = serve(routes);
  for (int round = 1; round <= 3; ++round) {
    {
      Client client(*server);
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      EXPECT_TRUE(client.read_past("\r\n\r\n").starts_with("HTTP/1.1 200"));
      ASSERT_TRUE(eventually([&] { return desk.pulls == 2 * round - 1; }));
      desk.give("data: 1\n\n");
      EXPECT_EQ(client.chunk(), "data: 1\n\n");
      ASSERT_TRUE(eventually([&] { return desk.pulls == 2 * round; }));
      EXPECT_EQ(desk.gone, round - 1);
      if (round == 2) client.plain().reset();
      // What comes meanwhile is no end.
      if (round == 3) client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    EXPECT_TRUE(eventually([&] { return desk.gone == round; }));
    EXPECT_TRUE(eventually([&] { return server->load().connections == 0; }));
    // A piece that comes too late is nobody's.
    desk.give("late");
  }
}

TEST(HttpStream, ThatFailsLacksItsLastChunk) {
  class Failing final : public http::Stream {
   public:
    explicit Failing(bool throws) : throws_(throws) {}
    void pull(Ready ready) override {
      if (++pulls_ < 3) return ready("piece ");
      if (throws_) throw std::runtime_error("no more");
      ready(tl::unexpected(Error{ErrorCode::store_failure, "no more"}));
    }

   private:
    const bool throws_;
    int pulls_ = 0;
  };
  for (const bool throws : {false, true}) {
    Routes routes;
    std::promise<bool> whole;
    routes.handlers["/"] = [=](Request, const Reply& reply) {
      Response response;
      response.stream = std::make_unique<Failing>(throws);
      reply(std::move(response));
    };
    const auto server =
        serve(routes, {.finished = [&](const Finished& one) { whole.set_value(one.whole); }});
    Client client(*server);
    const Answer answer = client.get("/");
    EXPECT_EQ(answer.body, "piece piece ");
    EXPECT_FALSE(answer.whole);
    EXPECT_FALSE(whole.get_future().get());
  }
}

TEST(HttpStream, PiecesMayComeFromAnyThread) {
  class Threaded final : public http::Stream {
   public:
    explicit Threaded(Threads& threads) : threads_(threads) {}
    void pull(Ready ready) override {
      const int number = next_++;
      threads_.run([ready, number] {
        if (number == 100) return ready(std::nullopt);
        ready(std::to_string(number) + " ");
        ready("twice");
      });
    }

   private:
    Threads& threads_;
    int next_ = 0;
  };
  Routes routes;
  Threads threads;
  routes.handlers["/"] = [&](Request, const Reply& reply) {
    Response response;
    response.stream = std::make_unique<Threaded>(threads);
    reply(std::move(response));
  };
  const auto server = serve(routes, {.threads = 2});
  Client client(*server);
  std::string expected;
  for (int k = 0; k < 100; ++k) expected += std::to_string(k) + " ";
  EXPECT_EQ(client.get("/").body, expected);
}

// --- Uploads ---

/// Reads all on a thread of its own and says how much there was, or what was wrong.
Handler counting(Threads& threads) {
  return [&threads](Request request, const Reply& reply) {
    auto upload = std::make_shared<std::unique_ptr<http::Upload>>(std::move(request.upload));
    threads.run([upload, reply] {
      std::size_t bytes = 0, largest = 0;
      unsigned sum = 0;
      for (;;) {
        const auto piece = (*upload)->read();
        if (!piece) {
          const bool large = piece.error().code == ErrorCode::too_large;
          return reply({.status = large ? 413 : 400, .body = piece.error().message});
        }
        if (!*piece) break;
        bytes += (*piece)->size();
        largest = std::max(largest, (*piece)->size());
        for (const char letter : **piece) sum = sum * 31 + static_cast<unsigned char>(letter);
      }
      EXPECT_LE(largest, 64U << 10);
      reply({.body = std::to_string(bytes) + " " + std::to_string(sum)});
    });
  };
}

std::string counted(const std::string& body) {
  unsigned sum = 0;
  for (const char letter : body) sum = sum * 31 + static_cast<unsigned char>(letter);
  return std::to_string(body.size()) + " " + std::to_string(sum);
}

std::string some_text(std::size_t size) {
  std::string text(size, '\0');
  std::uint32_t state = 1;
  for (char& letter : text)
    letter = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

std::string in_chunks(const std::string& body, std::size_t size) {
  std::string text;
  for (std::size_t at = 0; at < body.size(); at += size) {
    const std::string piece = body.substr(at, size);
    char line[20];
    std::snprintf(line, sizeof line, "%zx\r\n", piece.size());
    text += line + piece + "\r\n";
  }
  return text + "0\r\n\r\n";
}

constexpr const char* kChunkedUpload =
    "POST /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST(HttpUpload, ComesPieceByPieceAndTheConnectionGoesOn) {
  Routes routes;
  Threads threads;
  routes.handlers["/upload"] = counting(threads);
  const auto server = serve(routes);
  Client client(*server);
  const std::string body = some_text(10'000'000);
  client.send(post("/upload", body));
  EXPECT_EQ(client.answer().body, counted(body));
  for (const std::size_t size : {1, 1000, 300'000}) {
    const std::string part = body.substr(0, size * 20);
    client.send(kChunkedUpload + in_chunks(part, size));
    EXPECT_EQ(client.answer().body, counted(part)) << size;
  }
  client.send(post("/upload", ""));
  EXPECT_EQ(client.answer().body, "0 0");
  client.send(
      "POST /upload HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.answer().status, 100);
  client.send("abc" + post("/upload", "d"));
  EXPECT_EQ(client.answer().body, counted("abc"));
  EXPECT_EQ(client.answer().body, counted("d"));
  EXPECT_TRUE(eventually([&] { return server->load().uploads == 0; }));
}

TEST(HttpUpload, WaitsForAReaderWhoTakesHisTime) {
  Routes routes;
  Threads threads;
  std::promise<void> go;
  std::shared_future<void> gone_on = go.get_future().share();
  const Handler count = counting(threads);
  routes.handlers["/upload"] = [&](Request request, Reply reply) {
    auto shared = std::make_shared<Request>(std::move(request));
    threads.run([&, shared, reply] {
      gone_on.wait();
      count(std::move(*shared), reply);
    });
  };
  // The reader's time is not the client's.
  const auto server = serve(routes, {.upload_buffer = 100'000, .body_time = 500ms});
  Client client(*server);
  const std::string body = some_text(60'000'000);
  const std::string all = post("/upload", body);
  std::size_t sent = 0;
  for (int still = 0; still < 100;) {
    const std::size_t count_sent = client.plain().send_some(std::string_view(all).substr(sent));
    sent += count_sent;
    still = count_sent ? 0 : still + 1;
    if (!count_sent) std::this_thread::sleep_for(10ms);
  }
  // The buffers of the system and of the server are full.
  EXPECT_LT(sent, all.size() / 2);
  go.set_value();
  client.send(std::string_view(all).substr(sent));
  EXPECT_EQ(client.answer().body, counted(body));
}

TEST(HttpUpload, TellsTheReaderWhatIsWrong) {
  Routes routes;
  Threads threads;
  routes.handlers["/upload"] = counting(threads);
  routes.largest_upload = 1000;
  const auto server = serve(routes), hasty = serve(routes, {.body_time = 200ms});
  {
    Client client(*server);
    client.send(kChunkedUpload + in_chunks(std::string(1500, 'a'), 500));
    const Answer answer = client.answer();
    EXPECT_EQ(answer.status, 413);
    EXPECT_NE(answer.body.find("larger than the 1000 bytes"), std::string::npos) << answer.body;
    EXPECT_TRUE(client.at_end());
  }
  {
    Client client(*server);
    client.send(kChunkedUpload + std::string("5\r\nhello\r\nnonsense\r\n"));
    EXPECT_NE(client.answer().body.find("chunks"), std::string::npos);
  }
  {
    Client client(*hasty);
    client.send(kChunkedUpload + std::string("5\r\nhel"));
    EXPECT_NE(client.answer().body.find("took too long"), std::string::npos);
  }
  {
    Client client(*server);
    client.send(kChunkedUpload + std::string("5\r\nhel"));
    client.plain().end();
    EXPECT_NE(client.answer().body.find("gone before the end"), std::string::npos);
  }
  {
    Client client(*server);
    client.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n");
    expect_problem(client.answer(), 413, "body_too_large");
  }
  EXPECT_TRUE(eventually([&] { return server->load().uploads == 0; }));
}

TEST(HttpUpload, ReadersOfClientsThatAreGoneGoOn) {
  Routes routes;
  Threads threads;
  std::atomic<int> finished = 0;
  routes.handlers["/upload"] = counting(threads);
  const auto server = serve(routes, {.finished = [&](const Finished& one) {
                              EXPECT_EQ(one.status, 400);
                              ++finished;
                            }});
  for (const bool rude : {false, true}) {
    Client client(*server);
    client.send(post("/upload", some_text(1000)).substr(0, 500));
    ASSERT_TRUE(eventually([&] { return server->load().uploads == 1; }));
    if (rude) client.plain().reset();
    client = Client(*server);
    ASSERT_TRUE(eventually([&] { return server->load().uploads == 0; }));
  }
  EXPECT_TRUE(eventually([&] { return finished == 2; }));
}

TEST(HttpUpload, MayBeAnsweredBeforeItsEnd) {
  Routes routes;
  Threads threads;
  std::mutex mutex;
  std::vector<std::unique_ptr<http::Upload>> kept;
  routes.handlers["/upload/now"] = [](Request, const Reply& reply) {
    reply({.status = 403, .body = "no"});
  };
  routes.handlers["/upload/keeps"] = [&](Request request, const Reply& reply) {
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(request.upload));
    threads.run([reply] {
      std::this_thread::sleep_for(50ms);
      reply({.status = 403, .body = "no"});
    });
  };
  routes.handlers["/upload/drops"] = [&](Request, const Reply& reply) {
    threads.run([reply] {
      std::this_thread::sleep_for(50ms);
      reply({.status = 403, .body = "no"});
    });
  };
  const auto server = serve(routes);
  for (const char* path : {"/upload/now", "/upload/keeps", "/upload/drops"}) {
    SCOPED_TRACE(path);
    // A client who stops half way, and one who sends on and on.
    Client halfway(*server);
    halfway.send(post(path, some_text(1000)).substr(0, 500));
    const Answer answer = halfway.answer();
    EXPECT_EQ(answer.status, 403);
    EXPECT_EQ(answer.field("connection"), "close");
    halfway.plain().end();
    EXPECT_TRUE(halfway.at_end());
    Client eager(*server);
    std::thread sender([&] { eager.send(post(path, some_text(3'000'000))); });
    EXPECT_EQ(eager.answer().status, 403);
    sender.join();
  }
  EXPECT_TRUE(eventually([&] { return server->load().uploads == 0; }));
  for (const auto& upload : kept)
    while (const auto piece = upload->read())
      if (!*piece) break;
}

TEST(HttpUpload, OnlySoManyAtOnce) {
  Routes routes;
  Threads threads;
  routes.handlers["/upload"] = counting(threads);
  const auto server = serve(routes, {.most_uploads = 2});
  Client first(*server), second(*server), third(*server);
  const std::string request = post("/upload", "0123456789");
  for (Client* client : {&first, &second}) client->send(request.substr(0, request.size() - 3));
  ASSERT_TRUE(eventually([&] { return server->load().uploads == 2; }));
  third.send(request);
  const Answer refused = third.answer();
  expect_problem(refused, 503, "too_many_uploads");
  EXPECT_EQ(refused.field("retry-after"), "1");
  first.send("789");
  EXPECT_EQ(first.answer().body, counted("0123456789"));
  ASSERT_TRUE(eventually([&] { return server->load().uploads == 1; }));
  Client fourth(*server);
  fourth.send(request);
  EXPECT_EQ(fourth.answer().status, 200);
  second.send("789");
  EXPECT_EQ(second.answer().status, 200);
}

// --- Stopping ---

TEST(HttpStop, FinishesWhatIsInFlightAndClosesTheRest) {
  Routes routes;
  std::promise<Reply> asked;
  routes.handlers["/slow"] = [&](Request, const Reply& reply) { asked.set_value(reply); };
  const auto server = serve(routes, {.stop_time = 60s});
  Client idle(*server), fresh(*server), busy(*server);
  EXPECT_EQ(idle.get("/").status, 404);
  busy.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  const Reply reply = asked.get_future().get();
  std::thread stopping([&] { server->stop(); });
  EXPECT_TRUE(idle.at_end());
  EXPECT_TRUE(fresh.at_end());
  EXPECT_TRUE(eventually([&] { return server->load().connections == 1; }));
  reply({.body = "done"});
  const Answer answer = busy.answer();
  EXPECT_EQ(answer.body, "done");
  EXPECT_EQ(answer.field("connection"), "close");
  EXPECT_TRUE(busy.at_end());
  stopping.join();
  EXPECT_EQ(server->load().connections, 0U);
  EXPECT_THROW(Client{*server}, std::runtime_error);
  server->stop();
}

TEST(HttpStop, EndsEventStreamsAndFinishesOthers) {
  Routes routes;
  Desk events, rows;
  routes.handlers["/events"] = from_desk(events);
  routes.handlers["/rows"] = from_desk(rows, "text/csv");
  const auto server = serve(routes, {.stop_time = 60s});
  Client listener(*server), reader(*server);
  listener.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
  reader.send("GET /rows HTTP/1.1\r\nHost: a\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return events.pulls == 1 && rows.pulls == 1; }));
  std::thread stopping([&] { server->stop(); });
  EXPECT_TRUE(listener.answer().whole);
  EXPECT_TRUE(eventually([&] { return events.gone == 1; }));
  EXPECT_EQ(rows.gone, 0);
  rows.give("a,b\n");
  ASSERT_TRUE(eventually([&] { return rows.pulls == 2; }));
  rows.give(std::nullopt);
  const Answer answer = reader.answer();
  EXPECT_EQ(answer.body, "a,b\n");
  EXPECT_TRUE(answer.whole);
  stopping.join();
  EXPECT_EQ(rows.gone, 1);
}

TEST(HttpStop, CutsWhatDoesNotEnd) {
  Routes routes;
  Desk rows;
  Threads threads;
  std::promise<Reply> asked;
  std::atomic<int> unsent = 0;
  routes.handlers["/rows"] = from_desk(rows, "text/csv");
  routes.handlers["/never"] = [&](Request, const Reply& reply) { asked.set_value(reply); };
  routes.handlers["/upload"] = counting(threads);
  auto server = serve(
      routes, {.stop_time = 100ms, .finished = [&](const Finished& one) { unsent += !one.whole; }});
  Client reader(*server), waiter(*server), sender(*server), half(*server);
  reader.send("GET /rows HTTP/1.1\r\nHost: a\r\n\r\n");
  waiter.send("GET /never HTTP/1.1\r\nHost: a\r\n\r\n");
  sender.send(post("/upload", "0123456789").substr(0, 60));
  half.send("GET / HTTP/1.1\r\nHo");
  const Reply reply = asked.get_future().get();
  ASSERT_TRUE(eventually([&] {
    return rows.pulls == 1 && server->load().uploads == 1 && server->load().connections == 4;
  }));
  server->stop();
  EXPECT_EQ(server->load().connections, 0U);
  EXPECT_EQ(server->load().uploads, 0U);
  EXPECT_EQ(rows.gone, 1);
  EXPECT_EQ(unsent, 4);
  EXPECT_FALSE(reader.answer().whole);
  EXPECT_TRUE(waiter.at_end());
  EXPECT_TRUE(sender.at_end());
  EXPECT_TRUE(half.at_end());
  // Too late, and after the server itself.
  rows.give("late");
  server.reset();
  reply({.body = "late"});
  rows.give("later");
}

TEST(HttpStop, UnderLoadEveryAnswerIsWholeOrNotThere) {
  Routes routes;
  Threads threads;
  routes.handlers["/"] = echo;
  routes.handlers["/later"] = [&](Request request, Reply reply) {
    auto shared = std::make_shared<Request>(std::move(request));
    threads.run([shared, reply] { echo(std::move(*shared), reply); });
  };
  const auto server = serve(routes, {.threads = 2, .stop_time = 60s});
  std::atomic<int> answered = 0;
  std::vector<std::thread> clients;
  for (int k = 0; k < 8; ++k)
    clients.emplace_back([&, k] {
      Client client(*server);
      for (;;) {
        client.send(post(k % 2 ? "/" : "/later", "body"));
        if (client.at_end()) return;
        const Answer answer = client.answer();
        EXPECT_TRUE(answer.whole);
        EXPECT_TRUE(answer.body.ends_with("|||body"));
        ++answered;
        if (answered > 2000) std::this_thread::sleep_for(1ms);
      }
    });
  EXPECT_TRUE(eventually([&] { return answered > 200; }));
  server->stop();
  for (std::thread& client : clients) client.join();
}

}  // namespace
}  // namespace allot::test
