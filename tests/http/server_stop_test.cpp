// The end of a server.
#include <future>

#include "http/server_fixture.hpp"

namespace allot::test::server_stop_test {
namespace {

using namespace std::chrono_literals;

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
  HeldPulls events, rows;
  routes.handlers["/events"] = hold_stream(events);
  routes.handlers["/rows"] = hold_stream(rows, "text/csv");
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
  HeldPulls rows;
  Threads threads;
  std::promise<Reply> asked;
  std::atomic<int> unsent = 0;
  routes.handlers["/rows"] = hold_stream(rows, "text/csv");
  routes.handlers["/never"] = [&](Request, const Reply& reply) { asked.set_value(reply); };
  routes.handlers["/upload"] = counting(threads);
  auto server = serve(routes, {.stop_time = 100ms, .finished = [&](const RequestSummary& one) {
                                 unsent += !one.whole;
                               }});
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
}  // namespace allot::test::server_stop_test
