// Beast's assertion about last chunks is off here, too; parser.cpp says why. Only these two files
// include Beast.
#define BOOST_DISABLE_ASSERTS

#include "http/response_reader.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <utility>

namespace allot::http {
namespace {

namespace beast = boost::beast;
using ParserError = beast::http::error;

tl::unexpected<Error> unreadable_response() {
  return fail(ErrorCode::invalid_argument, "the response is not HTTP");
}

tl::unexpected<Error> too_long_response() {
  return fail(ErrorCode::too_large, "the response is too long");
}

}  // namespace

struct ResponseReader::Parser : beast::http::response_parser<beast::http::buffer_body> {};

ResponseReader::ResponseReader(const Limits& limits) : limits_(limits), parser_(new_parser()) {}
ResponseReader::~ResponseReader() = default;

std::unique_ptr<ResponseReader::Parser> ResponseReader::new_parser() const {
  auto parser = std::make_unique<Parser>();
  parser->header_limit(static_cast<std::uint32_t>(limits_.head));
  // The limit is kept below: Beast counts bytes that it has not taken yet.
  parser->body_limit(boost::none);
  parser->skip(!limits_.has_body);
  return parser;
}

void ResponseReader::receive(std::string_view bytes) {
  got_some_ |= !bytes.empty();
  bytes_.erase(0, std::exchange(taken_, 0)).append(bytes);
}

Result<bool> ResponseReader::read_head() {
  while (!parser_->is_header_done()) {
    beast::error_code wrong;
    const std::string_view rest = waiting();
    const std::size_t used = parser_->put(boost::asio::buffer(rest.data(), rest.size()), wrong);
    taken_ += used;
    head_size_ += used;
    // Beast does not count what it takes at once.
    const bool is_done = parser_->is_header_done();
    const bool is_too_long = head_size_ + (is_done ? 0 : waiting().size()) > limits_.head;
    if (is_too_long || (wrong && wrong != ParserError::need_more)) return unreadable_response();
    if (!is_done) return false;
    const bool interim = status() < 200 && status() != 101;
    if (interim) {
      parser_ = new_parser();
      head_size_ = 0;
    }
  }
  if (!is_done() && length().value_or(0) > limits_.body) return too_long_response();
  return true;
}

Result<std::string> ResponseReader::read_body(std::size_t most) {
  std::string piece(std::min(most, waiting().size()), '\0');
  auto& body = parser_->get().body();
  body.data = piece.data();
  body.size = piece.size();
  body.more = true;
  parser_->eager(true);
  while (!waiting().empty() && !parser_->is_done()) {
    // A line of a chunk, and the fields at the end, must fit into this.
    const std::string_view rest = waiting().substr(0, limits_.head);
    beast::error_code wrong;
    const std::size_t used = parser_->put(boost::asio::buffer(rest.data(), rest.size()), wrong);
    taken_ += used;
    if (wrong == ParserError::need_buffer) break;
    if (wrong && wrong != ParserError::need_more) return unreadable_response();
    if (used > 0) continue;
    if (rest.size() == limits_.head) return unreadable_response();
    break;
  }
  piece.resize(piece.size() - body.size);
  body_size_ += piece.size();
  if (body_size_ > limits_.body) return too_long_response();
  return piece;
}

bool ResponseReader::end() {
  if (!parser_->is_header_done()) return false;
  beast::error_code wrong;
  parser_->put_eof(wrong);
  return !wrong && parser_->is_done();
}

bool ResponseReader::has_head() const { return parser_->is_header_done(); }
bool ResponseReader::is_done() const { return parser_->is_done(); }
bool ResponseReader::leaves_connection() const {
  return parser_->is_done() && parser_->keep_alive() && waiting().empty();
}
int ResponseReader::status() const { return static_cast<int>(parser_->get().result_int()); }

Fields ResponseReader::fields() const {
  Fields fields;
  for (const auto& field : parser_->get())
    fields.add(std::string(field.name_string()), std::string(field.value()));
  return fields;
}

std::optional<std::uint64_t> ResponseReader::length() const {
  const auto length = parser_->content_length();
  return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

}  // namespace allot::http
