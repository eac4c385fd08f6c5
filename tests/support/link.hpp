// A link between two programs that a test can cut: a small proxy with one thread.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace allot::test {

/// Addresses are paths of Unix sockets, or of the form 127.0.0.1:80; port 0 takes a free one.
///
/// A cut link is silent, as a network that loses every packet: nobody hears of it, connections
/// stay, and what was sent arrives when the link is whole again.
class Link {
 public:
  enum class State {
    whole,
    cut,        // nothing passes
    no_answers  // what the caller sends passes, what comes back does not
  };

  explicit Link(const std::string& at, std::string to = {}) : to_(std::move(to)) {
    if (pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("no pipe");
    listener_ = open_socket(at);
    const Address address(at);
    if (bind(listener_, address.get(), address.size) != 0 || listen(listener_, 128) != 0) {
      throw std::runtime_error("cannot listen at " + at);
    }
    sockaddr_in bound{};
    socklen_t size = sizeof bound;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&bound), &size);
    address_ = is_path(at) ? at : "127.0.0.1:" + std::to_string(ntohs(bound.sin_port));
    thread_ = std::thread([this] { run(); });
  }
  ~Link() {
    change([&] { stopping_ = true; });
    thread_.join();
    for (const int file : {listener_, wake_[0], wake_[1]}) close(file);
  }
  Link(const Link&) = delete;

  /// Where callers connect.
  const std::string& address() const { return address_; }
  void lead_to(const std::string& to) {
    change([&] { to_ = to; });
  }
  void set(State state) {
    change([&] { state_ = state; });
  }
  /// Ends all connections, as after the loss of a router that kept their state.
  void reset() {
    change([&] { resetting_ = true; });
  }

 private:
  struct Address {
    explicit Address(const std::string& text) {
      if (is_path(text)) {
        path.sun_family = AF_UNIX;
        std::strncpy(path.sun_path, text.c_str(), sizeof path.sun_path - 1);
        size = sizeof path;
        return;
      }
      internet.sin_family = AF_INET;
      internet.sin_port =
          htons(static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':') + 1))));
      inet_pton(AF_INET, "127.0.0.1", &internet.sin_addr);
      size = sizeof internet;
    }
    const sockaddr* get() const {
      return size == sizeof path ? reinterpret_cast<const sockaddr*>(&path)
                                 : reinterpret_cast<const sockaddr*>(&internet);
    }
    sockaddr_un path{};
    sockaddr_in internet{};
    socklen_t size = 0;
  };

  /// One end of a connection, and the bytes that wait for it.
  struct End {
    int file = -1;
    std::string waiting = {};
    bool at_end = false;  // it sends nothing more
  };
  struct Pair {
    End caller, called;
    ~Pair() {
      close(caller.file);
      close(called.file);
    }
  };

  static bool is_path(const std::string& text) { return text.starts_with('/'); }
  static int open_socket(const std::string& address) {
    const int file = socket(is_path(address) ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    if (!is_path(address)) setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return file;
  }

  template <typename Change>
  void change(Change change) {
    {
      const std::scoped_lock lock(mutex_);
      change();
    }
    static_cast<void>(!write(wake_[1], "", 1));
  }

  void run() {
    std::list<Pair> pairs;
    while (true) {
      State state;
      {
        const std::scoped_lock lock(mutex_);
        if (stopping_) return;
        if (std::exchange(resetting_, false)) pairs.clear();
        state = state_;
      }
      wait(pairs, state);
      if (state == State::cut) continue;
      for (auto pair = pairs.begin(); pair != pairs.end();) {
        const bool goes_on = move(pair->caller, pair->called) &&
                             (state == State::no_answers || move(pair->called, pair->caller));
        goes_on ? ++pair : pair = pairs.erase(pair);
      }
    }
  }

  /// Until something can be moved, or the state changes; takes new connections.
  void wait(std::list<Pair>& pairs, State state) {
    std::vector<pollfd> files{{wake_[0], POLLIN, 0}};
    const auto add = [&](const End& end, const End& other, bool is_read) {
      const int events = (is_read && other.waiting.empty() && !end.at_end ? POLLIN : 0) |
                         (end.waiting.empty() ? 0 : POLLOUT);
      if (events) files.push_back({end.file, static_cast<short>(events), 0});
    };
    if (state != State::cut) {
      files.push_back({listener_, POLLIN, 0});
      for (const Pair& pair : pairs) {
        add(pair.caller, pair.called, true);
        add(pair.called, pair.caller, state == State::whole);
      }
    }
    poll(files.data(), files.size(), -1);
    char bytes[64];
    while (read(wake_[0], bytes, sizeof bytes) > 0) {
    }
    if (state != State::cut && (files[1].revents & POLLIN) != 0) accept_one(pairs);
  }

  void accept_one(std::list<Pair>& pairs) {
    const int caller = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (caller < 0) return;
    std::string to;
    {
      const std::scoped_lock lock(mutex_);
      to = to_;
    }
    const int called = open_socket(to);
    const Address address(to);
    pairs.emplace_back();
    pairs.back().caller.file = caller;
    pairs.back().called.file = called;
    if (connect(called, address.get(), address.size) != 0) pairs.pop_back();
  }

  /// Moves what is there from one end to the other; false once the connection is over.
  static bool move(End& from, End& to) {
    while (true) {
      if (!to.waiting.empty()) {
        const ssize_t sent =
            send(to.file, to.waiting.data(), to.waiting.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        to.waiting.erase(0, static_cast<std::size_t>(sent));
        continue;
      }
      if (from.at_end) return false;
      char bytes[16 << 10];
      const ssize_t count = recv(from.file, bytes, sizeof bytes, MSG_DONTWAIT);
      if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
      from.at_end = count == 0;
      to.waiting.assign(bytes, static_cast<std::size_t>(count));
    }
  }

  std::string to_, address_;
  int listener_ = -1, wake_[2] = {-1, -1};
  std::mutex mutex_;
  State state_ = State::whole;
  bool resetting_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace allot::test
