#include "http/relay.hpp"

#include <fmt/format.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "allot/base/text.hpp"
#include "base/signals_blocked.hpp"
#include "http/answer.hpp"
#include "http/ascii.hpp"
#include "http/response_reader.hpp"

namespace allot::http {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;
using Wrong = boost::system::error_code;
using Kind = RelayFailure::Kind;

/// Fields about one connection, or that the relay and the server write themselves.
bool is_of_connection(std::string_view name) {
  constexpr std::string_view own[] = {"connection", "keep-alive",     "transfer-encoding", "te",
                                      "trailer",    "content-length", "upgrade",           "host",
                                      "expect",     "date",           "x-request-id"};
  return std::ranges::any_of(own, [&](std::string_view word) { return same_word(name, word); });
}

/// The request line and fields, without the empty line.
std::string head_text(const std::string& address, const Request& request) {
  std::string target = percent_encoded(request.path, "/");
  for (std::size_t n = 0; n < request.query.size(); ++n) {
    const auto& [name, value] = request.query[n];
    target +=
        fmt::format("{}{}={}", n == 0 ? '?' : '&', percent_encoded(name), percent_encoded(value));
  }
  const std::string_view method = kMethodNames[static_cast<std::size_t>(request.method)];
  std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n{}: 1\r\n", method, target, address, kHop);
  for (const auto& [name, value] : request.fields.list()) {
    if (!is_of_connection(name)) text += fmt::format("{}: {}\r\n", name, value);
  }
  if (!request.peer.empty()) text += fmt::format("X-Forwarded-For: {}\r\n", request.peer);
  return text;
}

std::string whole_text(const std::string& address, const Request& request) {
  return fmt::format("{}Content-Length: {}\r\n\r\n{}", head_text(address, request),
                     request.body.size(), request.body);
}

ResponseReader::Limits limits_of(const Request& request) {
  return {.has_body = request.method != Method::head};
}

Response head_of(const ResponseReader& reader) {
  Response response{.status = reader.status()};
  const Fields fields = reader.fields();
  for (const auto& [name, value] : fields.list()) {
    if (!is_of_connection(name)) response.fields.add(name, value);
  }
  return response;
}

/// Bytes per read.
constexpr std::size_t kRead = 64 << 10;

struct OpenSocket {
  explicit OpenSocket(asio::io_context& context) : socket(context) {}
  Tcp::socket socket;
  const std::unique_ptr<char[]> bytes = std::make_unique_for_overwrite<char[]>(kRead);
};

Tcp::endpoint endpoint_of(const std::string& address, Wrong& wrong) {
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  const auto ip = asio::ip::make_address(host, wrong);
  if (colon == std::string::npos) wrong = asio::error::invalid_argument;
  if (wrong) return {};
  return {ip, static_cast<std::uint16_t>(std::atoi(address.c_str() + colon + 1))};
}

/// Another machine that loses its power says nothing: the kernel asks whether it is still there,
/// and gives it up after a minute.
void notice_death(Tcp::socket& socket) {
  const auto set = [&](int level, int option, int value) {
    ::setsockopt(socket.native_handle(), level, option, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 20);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 60'000);
}

/// Whether nothing was sent to the socket since its last response, not even an end.
bool is_quiet(Tcp::socket& socket) {
  char byte = 0;
  const auto got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

RelayFailure no_connection(Wrong wrong) {
  return {wrong == asio::error::connection_refused ? Kind::refused : Kind::unreachable,
          "no connection: " + wrong.message()};
}

}  // namespace

struct Relay::Impl : std::enable_shared_from_this<Relay::Impl> {
  class Exchange;
  class PieceStream;

  explicit Impl(RelayOptions its_options)
      : options(its_options), guard(asio::make_work_guard(context)) {}

  std::unique_ptr<OpenSocket> idle_at(const std::string& address) {
    auto& sockets = idle[address];
    while (!sockets.empty()) {
      auto socket = std::move(sockets.back());
      sockets.pop_back();
      if (is_quiet(socket->socket)) return socket;
    }
    return nullptr;
  }
  void give_back(const std::string& address, std::unique_ptr<OpenSocket> socket) {
    auto& sockets = idle[address];
    if (sockets.size() < options.most_idle) sockets.push_back(std::move(socket));
  }

  const RelayOptions options;
  std::set<Exchange*> waiting;  // without a response; before the context, which keeps exchanges
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard;
  std::thread thread;
  std::map<std::string, std::vector<std::unique_ptr<OpenSocket>>> idle;
};

/// One request and its response; on the relay's thread.
class Relay::Impl::Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(Impl& relay, std::string address, const Request& request, bool may_repeat, Done done)
      : relay_(relay),
        address_(std::move(address)),
        text_(whole_text(address_, request)),
        may_repeat_(may_repeat),
        reader_(limits_of(request)),
        done_(std::move(done)),
        timer_(relay.context) {}
  ~Exchange() { relay_.waiting.erase(this); }

  const std::string& address() const { return address_; }

  void start() {
    relay_.waiting.insert(this);
    if (may_repeat_) socket_ = relay_.idle_at(address_);
    reused_ = socket_ != nullptr;
    if (reused_) return send();
    connect();
  }

  void give_up(RelayFailure failure) {
    timer_.cancel();
    relay_.waiting.erase(this);
    close();
    if (auto done = std::exchange(done_, nullptr)) done(tl::unexpected(std::move(failure)));
  }

  /// Reads the next piece of a response that is passed on as it comes.
  void pull(const Stream::Ready& ready) {
    auto piece = reader_.read_body(relay_.options.piece);
    if (!piece) return cut(ready);
    if (!piece->empty()) return ready(std::optional(*std::move(piece)));
    if (reader_.is_done()) return end(ready);
    socket_->socket.async_read_some(
        asio::buffer(socket_->bytes.get(), kRead),
        [self = shared_from_this(), ready](Wrong failed, std::size_t count) {
          if (failed) return self->cut(ready);
          self->reader_.receive({self->socket_->bytes.get(), count});
          self->pull(ready);
        });
  }
  /// The client of a stream is gone.
  void leave() { close(); }

 private:
  /// Cancels what is under way. The socket and its bytes stay: a read that has just ended still
  /// uses them.
  void close() {
    Wrong ignored;
    if (socket_) socket_->socket.close(ignored);
  }

  void connect() {
    Wrong wrong;
    const Tcp::endpoint endpoint = endpoint_of(address_, wrong);
    if (wrong) return give_up(no_connection(wrong));
    socket_ = std::make_unique<OpenSocket>(relay_.context);
    expire_after(relay_.options.connect_time);
    socket_->socket.async_connect(endpoint, [self = shared_from_this()](Wrong failed) {
      if (!self->done_) return;
      if (failed) return self->give_up(no_connection(failed));
      self->send();
    });
  }

  void send() {
    sent_ = true;
    expire_after(relay_.options.answer_time);
    Wrong ignored;
    socket_->socket.set_option(Tcp::no_delay(true), ignored);
    notice_death(socket_->socket);
    asio::async_write(socket_->socket, asio::buffer(text_),
                      [self = shared_from_this()](Wrong wrong, std::size_t) {
                        if (!self->done_) return;
                        if (wrong) return self->fail_sent(wrong.message());
                        self->read_head();
                      });
  }

  void read_head() {
    const auto has_head = reader_.read_head();
    if (!has_head) return fail_sent(has_head.error().message);
    if (*has_head) return take_head();
    socket_->socket.async_read_some(asio::buffer(socket_->bytes.get(), kRead),
                                    [self = shared_from_this()](Wrong wrong, std::size_t count) {
                                      if (!self->done_) return;
                                      if (wrong) return self->fail_sent(wrong.message());
                                      self->reader_.receive({self->socket_->bytes.get(), count});
                                      self->read_head();
                                    });
  }

  void fail_sent(const std::string& why) {
    // A connection that waited too long may have been closed by the other side.
    if (std::exchange(reused_, false) && !reader_.got_some()) return connect();
    give_up({Kind::lost, "the other server did not respond: " + why});
  }

  void take_head() {
    response_ = head_of(reader_);
    const auto length = reader_.length();
    if (reader_.is_done()) return finish();
    if (length && *length <= relay_.options.largest_whole && !is_event_stream(response_)) {
      return read_whole();
    }
    be_answered();
    response_.stream = rest();
    std::exchange(done_, nullptr)(std::move(response_));
  }

  /// From now on the request is neither late nor lost.
  void be_answered() {
    timer_.cancel();
    relay_.waiting.erase(this);
  }

  /// The body as it comes.
  std::unique_ptr<Stream> rest();

  void read_whole() {
    pull([self = shared_from_this()](Result<std::optional<std::string>> piece) {
      if (!self->done_) return;
      if (!piece) return self->give_up({Kind::lost, piece.error().message});
      if (*piece) {
        self->response_.body += **piece;
        return self->read_whole();
      }
      self->finish();
    });
  }

  void cut(const Stream::Ready& ready) {
    socket_.reset();
    ready(fail(ErrorCode::store_failure, "the other server cut its response"));
  }

  void end(const Stream::Ready& ready) {
    if (socket_ && reader_.leaves_connection()) relay_.give_back(address_, std::move(socket_));
    ready(std::nullopt);
  }

  void finish() {
    be_answered();
    if (socket_ && reader_.leaves_connection()) {
      relay_.give_back(address_, std::move(socket_));
    }
    if (auto done = std::exchange(done_, nullptr)) done(std::move(response_));
  }

  void expire_after(std::chrono::milliseconds time) {
    timer_.expires_after(time);
    timer_.async_wait([self = shared_from_this()](Wrong cancelled) {
      if (cancelled || !self->done_) return;
      self->give_up({self->sent_ ? Kind::lost : Kind::unreachable, "no answer in time"});
    });
  }

  Impl& relay_;
  const std::string address_, text_;
  const bool may_repeat_;
  ResponseReader reader_;
  Done done_;
  asio::steady_timer timer_;
  std::unique_ptr<OpenSocket> socket_;
  Response response_;
  bool reused_ = false, sent_ = false;
};

/// The body of a response as it comes. Holds the relay's state, which may outlive the relay.
class Relay::Impl::PieceStream final : public Stream {
 public:
  PieceStream(std::shared_ptr<Impl> relay, std::shared_ptr<Exchange> exchange)
      : relay_(std::move(relay)), exchange_(std::move(exchange)) {}
  ~PieceStream() override {
    asio::post(relay_->context, [exchange = std::move(exchange_)] { exchange->leave(); });
  }
  void pull(Ready ready) override {
    asio::post(relay_->context,
               [exchange = exchange_, ready = std::move(ready)] { exchange->pull(ready); });
  }

