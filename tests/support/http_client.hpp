// A client that says exactly what it is told to, byte by byte, and a service made of functions.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "http/server.hpp"

namespace allot::test {

/// An answer taken apart by the rules of HTTP, without any code of the server's.
struct Answer {
  int status = 0;
  http::Fields fields;
  std::string body;
  /// It came to its end: as long as it said, or with its last chunk.
  bool whole = false;

  std::string field(std::string_view name) const {
    return std::string(fields.find(name).value_or(""));
  }
};

/// A connection of bytes, plain or not.
class Wire {
 public:
  virtual ~Wire() = default;
  /// What has come, or nothing at the end.
  virtual std::string receive() = 0;
  /// False if the other side is gone.
  virtual bool send(std::string_view bytes) = 0;
};

/// Blocking; a read of a minute is a failure.
class PlainWire final : public Wire {
 public:
  explicit PlainWire(const std::string& address, int receive_buffer = 0)
      : file_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const std::size_t colon = address.rfind(':');
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
    inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
    const timeval minute{60, 0};
    setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof minute);
    setsockopt(file_, SOL_SOCKET, SO_SNDTIMEO, &minute, sizeof minute);
    const int yes = 1;
    setsockopt(file_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (receive_buffer > 0)
      setsockopt(file_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    if (file_ < 0 || ::connect(file_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
      throw std::runtime_error("cannot connect to " + address);
  }
  ~PlainWire() override { ::close(file_); }
  PlainWire(const PlainWire&) = delete;

  std::string receive() override {
    std::string bytes(16 << 10, '\0');
    const ssize_t count = ::recv(file_, bytes.data(), bytes.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      throw std::runtime_error("the server said nothing for a minute");
    bytes.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    return bytes;
  }
  bool send(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = ::send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  /// As much as goes without waiting.
  std::size_t send_some(std::string_view bytes) {
    const ssize_t count = ::send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  /// Nothing more will be sent.
  void end() { ::shutdown(file_, SHUT_WR); }
  /// Gone without a good-bye.
  void reset() {
    const linger now{1, 0};
    setsockopt(file_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }

 private:
  const int file_;
};

class Client {
 public:
  explicit Client(std::unique_ptr<Wire> wire) : wire_(std::move(wire)) {}
  explicit Client(const http::Server& server)
      : Client(std::make_unique<PlainWire>(server.addresses().front())) {}

  bool send(std::string_view bytes) { return wire_->send(bytes); }
  PlainWire& plain() { return dynamic_cast<PlainWire&>(*wire_); }

  /// Up to and with the delimiter; what there is at the end of the connection.
  std::string read_past(std::string_view delimiter) {
    std::size_t found;
    while ((found = came_.find(delimiter)) == std::string::npos && more()) {
    }
    return take(found == std::string::npos ? came_.size() : found + delimiter.size());
  }
  std::string read(std::size_t size) {
    while (came_.size() < size && more()) {
    }
    return take(std::min(size, came_.size()));
  }
  /// Whether the server closed, without a further byte.
  bool at_end() { return came_.empty() && !more(); }

  /// The next answer; `to_head` if the request was HEAD.
  Answer answer(bool to_head = false) {
    Answer answer;
    const std::string head = read_past("\r\n\r\n");
    if (head.size() < 15 || !head.starts_with("HTTP/1.1 ")) {
      ADD_FAILURE() << "no answer: '" << head << "'";
      return answer;
    }
    answer.status = std::stoi(head.substr(9, 3));
    for (std::size_t at = head.find("\r\n") + 2; at + 2 < head.size();) {
      const std::size_t end = head.find("\r\n", at), colon = head.find(": ", at);
      answer.fields.add(head.substr(at, colon - at), head.substr(colon + 2, end - colon - 2));
      at = end + 2;
    }
    if (to_head || answer.status == 204 || answer.status == 304 || answer.status == 100) {
      answer.whole = true;
    } else if (answer.fields.find("content-length")) {
      const auto size = static_cast<std::size_t>(std::stoul(answer.field("content-length")));
      answer.body = read(size);
      answer.whole = answer.body.size() == size;
    } else if (answer.field("transfer-encoding") == "chunked") {
      while (const auto piece = chunk()) {
        answer.body += *piece;
        answer.whole = piece->empty();
        if (answer.whole) break;
      }
    } else {
      while (more()) {
      }
      answer.body = take(came_.size());
      answer.whole = true;
    }
    return answer;
  }

  /// The next chunk of a body, empty for the last; nothing if there is none.
  std::optional<std::string> chunk() {
    const std::string line = read_past("\r\n");
    if (!line.ends_with("\r\n")) return std::nullopt;
    const std::size_t size = std::stoul(line, nullptr, 16);
    std::string piece = read(size);
    if (piece.size() < size || read(2) != "\r\n") return std::nullopt;
    return piece;
  }

  Answer get(const std::string& target) {
    send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    return answer();
  }

 private:
  bool more() {
    const std::string bytes = wire_->receive();
    came_ += bytes;
    return !bytes.empty();
  }
  std::string take(std::size_t size) {
    const std::string bytes = came_.substr(0, size);
    came_.erase(0, size);
    return bytes;
  }

  std::unique_ptr<Wire> wire_;
  std::string came_;
};

using Handler = std::function<void(http::Request, http::Reply)>;

/// Handlers by path; a path that starts with "/upload" takes uploads, else bodies of up to 1,000
/// bytes. The field Caller names the caller.
class Routes : public http::Service {
 public:
  std::map<std::string, Handler, std::less<>> handlers;
  std::uint64_t largest_upload = 1 << 30;

  Intake intake(const http::Request& request) const override {
    const std::string caller(request.fields.find("Caller").value_or(""));
    if (request.path.starts_with("/upload"))
      return {.largest_body = largest_upload, .upload = true, .caller = caller};
    const std::uint64_t largest = request.path.starts_with("/large") ? 1 << 20 : 1000;
    return {.largest_body = largest, .caller = caller};
  }
  void handle(http::Request request, http::Reply reply) override {
    const auto found = handlers.find(request.path);
    if (found == handlers.end()) return reply({.status = 404});
    found->second(std::move(request), std::move(reply));
  }
};

/// How long a test waits for another program before it fails. Sanitizers make programs ten times
/// slower, and the machine may be busy.
#ifdef ALLOT_SANITIZE
inline constexpr std::chrono::minutes kPatience{15};
#else
inline constexpr std::chrono::minutes kPatience{5};
#endif

/// Waits for what must become true sooner or later.
inline bool eventually(const std::function<bool()>& holds) {
  using namespace std::chrono_literals;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  // Asking less and less often leaves the processor to the program that is asked.
  for (auto pause = 1ms; std::chrono::steady_clock::now() < end;
       pause = std::min(2 * pause, 32ms)) {
    if (holds()) return true;
    std::this_thread::sleep_for(pause);
  }
  return holds();
}

/// At a free port of this machine.
inline std::unique_ptr<http::Server> serve(http::Service& service,
                                           http::ServerOptions options = {}) {
  options.listen = {"127.0.0.1:0"};
  auto server = http::Server::start(std::move(options), service);
  if (!server) throw std::runtime_error(server.error().message);
  return std::move(*server);
}

}  // namespace allot::test
