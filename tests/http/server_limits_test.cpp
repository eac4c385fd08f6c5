// Slow clients, and limits on connections and memory.
#include <sys/resource.h>

#include <fstream>
#include <future>

#include "http/server_fixture.hpp"

namespace allot::test::server_limits_test {
namespace {

using namespace std::chrono_literals;

std::size_t resident_bytes() {
  std::size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
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
  const auto server =
      serve(routes, {.write_time = 100ms,
                     .finished = [&](const RequestSummary& one) { whole.set_value(one.whole); }});
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
  // A sanitizer needs a file when it meets a type for the first time.
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  std::vector<std::unique_ptr<Client>> clients;
  clients.push_back(std::make_unique<Client>(*server));
  clients.back()->send(request);
  EXPECT_EQ(clients.back()->answer().status, 404);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  std::vector<int> free{dup(0)};
  const rlimit few{static_cast<rlim_t>(free[0]) + 16, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  while (free.back() >= 0) free.push_back(dup(0));
  free.pop_back();
  // An odd number: when all are used up, the last client has no other end.
  for (std::size_t k = free.size() % 2 ? 0 : 1; k < free.size(); ++k) close(free[k]);
  try {
    for (;;) clients.push_back(std::make_unique<Client>(*server));
  } catch (const std::runtime_error&) {
  }
  EXPECT_GT(clients.size(), server->load().connections);
  clients.back()->send(request);
  clients.erase(clients.begin(), clients.end() - 1);
  EXPECT_EQ(clients.back()->answer().status, 404);
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace allot::test::server_limits_test
