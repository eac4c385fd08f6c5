// Requests passed on to another server, and responses back.
#include "http/relay.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "support/http_client.hpp"
#include "support/rude_server.hpp"

namespace allot::test::relay_test {
namespace {

using http::Method;
using http::Relay;
using http::Request;
using http::Response;

Request asked(std::string path, Method method = Method::get, std::string body = "") {
  Request request;
  request.method = method;
  request.path = std::move(path);
  request.body = std::move(body);
  return request;
}

Relay::Answer passed_on(Relay& relay, const std::string& address, const Request& request,
                        bool may_repeat = true) {
  std::promise<Relay::Answer> promise;
  relay.forward(address, request, may_repeat,
                [&](Relay::Answer answer) { promise.set_value(std::move(answer)); });
  return promise.get_future().get();
}

std::string all_of(http::Stream& stream) {
  std::string all;
  while (true) {
    std::promise<Result<std::optional<std::string>>> piece;
    stream.pull([&](Result<std::optional<std::string>> next) { piece.set_value(std::move(next)); });
    const auto next = piece.get_future().get();
    EXPECT_TRUE(next) << next.error().message;
    if (!next || !*next) return all;
    all += **next;
  }
}

/// Sends `left` pieces of 1,000 bytes.
class Pieces final : public http::Stream {
 public:
  explicit Pieces(int left) : left_(left) {}
  void pull(Ready ready) override {
    if (left_-- == 0) return ready(std::nullopt);
    ready(std::string(1000, static_cast<char>('a' + left_ % 26)));
  }

 private:
  int left_;
};

class Relayed : public testing::Test {
 protected:
  void SetUp() override {
    routes_.handlers["/what is/it"] = [](Request request, http::Reply reply) {
      Response response{.status = 207};
      for (const auto& [name, value] : request.query) response.body += name + "=" + value + ";";
      response.body += request.body;
      response.fields.add("Hop", std::string(request.fields.find(http::kHop).value_or("")));
      response.fields.add("Client",
                          std::string(request.fields.find("X-Forwarded-For").value_or("")));
      response.fields.add("Token", std::string(request.fields.find("Authorization").value_or("")));
      reply(std::move(response));
    };
    routes_.handlers["/stream"] = [](const Request&, http::Reply reply) {
      Response response;
      response.stream = std::make_unique<Pieces>(500);
      reply(std::move(response));
    };
    routes_.handlers["/upload"] = [this](Request request, http::Reply reply) {
      threads_.emplace_back([upload = std::move(request.upload), reply] {
        std::size_t size = 0;
        while (true) {
          const auto piece = upload->read();
          if (!piece || !*piece) break;
          size += (*piece)->size();
        }
        reply({.body = std::to_string(size)});
      });
    };
    server_ = serve(routes_);
    address_ = server_->addresses().front();
  }
  void TearDown() override {
    for (std::thread& thread : threads_) thread.join();
  }

  Routes routes_;
  std::vector<std::thread> threads_;
  std::unique_ptr<http::Server> server_;
  std::string address_;
  Relay relay_;
};

TEST_F(Relayed, ARequestArrivesAsItWas) {
  Request request = asked("/what is/it", Method::post, "body");
  request.query = {{"a b", "c&d=é"}, {"empty", ""}};
  request.fields.add("Authorization", "Bearer x");
  request.fields.add("Connection", "close");
  request.peer = "203.0.113.7";
  for (int n = 0; n < 3; ++n) {
    const auto answer = passed_on(relay_, address_, request);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 207);
    EXPECT_EQ(answer->body, "a b=c&d=é;empty=;body");
    EXPECT_EQ(answer->fields.find("Hop"), "1");
    EXPECT_EQ(answer->fields.find("Token"), "Bearer x");
    EXPECT_EQ(answer->fields.find("Client"), "203.0.113.7");
  }
  EXPECT_EQ(server_->load().connections, 1U) << "kept alive";
  EXPECT_EQ(passed_on(relay_, address_, asked("/none", Method::head))->status, 404);
}

TEST_F(Relayed, LongResponsesComePieceByPiece) {
  const auto answer = passed_on(relay_, address_, asked("/stream"));
  ASSERT_TRUE(answer && answer->stream);
  EXPECT_EQ(all_of(*answer->stream).size(), 500'000U);
}

TEST_F(Relayed, UploadsGoThrough) {
  class Text final : public http::Upload {
   public:
    Result<std::optional<std::string>> read() override {
      if (++pieces_ > 300) return std::nullopt;
      return std::string(1000, 'x');
    }

   private:
    int pieces_ = 0;
  };
  Request request = asked("/upload", Method::post);
  request.upload = std::make_unique<Text>();
  const auto answer = relay_.forward_upload(address_, request);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "300000");
}

TEST_F(Relayed, SaysWhetherARequestMayHaveArrived) {
  using Kind = http::RelayFailure::Kind;
  server_->stop();
  EXPECT_EQ(passed_on(relay_, address_, asked("/")).error().kind, Kind::refused);
  EXPECT_EQ(passed_on(relay_, "nowhere", asked("/")).error().kind, Kind::unreachable);
}

TEST_F(Relayed, AClosedConnectionIsReplacedByANewOne) {
  ASSERT_TRUE(passed_on(relay_, address_, asked("/none")));
  // The same address, another server: the kept connection is dead.
  server_->stop();
  http::ServerOptions options;
  options.listen = {address_};
  server_ = http::Server::start(options, routes_).value();
  EXPECT_EQ(passed_on(relay_, address_, asked("/none"))->status, 404);
}

TEST(RelayToASilentServer, AResponseThatStopsHalfwayIsLostInTime) {
  const Rude rude("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", true);
  Relay relay({.answer_time = std::chrono::milliseconds(100)});
  const auto answer = passed_on(relay, rude.address(), asked("/"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, http::RelayFailure::Kind::lost);
}

TEST_F(Relayed, AnAbandonedRequestIsLost) {
  std::promise<http::Reply> kept;
  routes_.handlers["/never"] = [&](const Request&, http::Reply reply) {
    kept.set_value(std::move(reply));
  };
  std::promise<Relay::Answer> promise;
  relay_.forward(address_, asked("/never"), true,
                 [&](Relay::Answer answer) { promise.set_value(std::move(answer)); });
  const http::Reply reply = kept.get_future().get();
  relay_.abandon(address_);
  EXPECT_EQ(promise.get_future().get().error().kind, http::RelayFailure::Kind::lost);
  reply({});
}

}  // namespace
}  // namespace allot::test::relay_test
