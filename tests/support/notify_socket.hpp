// A service manager's side of sd_notify(3): a socket that takes messages.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <string>

namespace allot::test {

class NotifySocket {
 public:
  /// `name` is a path, or an abstract name that begins with '@'.
  explicit NotifySocket(const std::string& name)
      : variable_("NOTIFY_SOCKET=" + name), socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof address.sun_path - 1);
    if (name.front() == '@') address.sun_path[0] = '\0';
    is_open_ = ::bind(socket_, reinterpret_cast<const sockaddr*>(&address),
                      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())) == 0;
  }
  ~NotifySocket() { ::close(socket_); }
  NotifySocket(const NotifySocket&) = delete;

  bool is_open() const { return is_open_; }
  /// "NOTIFY_SOCKET=NAME", for the environment of a program.
  const std::string& variable() const { return variable_; }
  /// The next message; empty if none comes within `milliseconds`.
  std::string next(int milliseconds = 20'000) const {
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, milliseconds) != 1) return "";
    std::string message(4096, '\0');
    const ssize_t size = ::recv(socket_, message.data(), message.size(), 0);
    message.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return message;
  }

 private:
  const std::string variable_;
  const int socket_;
  bool is_open_ = false;
};

}  // namespace allot::test
