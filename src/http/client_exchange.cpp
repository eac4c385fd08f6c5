#include "http/client_exchange.hpp"

#include <netdb.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <system_error>
#include <thread>

namespace allot::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

/// Bytes per read.
constexpr std::size_t kPiece = 4 << 10;

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

}  // namespace

Exchange::Exchange(ClientContext& shared, WebUrl url, std::string request, bool whole,
                   Client::AnswerCallback callback)
    : shared_(shared),
      url_(std::move(url)),
      request_(std::move(request)),
      whole_(whole),
      callback_(std::move(callback)),
      stream_(shared.context, shared.tls),
      timer_(shared.context),
      parser_(make_parser()) {}

void Exchange::start() {
  expire_after(shared_.options.answer_time);
  SystemError wrong;
  const auto address = asio::ip::make_address(url_.host, wrong);
  if (!wrong) return connect_to({address});
  look_up();
}

void Exchange::give_up(const std::string& why, ErrorCode code) {
  if (!replied_) reply(fail(code, why));
  close();
}

void Exchange::expire_after(std::chrono::milliseconds time) {
  timer_.expires_after(time);
  timer_.async_wait([self = shared_from_this()](SystemError cancelled) {
    if (!cancelled) self->give_up("there was no response in time");
  });
}

void Exchange::look_up() {
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

void Exchange::connect_to(const std::vector<asio::ip::address>& found) {
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

void Exchange::connect() {
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

void Exchange::start_request() {
  SystemError ignored;
  socket().set_option(Tcp::no_delay(true), ignored);
  if (!url_.tls) return write(socket());
  if (!is_address(url_.host)) SSL_set_tlsext_host_name(stream_.native_handle(), url_.host.c_str());
  stream_.set_verify_callback(asio::ssl::host_name_verification(url_.host), ignored);
  stream_.async_handshake(asio::ssl::stream_base::client,
                          [self = shared_from_this()](SystemError wrong) {
                            if (self->over_) return;
                            if (wrong) return self->give_up("no TLS: " + wrong.message());
                            self->write(self->stream_);
                          });
}

template <typename Stream>
void Exchange::write(Stream& stream) {
  asio::async_write(stream, asio::buffer(request_),
                    [self = shared_from_this(), &stream](SystemError wrong, std::size_t) {
                      if (self->over_) return;
                      // The server may have responded before it closed.
                      self->unsent_ = wrong.failed();
                      self->read(stream);
                    });
}

template <typename Stream>
void Exchange::read(Stream& stream) {
  bytes_.resize(kept_ + kPiece);
  stream.async_read_some(
      asio::buffer(bytes_.data() + kept_, kPiece),
      [self = shared_from_this(), &stream](SystemError wrong, std::size_t count) {
        if (self->over_) return;
        if (self->take(wrong, count)) self->read(stream);
      });
}

bool Exchange::take(SystemError wrong, std::size_t count) {
  if (replied_) {
    rest_ += count;
    if (wrong || rest_ > shared_.options.largest_rest) close();
    return !over_;
  }
  kept_ += count;
  if (wrong) {
    if (whole_ && is_ended_by(wrong)) return false;
    give_up(unsent_ ? "the connection was closed while the request was sent"
                    : "the connection was closed before there was a response");
    return false;
  }
  if (!parse()) return false;
  if (!replied_) return true;
  if (whole_) {
    close();
    return false;
  }
  expire_after(shared_.options.rest_time);
  kept_ = 0;
  return true;
}

bool Exchange::parse() {
  while (!replied_) {
    SystemError bad;
    const std::size_t used = parser_->put(asio::buffer(bytes_.data(), kept_), bad);
    bytes_.erase(0, used);
    kept_ -= used;
    if (bad && bad != beast::http::error::need_more) {
      give_up(bad == beast::http::error::body_limit ? "the response is too long"
                                                    : "the response is not HTTP");
      return false;
    }
    if (!parser_->is_header_done()) return true;
    const int status = static_cast<int>(parser_->get().result_int());
    if (status < 200 && status != 101) {
      parser_ = make_parser();  // "100 Continue" and other interim responses
    } else if (whole_ && !parser_->is_done()) {
      if (kept_ == 0 || bad) return true;
    } else {
      reply(Client::Answer{status, std::move(parser_->get().body())});
    }
  }
  return true;
}

bool Exchange::is_ended_by(SystemError wrong) {
  if (wrong != asio::error::eof || !parser_->is_header_done()) return false;
  SystemError bad;
  parser_->put_eof(bad);
  if (bad) return false;
  reply(Client::Answer{static_cast<int>(parser_->get().result_int()),
                       std::move(parser_->get().body())});
  close();
  return true;
}

void Exchange::reply(Result<Client::Answer> result) {
  replied_ = true;
  std::exchange(callback_, nullptr)(std::move(result));
}

void Exchange::close() {
  over_ = true;
  timer_.cancel();
  SystemError ignored;
  socket().close(ignored);
}

std::unique_ptr<Exchange::Parser> Exchange::make_parser() const {
  auto parser = std::make_unique<Parser>();
  parser->header_limit(static_cast<std::uint32_t>(shared_.options.largest_head));
  parser->skip(!whole_);  // the body
  parser->body_limit(shared_.options.largest_answer);
  return parser;
}

}  // namespace allot::http
