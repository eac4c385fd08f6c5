#include "http/tls.hpp"

#include <boost/asio/ssl.hpp>

#include "allot/base/text.hpp"
#include "http/connection.hpp"
#include "http/tls_socket.hpp"

namespace allot::http {

struct Tls::Impl {
  asio::ssl::context context{asio::ssl::context::tls_server};
};

Tls::Tls(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tls::~Tls() = default;

Result<std::unique_ptr<Tls>> Tls::load(const std::string& certificate, const std::string& key) {
  auto impl = std::make_unique<Impl>();
  SSL_CTX* const raw = impl->context.native_handle();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Clients keep their own sessions, and idle connections free their buffers.
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  boost::system::error_code wrong;
  impl->context.use_certificate_chain_file(certificate, wrong);
  if (wrong)
    return fail(ErrorCode::invalid_argument, "certificate " + in_quotes(certificate) +
                                                 " cannot be used: " + wrong.message() +
                                                 "; expected a PEM file");
  impl->context.use_private_key_file(key, asio::ssl::context::pem, wrong);
  if (wrong)
    return fail(ErrorCode::invalid_argument,
                "key " + in_quotes(key) + " cannot be used: " + wrong.message() +
                    "; expected a PEM file without a password that belongs to the certificate");
  return std::unique_ptr<Tls>(new Tls(std::move(impl)));
}

void Tls::spawn(Shard& shard, asio::ip::tcp::socket socket, std::string peer, bool turned_away) {
  http::spawn(shard, TlsSocket(std::move(socket), impl_->context.native_handle()), std::move(peer),
              turned_away);
}

}  // namespace allot::http
