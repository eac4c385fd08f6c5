#include "http/client.hpp"

#include <fmt/format.h>
#include <netdb.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "allot/base/text.hpp"
#include "base/signals_blocked.hpp"
#include "base/try.hpp"
#include "http/response_reader.hpp"
#include "http/url.hpp"

namespace allot::http {
namespace {

namespace asio = boost::asio;

/// Bytes per read.
constexpr std::size_t kClientRead = 4 << 10;

/// Addresses of a name, from the system; empty if the name is unknown.
std::vector<asio::ip::address> addresses_of(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::vector<asio::ip::address> all;
  if (getaddrinfo(host.c_str(), nullptr, &wanted, &found) != 0) return all;
  for (const addrinfo* entry = found; entry; entry = entry->ai_next) {
    asio::ip::tcp::endpoint endpoint;
    if (entry->ai_addrlen > endpoint.capacity()) continue;
    std::copy_n(reinterpret_cast<const char*>(entry->ai_addr), entry->ai_addrlen,
                reinterpret_cast<char*>(endpoint.data()));
    all.push_back(endpoint.address());
  }
  freeaddrinfo(found);
  return all;
}

/// Lets lookup threads into the client's thread, as long as that exists.
struct ClientDoor {
  std::mutex mutex;
  asio::io_context* context;
  std::atomic<std::size_t> lookups = 0;
};

/// State that all exchanges of a client share.
struct ClientContext {
  ClientOptions options;
  asio::io_context context{1};
  asio::ssl::context tls{asio::ssl::context::tls_client};
  const std::shared_ptr<ClientDoor> door = std::make_shared<ClientDoor>();
};

/// One request, from the lookup of its name to the end of the response. All of it runs on the
/// client's thread, except the lookup, which blocks and has a thread of its own.
class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  /// `whole` if the caller wants the body too.
  Exchange(ClientContext& shared, WebUrl url, std::string request, bool whole,
           Client::AnswerCallback callback)
      : shared_(shared),
        url_(std::move(url)),
        request_(std::move(request)),
        whole_(whole),
        callback_(std::move(callback)),
        stream_(shared.context, shared.tls),
        timer_(shared.context),
        reader_({.head = shared.options.largest_head,
                 .body = shared.options.largest_answer,
                 .has_body = whole}) {}

  void start() {
    expire_after(shared_.options.answer_time);
    SystemError wrong;
    const auto address = asio::ip::make_address(url_.host, wrong);
    if (!wrong) return connect_to({address});
    look_up();
  }

  void give_up(const std::string& why, ErrorCode code = ErrorCode::conflict) {
    if (!replied_) reply(fail(code, why));
    close();
  }

  bool is_over() const { return over_; }

 private:
  using Tcp = asio::ip::tcp;
  using SystemError = boost::system::error_code;

  Tcp::socket& socket() { return stream_.next_layer(); }

  void expire_after(std::chrono::milliseconds time) {
    timer_.expires_after(time);
    timer_.async_wait([self = shared_from_this()](SystemError cancelled) {
      if (!cancelled) self->give_up("there was no response in time");
    });
  }

  void look_up() {
    constexpr const char* kTooMany = "too many names are being looked up";
    if (shared_.door->lookups >= shared_.options.most_lookups) return give_up(kTooMany);
    ++shared_.door->lookups;
    // Nothing can hurry the system's lookup, so its thread may outlive the client.
    const auto work = [host = url_.host, door = shared_.door, weak = weak_from_this()] {
      auto found = addresses_of(host);
      --door->lookups;
      const std::scoped_lock lock(door->mutex);
      if (!door->context) return;
      asio::post(*door->context, [weak, found = std::move(found)] {
        if (const auto self = weak.lock(); self && !self->over_) self->connect_to(found);
      });
    };
    try {
      std::thread(work).detach();
    } catch (const std::system_error&) {
      --shared_.door->lookups;
      give_up(kTooMany);
    }
  }

  void connect_to(const std::vector<asio::ip::address>& found) {
    if (found.empty()) return give_up("its host is unknown");
    for (const auto& address : found) {
      if (shared_.options.private_addresses || is_public_address(address.to_string())) {
        endpoints_.emplace_back(address, url_.port);
      }
    }
    if (endpoints_.empty()) {
      return give_up("its host is at a private address, which this server does not send to",
                     ErrorCode::forbidden);
    }
    connect();
  }

