#include "load_crowd.hpp"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <charconv>
#include <memory>
#include <optional>
#include <stdexcept>

namespace allot::load {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

tcp::endpoint endpoint_of(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  return {asio::ip::make_address(address.substr(0, colon)),
          static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1)))};
}

std::string request_text(const std::string& method, const std::string& path,
                         const std::string& token, const std::string& body, const std::string& type,
                         const std::string& key = "") {
  return fmt::format(
      "{} {} HTTP/1.1\r\nHost: allot\r\nAuthorization: Bearer {}\r\nContent-Type: {}\r\n{}"
      "Content-Length: {}\r\n\r\n{}",
      method, path, token, type, key.empty() ? "" : fmt::format("Idempotency-Key: {}\r\n", key),
      body.size(), body);
}

struct Answer {
  int status;
  std::string body;
};

/// Takes the complete answer at the start of the bytes received; nothing if it is incomplete.
std::optional<Answer> take_answer(std::string& came) {
  const std::size_t end = came.find("\r\n\r\n");
  if (end == std::string::npos) return std::nullopt;
  const std::size_t field = came.find("Content-Length: ");
  std::size_t size = 0;
  if (field < end) std::from_chars(came.data() + field + 16, came.data() + end, size);
  if (came.size() < end + 4 + size) return std::nullopt;
  Answer answer{std::stoi(came.substr(9, 3)), came.substr(end + 4, size)};
  came.erase(0, end + 4 + size);
  return answer;
}

/// The first item handed out; empty if there is none.
std::string item_in(const std::string& body) {
  const std::size_t list = body.find("\"assignments\": [{\"item\": \"");
  if (list == std::string::npos) return "";
  const std::size_t begin = list + 26;
  return body.substr(begin, body.find('"', begin) - begin);
}

/// A label that is mostly right, for most items.
std::string label_of(const Worker& worker) {
  const std::size_t item = std::hash<std::string>()(worker.item);
  const bool right = (item / 2 + worker.number * 7919) % 10 < 7 + worker.number % 3;
  return class_name((right ? item : item + 1) % worker.classes);
}

std::string next_request(const Worker& worker) {
  const std::string base = "/api/v1/campaigns/" + worker.campaign;
  const std::string key = fmt::format("{}-{}", worker.number, worker.requests);
  if (worker.item.empty()) {
    return request_text("POST", base + "/assignments", worker.token, R"({"count": 1})",
                        "application/json", key);
  }
  return request_text(
      "POST", base + "/labels", worker.token,
      fmt::format(R"({{"item": "{}", "label": "{}", "next": 1}})", worker.item, label_of(worker)),
      "application/json", key);
}

class Shift {
 public:
  Shift(const std::string& address, std::chrono::milliseconds duration, bool note,
        std::chrono::milliseconds pause)
      : endpoint_(endpoint_of(address)),
        until_(Clock::now() + duration),
        note_(note),
        pause_(pause) {}

  Round run(std::vector<Worker>& workers) {
    const auto begin = Clock::now();
    std::int64_t place = 0;
    for (Worker& worker : workers) {
      const auto late = pause_ * place++ / static_cast<std::int64_t>(workers.size());
      if (!worker.finished) asio::co_spawn(context_, work(worker, late), asio::detached);
    }
    context_.run();
    round_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return std::move(round_);
  }

 private:
  asio::awaitable<void> wait(Clock::duration duration) {
    if (duration <= Clock::duration()) co_return;
    asio::steady_timer timer(context_, duration);
    co_await timer.async_wait(asio::use_awaitable);
  }

  asio::awaitable<void> work(Worker& worker, Clock::duration late) {
    try {
      co_await wait(late);
      tcp::socket socket(context_);
      co_await socket.async_connect(endpoint_, asio::use_awaitable);
      socket.set_option(tcp::no_delay(true));
      std::string came;
      while (!worker.finished && Clock::now() < until_) {
        if (worker.request.empty()) worker.request = next_request(worker);
        const auto sent = Clock::now();
        co_await asio::async_write(socket, asio::buffer(worker.request), asio::use_awaitable);
        std::optional<Answer> answer;
        while (!(answer = take_answer(came))) {
          char piece[4096];
          const std::size_t size =
              co_await socket.async_read_some(asio::buffer(piece), asio::use_awaitable);
          came.append(piece, size);
        }
        if (!took(worker, *answer, Clock::now() - sent)) co_return;
        co_await wait(pause_);
      }
    } catch (const std::exception& wrong) {
      failed(wrong.what());
    }
  }

