// Requests and responses of the server on a real listener.
#include <condition_variable>
#include <future>
#include <set>

#include "http/parser.hpp"
#include "http/server_fixture.hpp"

namespace allot::test::server_test {
namespace {

using namespace std::chrono_literals;

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
      serve(routes, {.threads = 4, .finished = [&](const RequestSummary&) { ++finished; }});
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
  std::atomic<int> finished = 0;
  const auto server =
      serve(routes, {.finished = [&](const RequestSummary& one) {
              seen.push_back({std::string(one.method), std::string(one.path), std::string(one.peer),
                              std::string(one.id), one.status, one.received, one.sent, one.whole,
                              one.duration > 0ns});
              ++finished;
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
  // No connection may be open while the last one still waits to be accepted.
  EXPECT_TRUE(eventually([&] { return finished == 4; }));
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

TEST(HttpServer, NeverSendsThePrivateCauseOfAnError) {
  Routes routes;
  const auto failed = [] {
    return Response{.status = 503, .body = "try later", .cause = "disk /dev/sda3 is full"};
  };
  routes.handlers["/body"] = [&](const Request&, const Reply& reply) { reply(failed()); };
  routes.handlers["/stream"] = [&](const Request&, const Reply& reply) {
    Response response = failed();
    response.stream =
        std::make_unique<ListStream>(std::vector<std::string>{"try later"}, nothing, nothing);
    reply(std::move(response));
  };
  routes.handlers["/bad"] = [&](const Request&, const Reply& reply) {
    Response response = failed();
    response.status = 99;
    reply(std::move(response));
  };
  const auto server = serve(routes);
  for (const char* const request : {"GET /body", "HEAD /body", "GET /stream", "GET /bad"}) {
    Client client(*server);
    client.send(std::string(request) + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const std::string bytes = client.read(1 << 20);
    EXPECT_NE(bytes.find("HTTP/1.1 50"), std::string::npos) << request;
    EXPECT_EQ(bytes.find("sda3"), std::string::npos) << request << ": " << bytes;
  }
}

}  // namespace
}  // namespace allot::test::server_test