  void connect() {
    SystemError ignored;
    socket().close(ignored);
    socket().async_connect(endpoints_[next_endpoint_++],
                           [self = shared_from_this()](SystemError wrong) {
                             if (self->over_) return;
                             if (!wrong) return self->start_request();
                             if (self->next_endpoint_ < self->endpoints_.size())
                               return self->connect();
                             self->give_up("no connection: " + wrong.message());
                           });
  }

  void start_request() {
    SystemError ignored;
    socket().set_option(Tcp::no_delay(true), ignored);
    if (!url_.tls) return write(socket());
    if (!is_address(url_.host))
      SSL_set_tlsext_host_name(stream_.native_handle(), url_.host.c_str());
    stream_.set_verify_callback(asio::ssl::host_name_verification(url_.host), ignored);
    stream_.async_handshake(asio::ssl::stream_base::client,
                            [self = shared_from_this()](SystemError wrong) {
                              if (self->over_) return;
                              if (wrong) return self->give_up("no TLS: " + wrong.message());
                              self->write(self->stream_);
                            });
  }

  template <typename Stream>
  void write(Stream& stream) {
    asio::async_write(stream, asio::buffer(request_),
                      [self = shared_from_this(), &stream](SystemError wrong, std::size_t) {
                        if (self->over_) return;
                        // The server may have responded before it closed.
                        self->unsent_ = wrong.failed();
                        self->read(stream);
                      });
  }

  template <typename Stream>
  void read(Stream& stream) {
    stream.async_read_some(asio::buffer(bytes_), [self = shared_from_this(), &stream](
                                                     SystemError wrong, std::size_t count) {
      if (self->over_) return;
      if (self->take(wrong, count)) self->read(stream);
    });
  }

  /// Takes bytes of the response; true if there may be more to read.
  bool take(SystemError wrong, std::size_t count) {
    if (replied_) {
      rest_ += count;
      if (wrong || rest_ > shared_.options.largest_rest) close();
      return !over_;
    }
    reader_.receive({bytes_.data(), count});
    if (wrong) {
      // A response without a stated length ends with the connection.
      if (whole_ && wrong == asio::error::eof && reader_.end()) {
        reply(whole_answer());
        close();
        return false;
      }
      give_up(unsent_ ? "the connection was closed while the request was sent"
                      : "the connection was closed before there was a response");
      return false;
    }
    const auto is_complete = parse();
    if (!is_complete) give_up(is_complete.error().message);
    if (!is_complete) return false;
    if (!*is_complete) return true;
    reply(whole_answer());
    if (whole_) {
      close();
      return false;
    }
    expire_after(shared_.options.rest_time);
    return true;
  }

  /// Parses received bytes; true once there is all that the caller wants.
  Result<bool> parse() {
    if (!TRY(reader_.read_head())) return false;
    if (!whole_) return true;
    for (std::string piece = "some"; !piece.empty();) {
      piece = TRY(reader_.read_body(kClientRead));
      body_ += piece;
    }
    return reader_.is_done();
  }

  Client::Answer whole_answer() {
    return {reader_.status(), std::move(body_),
            std::string(reader_.fields().find("Retry-After").value_or(""))};
  }

  void reply(Result<Client::Answer> result) {
    replied_ = true;
    std::exchange(callback_, nullptr)(std::move(result));
  }

  void close() {
    over_ = true;
    timer_.cancel();
    SystemError ignored;
    socket().close(ignored);
  }

  ClientContext& shared_;
  const WebUrl url_;
  const std::string request_;
  const bool whole_;
  Client::AnswerCallback callback_;
  asio::ssl::stream<Tcp::socket> stream_;
  asio::steady_timer timer_;
  std::vector<Tcp::endpoint> endpoints_;
  std::size_t next_endpoint_ = 0;
  ResponseReader reader_;
  std::array<char, kClientRead> bytes_;
  std::string body_;
  std::size_t rest_ = 0;  // bytes after the head that were dropped
  bool unsent_ = false, replied_ = false, over_ = false;
};

std::string request_text(const std::string& method, const WebUrl& url, const Fields& fields,
                         const std::string& body) {
  std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\nConnection: close\r\n",
                  method, url.target, url.authority, body.size());
  for (const auto& [name, value] : fields.list()) text += fmt::format("{}: {}\r\n", name, value);
  return text + "\r\n" + body;
}

}  // namespace

