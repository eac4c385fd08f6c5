// Requests whose body the handler reads piece by piece.
#include <cstdio>
#include <future>

#include "http/server_fixture.hpp"

namespace allot::test::server_upload_test {
namespace {

using namespace std::chrono_literals;

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
  const auto server = serve(routes, {.finished = [&](const RequestSummary& one) {
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

/// An upload of ten digits. Without the last three, it is half an upload.
std::string upload_of(const std::string& caller) {
  return post("/upload", "0123456789", "Caller: " + caller + "\r\n");
}
std::string half_upload_of(const std::string& caller) {
  const std::string request = upload_of(caller);
  return request.substr(0, request.size() - 3);
}

TEST(HttpUpload, OnlySoManyAtOnce) {
  Routes routes;
  Threads threads;
  routes.handlers["/upload"] = counting(threads);
  const auto server = serve(routes, {.most_uploads = 2});
  Client first(*server), second(*server), third(*server);
  const std::string request = upload_of("third");
  first.send(half_upload_of("first"));
  second.send(half_upload_of("second"));
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

TEST(HttpUpload, OneCallerHasAtMostHalfOfThem) {
  Routes routes;
  Threads threads;
  routes.handlers["/upload"] = counting(threads);
  const auto server = serve(routes, {.most_uploads = 4});
  Client first(*server), second(*server), third(*server), other(*server);
  for (Client* client : {&first, &second}) client->send(half_upload_of("greedy"));
  ASSERT_TRUE(eventually([&] { return server->load().uploads == 2; }));
  third.send(upload_of("greedy"));
  expect_problem(third.answer(), 503, "too_many_uploads");
  other.send(upload_of("other"));
  EXPECT_EQ(other.answer().body, counted("0123456789"));
  for (Client* client : {&first, &second}) {
    client->send("789");
    EXPECT_EQ(client->answer().status, 200);
  }
  ASSERT_TRUE(eventually([&] { return server->load().uploads == 0; }));
  first.send(upload_of("greedy"));
  EXPECT_EQ(first.answer().status, 200) << "finished uploads do not count";
}

}  // namespace
}  // namespace allot::test::server_upload_test
