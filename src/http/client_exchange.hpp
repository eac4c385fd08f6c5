// One request of the client, from the lookup of its name to the end of the response.
//
// All of it runs on the client's thread, except the lookup, which blocks and has a thread of its
// own.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http/client.hpp"
#include "http/web_url.hpp"

namespace allot::http {

/// Lets lookup threads into the client's thread, as long as that exists.
struct ClientDoor {
  std::mutex mutex;
  boost::asio::io_context* context;
  std::atomic<std::size_t> lookups = 0;
};

/// State that all exchanges of a client share.
struct ClientContext {
  ClientOptions options;
  boost::asio::io_context context{1};
  boost::asio::ssl::context tls{boost::asio::ssl::context::tls_client};
  const std::shared_ptr<ClientDoor> door = std::make_shared<ClientDoor>();
};

class Exchange : public std::enable_shared_from_this<Exchange> {
 public:
  /// `whole` if the caller wants the body too.
  Exchange(ClientContext& shared, WebUrl url, std::string request, bool whole,
           Client::AnswerCallback callback);

  void start();
  void give_up(const std::string& why, ErrorCode code = ErrorCode::conflict);
  bool is_over() const { return over_; }

 private:
  using Tcp = boost::asio::ip::tcp;
  using SystemError = boost::system::error_code;
  using Parser = boost::beast::http::response_parser<boost::beast::http::string_body>;

  Tcp::socket& socket() { return stream_.next_layer(); }
  void expire_after(std::chrono::milliseconds time);
  void look_up();
  void connect_to(const std::vector<boost::asio::ip::address>& found);
  void connect();
  void start_request();
  template <typename Stream>
  void write(Stream& stream);
  template <typename Stream>
  void read(Stream& stream);
  /// Takes bytes of the response; true if there may be more to read.
  bool take(SystemError wrong, std::size_t count);
  /// Parses received bytes; false if the response is invalid.
  bool parse();
  /// True if the response has no stated length and ends here, with the connection.
  bool is_ended_by(SystemError wrong);
  void reply(Result<Client::Answer> result);
  void close();
  std::unique_ptr<Parser> make_parser() const;

  ClientContext& shared_;
  const WebUrl url_;
  const std::string request_;
  const bool whole_;
  Client::AnswerCallback callback_;
  boost::asio::ssl::stream<Tcp::socket> stream_;
  boost::asio::steady_timer timer_;
  std::vector<Tcp::endpoint> endpoints_;
  std::size_t next_endpoint_ = 0;
  std::unique_ptr<Parser> parser_;
  std::string bytes_;
  std::size_t kept_ = 0;  // bytes that wait for the parser
  std::size_t rest_ = 0;  // bytes after the head that were dropped
  bool unsent_ = false, replied_ = false, over_ = false;
};

}  // namespace allot::http