struct Client::Impl {
  explicit Impl(ClientOptions options) : guard(asio::make_work_guard(shared.context)) {
    shared.options = std::move(options);
    shared.door->context = &shared.context;
  }

  Result<void> trust() {
    SSL_CTX_set_min_proto_version(shared.tls.native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_mode(shared.tls.native_handle(), SSL_MODE_RELEASE_BUFFERS);
    shared.tls.set_verify_mode(asio::ssl::verify_peer);
    boost::system::error_code wrong;
    const std::string& roots = shared.options.roots;
    if (roots.empty()) {
      shared.tls.set_default_verify_paths(wrong);
    } else {
      shared.tls.load_verify_file(roots, wrong);
    }
    if (!wrong) return {};
    return fail(ErrorCode::invalid_argument,
                fmt::format("the trusted certificates {} cannot be read ({}); expected a PEM file",
                            roots.empty() ? "of the system" : in_quotes(roots), wrong.message()));
  }

  void run() {
    const SignalsBlocked signals_blocked;
    thread = std::thread([this] { shared.context.run(); });
  }

  void begin(WebUrl url, std::string request, bool whole, AnswerCallback callback) {
    std::erase_if(live, [](const auto& exchange) { return exchange->is_over(); });
    live.push_back(
        std::make_shared<Exchange>(shared, std::move(url), std::move(request), whole,
                                   [this, callback = std::move(callback)](Result<Answer> result) {
                                     callback(std::move(result));
                                     const std::scoped_lock lock(mutex);
                                     if (--waiting == 0) none_wait.notify_all();
                                   }));
    live.back()->start();
  }

  void send(const std::string& method, const std::string& to, const Fields& fields,
            const std::string& body, bool whole, const AnswerCallback& callback) {
    const auto url = parse_web_url(to);
    if (!url) return callback(tl::unexpected(url.error()));
    std::unique_lock lock(mutex);
    if (stopped) {
      lock.unlock();
      return callback(fail(ErrorCode::conflict, "the server is about to stop"));
    }
    ++waiting;
    asio::post(shared.context,
               [this, url = *url, request = request_text(method, *url, fields, body), whole,
                callback] { begin(url, request, whole, callback); });
  }

  void stop(std::chrono::milliseconds grace) {
    {
      std::unique_lock lock(mutex);
      stopped = true;
      none_wait.wait_for(lock, grace, [&] { return waiting == 0; });
    }
    if (!thread.joinable()) return;
    asio::post(shared.context, [this] {
      for (const auto& exchange : live) exchange->give_up("the server is about to stop");
      live.clear();
    });
    guard.reset();
    thread.join();
    const std::scoped_lock lock(shared.door->mutex);
    shared.door->context = nullptr;
  }

  ClientContext shared;
  asio::executor_work_guard<asio::io_context::executor_type> guard;
  std::vector<std::shared_ptr<Exchange>> live;
  std::mutex mutex;
  std::condition_variable none_wait;
  std::size_t waiting = 0;
  bool stopped = false;
  std::thread thread;
};

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() { stop(std::chrono::milliseconds(0)); }

Result<std::unique_ptr<Client>> Client::start(ClientOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  return impl->trust().map([&] {
    impl->run();
    return std::unique_ptr<Client>(new Client(std::move(impl)));
  });
}

Result<void> Client::check(ClientOptions options) {
  return std::make_unique<Impl>(std::move(options))->trust();
}

void Client::post(const std::string& url, const Fields& fields, const std::string& body,
                  const StatusCallback& done) {
  impl_->send("POST", url, fields, body, false, [done](const Result<Answer>& answer) {
    done(answer.map([](const Answer& whole) { return whole.status; }));
  });
}

void Client::ask(const std::string& method, const std::string& url, const Fields& fields,
                 const std::string& body, const AnswerCallback& callback) {
  impl_->send(method, url, fields, body, true, callback);
}

void Client::stop(std::chrono::milliseconds grace) { impl_->stop(grace); }

}  // namespace allot::http
