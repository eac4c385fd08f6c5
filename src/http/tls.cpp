// TLS connections: the only place that instantiates Connection for them.
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <boost/asio/compose.hpp>
#include <boost/asio/ssl.hpp>
#include <chrono>
#include <climits>
#include <ctime>

#include "allot/base/text.hpp"
#include "http/connection.hpp"

namespace allot::http {
namespace {

/// A TLS socket for `Connection`, on top of OpenSSL's own reads and writes.
///
/// asio::ssl::stream keeps four buffers of 17 KB per connection for as long as it is open. Here
/// OpenSSL reads and writes the socket itself and frees its buffers (SSL_MODE_RELEASE_BUFFERS), so
/// an idle connection costs only its keys; asio only waits until the socket is ready. One thread
/// uses a socket; a read and a write may be under way at the same time.
class TlsSocket {
 public:
  using next_layer_type = asio::ip::tcp::socket;
  using executor_type = next_layer_type::executor_type;

  TlsSocket(next_layer_type socket, SSL_CTX* context)
      : socket_(std::move(socket)), ssl_(SSL_new(context)) {
    boost::system::error_code ignored;
    socket_.native_non_blocking(true, ignored);
    if (ssl_) {
      SSL_set_fd(ssl_.get(), static_cast<int>(socket_.native_handle()));
      SSL_set_accept_state(ssl_.get());
    }
  }

  next_layer_type& next_layer() { return socket_; }
  executor_type get_executor() { return socket_.get_executor(); }
  /// Whether the client spoke HTTP where a handshake was expected.
  bool met_plain_request() const { return met_plain_request_; }

  template <typename Token>
  auto async_handshake(Token&& token) {
    return without_count([](SSL* ssl) { return SSL_do_handshake(ssl); },
                         std::forward<Token>(token));
  }
  /// Closes the sending side; does not wait for the other side.
  template <typename Token>
  auto async_shutdown(Token&& token) {
    return without_count([](SSL* ssl) { return SSL_shutdown(ssl) < 0 ? -1 : 1; },
                         std::forward<Token>(token));
  }
  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    const asio::mutable_buffer space = *asio::buffer_sequence_begin(buffers);
    return with_count(
        [space](SSL* ssl) { return SSL_read(ssl, space.data(), length(space.size())); },
        std::forward<Token>(token));
  }
  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    const asio::const_buffer bytes = *asio::buffer_sequence_begin(buffers);
    return with_count(
        [bytes](SSL* ssl) { return SSL_write(ssl, bytes.data(), length(bytes.size())); },
        std::forward<Token>(token));
  }

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };

  static int length(std::size_t size) {
    return static_cast<int>(std::min<std::size_t>(size, INT_MAX));
  }

  /// Tries `step` until it is done, waiting for the socket between.
  template <typename Step, bool Counts>
  struct Try {
    TlsSocket& socket;
    Step step;
    bool begun = false;

    template <typename Self>
    void operator()(Self& self, boost::system::error_code wrong = {}) {
      // The first step must not complete before the caller has its awaitable.
      if (!std::exchange(begun, true)) return asio::post(std::move(self));
      if (wrong) return end(self, wrong, 0);
      SSL* const ssl = socket.ssl_.get();
      if (!ssl) return end(self, asio::error::no_memory, 0);
      // OpenSSL would use the descriptor of a closed socket, which may belong to another one now.
      if (!socket.socket_.is_open()) return end(self, asio::error::operation_aborted, 0);
      ERR_clear_error();
      const int done = step(ssl);
      if (done > 0) return end(self, {}, static_cast<std::size_t>(done));
      using Raw = next_layer_type;
      switch (SSL_get_error(ssl, done)) {
        case SSL_ERROR_WANT_READ:
          return socket.socket_.async_wait(Raw::wait_read, std::move(self));
        case SSL_ERROR_WANT_WRITE:
          return socket.socket_.async_wait(Raw::wait_write, std::move(self));
        case SSL_ERROR_ZERO_RETURN:
          return end(self, asio::error::eof, 0);
        default:
          socket.met_plain_request_ = ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST;
          return end(self, asio::ssl::error::stream_truncated, 0);
      }
    }
    template <typename Self>
    static void end(Self& self, boost::system::error_code wrong, std::size_t count) {
      if constexpr (Counts)
        self.complete(wrong, count);
      else
        self.complete(wrong);
    }
  };

  template <typename Step, typename Token>
  auto with_count(Step step, Token&& token) {
    return asio::async_compose<Token, void(boost::system::error_code, std::size_t)>(
        Try<Step, true>{*this, std::move(step)}, token, socket_);
  }
  template <typename Step, typename Token>
  auto without_count(Step step, Token&& token) {
    return asio::async_compose<Token, void(boost::system::error_code)>(
        Try<Step, false>{*this, std::move(step)}, token, socket_);
  }

  next_layer_type socket_;
  std::unique_ptr<SSL, Free> ssl_;
  bool met_plain_request_ = false;
};

/// When the certificate expires.
std::chrono::sys_seconds expiry_of(SSL_CTX* context) {
  std::tm time{};
  ASN1_TIME_to_tm(X509_get0_notAfter(SSL_CTX_get0_certificate(context)), &time);
  return std::chrono::sys_seconds(std::chrono::seconds(::timegm(&time)));
}

}  // namespace

Result<TlsStart> tls_start(const std::string& certificate, const std::string& key) {
  const auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  SSL_CTX* const raw = context->native_handle();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Clients keep their own sessions, and idle connections free their buffers.
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  boost::system::error_code wrong;
  context->use_certificate_chain_file(certificate, wrong);
  if (wrong)
    return fail(ErrorCode::invalid_argument, "certificate " + in_quotes(certificate) +
                                                 " cannot be used: " + wrong.message() +
                                                 "; expected a PEM file");
  context->use_private_key_file(key, asio::ssl::context::pem, wrong);
  if (wrong)
    return fail(ErrorCode::invalid_argument,
                "key " + in_quotes(key) + " cannot be used: " + wrong.message() +
                    "; expected a PEM file without a password that belongs to the certificate");
  const auto start = [context](Shard& shard, Tcp::socket socket, std::string peer,
                               bool turned_away) {
    spawn(shard, TlsSocket(std::move(socket), context->native_handle()), std::move(peer),
          turned_away);
  };
  return TlsStart{start, expiry_of(raw)};
}

}  // namespace allot::http