 private:
  const std::shared_ptr<Impl> relay_;
  std::shared_ptr<Exchange> exchange_;
};

std::unique_ptr<Stream> Relay::Impl::Exchange::rest() {
  return std::make_unique<PieceStream>(relay_.shared_from_this(), shared_from_this());
}

Relay::Relay(RelayOptions options) : impl_(std::make_shared<Impl>(options)) {
  const SignalsBlocked signals_blocked;
  impl_->thread = std::thread([impl = impl_.get()] { impl->context.run(); });
}

Relay::~Relay() {
  asio::post(impl_->context, [impl = impl_.get()] {
    const std::set<Impl::Exchange*> waiting = impl->waiting;
    for (Impl::Exchange* exchange : waiting) {
      exchange->give_up({Kind::lost, "the server is about to stop"});
    }
    impl->context.stop();
  });
  impl_->thread.join();
  impl_->idle.clear();
}

void Relay::forward(const std::string& address, const Request& request, bool may_repeat,
                    Done done) {
  // The relay's thread gets the only reference: an exchange must end there.
  asio::post(impl_->context,
             [exchange = std::make_shared<Impl::Exchange>(*impl_, address, request, may_repeat,
                                                          std::move(done))] { exchange->start(); });
}

void Relay::abandon(const std::string& address) {
  asio::post(impl_->context, [impl = impl_.get(), address] {
    const std::set<Impl::Exchange*> waiting = impl->waiting;
    for (Impl::Exchange* exchange : waiting) {
      if (exchange->address() != address || !impl->waiting.contains(exchange)) continue;
      const auto kept = exchange->shared_from_this();
      kept->give_up({Kind::lost, "the other server no longer runs"});
    }
    impl->idle.erase(address);
  });
}

void Relay::after(std::chrono::milliseconds time, std::function<void()> later) {
  const auto timer = std::make_shared<asio::steady_timer>(impl_->context, time);
  timer->async_wait([timer, later = std::move(later)](Wrong cancelled) {
    if (!cancelled) later();
  });
}

Relay::Answer Relay::forward_upload(const std::string& address, Request& request) {
  asio::io_context context;
  OpenSocket open(context);
  Wrong wrong;
  const Tcp::endpoint endpoint = endpoint_of(address, wrong);
  if (!wrong) open.socket.connect(endpoint, wrong);
  if (wrong) return tl::unexpected(no_connection(wrong));
  notice_death(open.socket);
  const auto lost = [](const std::string& why) {
    return tl::unexpected(RelayFailure{Kind::lost, why});
  };
  asio::write(open.socket,
              asio::buffer(head_text(address, request) +
                           "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"),
              wrong);
  while (!wrong) {
    const auto piece = request.upload->read();
    if (!piece) return lost(piece.error().message);
    const std::string chunk =
        *piece ? fmt::format("{:x}\r\n{}\r\n", (*piece)->size(), **piece) : "0\r\n\r\n";
    if (*piece && (*piece)->empty()) continue;
    asio::write(open.socket, asio::buffer(chunk), wrong);
    if (!*piece) break;
  }
  // If the other side stopped reading, its response says why.
  ResponseReader reader(limits_of(request));
  const auto receive = [&]() -> std::optional<std::string> {
    Wrong unread;
    const std::size_t count = open.socket.read_some(asio::buffer(open.bytes.get(), kRead), unread);
    if (unread) return unread.message();
    reader.receive({open.bytes.get(), count});
    return {};
  };
  const auto no_head = [&](const std::string& why) {
    return lost("the other server did not respond: " + why);
  };
  while (true) {
    const auto has_head = reader.read_head();
    if (!has_head) return no_head(has_head.error().message);
    if (*has_head) break;
    if (const auto why = receive()) return no_head(*why);
  }
  Response response = head_of(reader);
  while (!reader.is_done()) {
    const auto piece = reader.read_body(impl_->options.piece);
    if (!piece) return lost(piece.error().message);
    response.body += *piece;
    if (!piece->empty() || reader.is_done()) continue;
    if (const auto why = receive()) return lost(*why);
  }
  return response;
}

}  // namespace allot::http
