// Responses that come in pieces.
#include <future>

#include "http/server_fixture.hpp"

namespace allot::test::server_stream_test {
namespace {

using namespace std::chrono_literals;

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
  HeldPulls held;
  routes.handlers["/"] = hold_stream(held);
  const auto server = serve(routes);
  Client client(*server);
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer(true).status, 200);
  EXPECT_TRUE(eventually([&] { return held.gone == 1; }));
  EXPECT_EQ(held.pulls, 0);
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
  HeldPulls held;
  routes.handlers["/"] = hold_stream(held);
  const auto server = serve(routes);
  for (int round = 1; round <= 3; ++round) {
    {
      Client client(*server);
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      EXPECT_TRUE(client.read_past("\r\n\r\n").starts_with("HTTP/1.1 200"));
      ASSERT_TRUE(eventually([&] { return held.pulls == 2 * round - 1; }));
      held.give("data: 1\n\n");
      EXPECT_EQ(client.chunk(), "data: 1\n\n");
      ASSERT_TRUE(eventually([&] { return held.pulls == 2 * round; }));
      EXPECT_EQ(held.gone, round - 1);
      if (round == 2) client.plain().reset();
      // What comes meanwhile is no end.
      if (round == 3) client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    EXPECT_TRUE(eventually([&] { return held.gone == round; }));
    EXPECT_TRUE(eventually([&] { return server->load().connections == 0; }));
    // A piece that comes too late is nobody's.
    held.give("late");
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
        serve(routes, {.finished = [&](const RequestSummary& one) { whole.set_value(one.whole); }});
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

}  // namespace
}  // namespace allot::test::server_stream_test