  bool took(Worker& worker, Answer& answer, Clock::duration duration) {
    if (answer.status != 200) {
      failed(fmt::format("{} {}", answer.status, answer.body));
      return false;
    }
    if (!worker.item.empty()) {
      ++round_.answers;
      round_.milliseconds.push_back(std::chrono::duration<double, std::milli>(duration).count());
      if (note_) worker.acknowledged.push_back(worker.item);
    }
    worker.item = item_in(answer.body);
    worker.finished = worker.item.empty();
    if (!worker.finished) round_.sample = std::move(answer.body);
    worker.request.clear();
    ++worker.requests;
    return true;
  }

  void failed(const std::string& what) {
    if (round_.errors++ == 0) round_.first_error = what;
  }

  asio::io_context context_{1};
  const tcp::endpoint endpoint_;
  const Clock::time_point until_;
  const bool note_;
  const std::chrono::milliseconds pause_;
  Round round_;
};

}  // namespace

double Round::quantile(double share) const {
  if (milliseconds.empty()) return 0;
  std::vector<double> sorted = milliseconds;
  const auto place =
      sorted.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(sorted.size() - 1));
  std::ranges::nth_element(sorted, place);
  return *place;
}

std::string class_name(std::size_t number) { return fmt::format("class-{}", number); }

std::pair<int, std::string> call(const std::string& address, const std::string& method,
                                 const std::string& path, const std::string& token,
                                 const std::string& body, const std::string& type) {
  try {
    asio::io_context context;
    tcp::socket socket(context);
    socket.connect(endpoint_of(address));
    asio::write(socket, asio::buffer(request_text(method, path, token, body, type)));
    std::string came;
    while (true) {
      if (auto answer = take_answer(came)) return {answer->status, std::move(answer->body)};
      char piece[4096];
      came.append(piece, socket.read_some(asio::buffer(piece)));
    }
  } catch (const std::exception& wrong) {
    return {0, wrong.what()};
  }
}

Round work(const std::string& address, std::vector<Worker>& workers,
           std::chrono::milliseconds duration, bool note, std::chrono::milliseconds pause) {
  return Shift(address, duration, note, pause).run(workers);
}

std::size_t keep_open(const std::string& address, std::size_t count, bool by_tls,
                      const std::function<void()>& idle) {
  asio::io_context io;
  std::vector<tcp::socket> sockets;
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(SSL_CTX_new(TLS_client_method()),
                                                             SSL_CTX_free);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  std::vector<std::unique_ptr<SSL, void (*)(SSL*)>> sessions;
  std::size_t answered = 0;
  const std::string request = request_text("GET", "/healthz", "", "", "text/plain");
  try {
    for (std::size_t n = 0; n < count; ++n) {
      tcp::socket& socket = sockets.emplace_back(io);
      socket.connect(endpoint_of(address));
      SSL* const ssl =
          by_tls ? sessions.emplace_back(SSL_new(context.get()), SSL_free).get() : nullptr;
      if (ssl) {
        SSL_set_fd(ssl, static_cast<int>(socket.native_handle()));
        if (SSL_connect(ssl) != 1) throw std::runtime_error("no TLS");
        SSL_write(ssl, request.data(), static_cast<int>(request.size()));
      } else {
        asio::write(socket, asio::buffer(request));
      }
      std::string came;
      while (!take_answer(came)) {
        char piece[4096];
        const int size = ssl ? SSL_read(ssl, piece, sizeof piece)
                             : static_cast<int>(socket.read_some(asio::buffer(piece)));
        if (size <= 0) throw std::runtime_error("no answer");
        came.append(piece, static_cast<std::size_t>(size));
      }
      ++answered;
    }
  } catch (const std::exception&) {
    // The number of answers tells about failures.
  }
  idle();
  return answered;
}

}  // namespace allot::load
