// Handlers and streams for tests of the server on a real listener.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "http/server.hpp"
#include "support/http_client.hpp"

namespace allot::test {

using http::Reply;
using http::Request;
using http::RequestSummary;
using http::Response;
using http::Server;
using http::ServerOptions;

inline std::string post(const std::string& path, const std::string& body,
                        const std::string& fields = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: a\r\n" + fields +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// Replies with the parts of the request.
inline void echo(Request request, const Reply& reply) {
  Response response;
  response.fields.add("Content-Type", "text/plain");
  response.body = request.path + "|";
  for (const auto& [name, value] : request.query) response.body += name + "=" + value + ";";
  response.body +=
      "|" + std::string(request.fields.find("x-test").value_or("")) + "|" + request.body;
  reply(std::move(response));
}

/// Runs work on threads, and joins them at the end.
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

inline void expect_problem(const Answer& answer, int status, const std::string& code) {
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

/// Gives its pieces one after the other, and reports pulls and its end.
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

inline void nothing() {}

/// Pulls of a stream, which the test answers when it wants.
struct HeldPulls {
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

class HeldStream final : public http::Stream {
 public:
  explicit HeldStream(HeldPulls& held) : held_(held) {}
  ~HeldStream() override { ++held_.gone; }
  void pull(Ready ready) override {
    const std::lock_guard lock(held_.mutex);
    held_.ready = std::move(ready);
    ++held_.pulls;
  }

 private:
  HeldPulls& held_;
};

inline Handler hold_stream(HeldPulls& held, const std::string& type = "text/event-stream") {
  return [&held, type](Request, const Reply& reply) {
    Response response;
    response.fields.add("Content-Type", type);
    response.stream = std::make_unique<HeldStream>(held);
    reply(std::move(response));
  };
}

/// Reads an upload on its own thread, and replies with its size and a checksum, or the error.
inline Handler counting(Threads& threads) {
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

}  // namespace allot::test
