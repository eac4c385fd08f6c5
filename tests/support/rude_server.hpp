// A server that knows no HTTP: it says what it is told to, and closes or stays silent.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace allot::test {

/// A port where bytes are said without any rules, a text per connection.
class Rude {
 public:
  explicit Rude(std::string says, bool stays = false)
      : file_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (::bind(file_, reinterpret_cast<sockaddr*>(&at), size) != 0 || ::listen(file_, 10) != 0 ||
        ::getsockname(file_, reinterpret_cast<sockaddr*>(&at), &size) != 0) {
      throw std::runtime_error("cannot listen");
    }
    url = "http://127.0.0.1:" + std::to_string(ntohs(at.sin_port)) + "/";
    thread_ = std::thread([this, says = std::move(says), stays] {
      for (int peer; (peer = ::accept(file_, nullptr, nullptr)) >= 0;) {
        std::string bytes(64 << 10, '\0');
        const ssize_t count = ::recv(peer, bytes.data(), bytes.size(), 0);
        {
          const std::scoped_lock lock(mutex_);
          heard_.push_back(bytes.substr(0, count < 0 ? 0 : static_cast<std::size_t>(count)));
        }
        if (count > 0 && !says.empty()) {
          ::send(peer, says.data(), says.size(), MSG_NOSIGNAL);
        }
        if (stays) {
          while (::recv(peer, bytes.data(), bytes.size(), 0) > 0) {
          }
        }
        ::close(peer);
      }
    });
  }
  ~Rude() {
    ::shutdown(file_, SHUT_RDWR);
    thread_.join();
    ::close(file_);
  }

  /// Without the scheme: "127.0.0.1:8080".
  std::string address() const { return url.substr(7, url.size() - 8); }
  /// What came, as far as it came at once, a text per connection.
  std::vector<std::string> heard() const {
    const std::scoped_lock lock(mutex_);
    return heard_;
  }

  std::string url;

 private:
  const int file_;
  mutable std::mutex mutex_;
  std::vector<std::string> heard_;
  std::thread thread_;
};

}  // namespace allot::test
