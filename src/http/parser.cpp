// Beast 1.81 asserts that a last chunk comes in at least five bytes; a client that sends it byte by
// byte breaks that. Without the assertion Beast reads it correctly. Only this file and the client
// include Beast.
#define BOOST_DISABLE_ASSERTS

#include "http/parser.hpp"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <utility>

#include "http/ascii.hpp"

namespace allot::http {
namespace {

namespace beast = boost::beast;
using beast::error_code;
using Wrong = beast::http::error;

constexpr std::size_t kMostFields = 100;

std::string_view plain(beast::string_view text) { return {text.data(), text.size()}; }

/// True if the first line ends with a version of HTTP.
bool names_a_version(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find("\r\n"));
  if (line.size() < 9) return false;
  const std::string_view end = line.substr(line.size() - 9);
  const auto digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  return end.starts_with(" HTTP/") && digit(end[6]) && end[7] == '.' && digit(end[8]);
}

/// True if a line of the head begins with a blank, which Beast reads as the rest of a field.
bool has_folded_line(std::string_view head) {
  return head.find("\n ") != std::string_view::npos || head.find("\n\t") != std::string_view::npos;
}

Refusal head_too_large(std::size_t largest) {
  return {431, "head_too_large",
          "the request line and fields, or the lines between chunks, take more than " +
              std::to_string(largest) + " bytes or " + std::to_string(kMostFields) + " fields"};
}

constexpr std::string_view kAllowed = "GET, HEAD, POST, PUT, PATCH, DELETE";

std::optional<Method> known(std::string_view method) {
  const auto found = std::ranges::find(kMethodNames, method);
  if (found == kMethodNames.end()) return std::nullopt;
  return static_cast<Method>(found - kMethodNames.begin());
}

/// Registered methods that no route here has.
bool is_other_method(std::string_view method) {
  return method == "OPTIONS" || method == "TRACE" || method == "CONNECT";
}

Refusal bad(std::string code, std::string detail) {
  return {400, std::move(code), std::move(detail)};
}

struct FieldSummary {
  std::size_t hosts = 0, codings = 0, lengths = 0, tokens = 0;
  std::string_view coding;
  std::optional<std::string_view> expectation;
};

FieldSummary look(const Fields& fields) {
  FieldSummary seen;
  for (const auto& [name, value] : fields.list()) {
    if (same_word(name, "host")) ++seen.hosts;
    if (same_word(name, "authorization")) ++seen.tokens;
    // A list counts as so many fields, also if all of its lengths are equal.
    if (same_word(name, "content-length"))
      seen.lengths += 1 + static_cast<std::size_t>(std::ranges::count(value, ','));
    if (same_word(name, "expect")) seen.expectation = value;
    if (same_word(name, "transfer-encoding")) {
      ++seen.codings;
      seen.coding = value;
    }
  }
  return seen;
}

std::optional<Refusal> framing(const FieldSummary& seen, int version) {
  if (seen.lengths > 1)
    return bad("bad_framing", "the request has two lengths; expected one Content-Length");
  if (seen.codings == 0) return std::nullopt;
  if (seen.lengths > 0)
    return bad("bad_framing",
               "the request has both Content-Length and Transfer-Encoding; expected one");
  if (version < 11)
    return bad("bad_framing", "the request has Transfer-Encoding, which HTTP/1.0 does not know");
  if (seen.codings > 1)
    return bad("bad_framing", "the request has two Transfer-Encoding fields; expected one");
  if (!same_word(seen.coding, "chunked"))
    return Refusal{501, "unknown_transfer_coding",
                   "the Transfer-Encoding is not supported; expected 'chunked'"};
  return std::nullopt;
}

}  // namespace

tl::expected<ValidHead, Refusal> validate(const Head& head) {
  const FieldSummary seen = look(head.fields);
  if (auto refusal = framing(seen, head.version)) return tl::unexpected(std::move(*refusal));
  if (seen.hosts > 1 || (seen.hosts == 0 && head.version >= 11))
    return tl::unexpected(
        bad("bad_host", "the field Host is missing or repeated; expected one in HTTP/1.1"));
  if (seen.tokens > 1)
    return tl::unexpected(
        bad("bad_authorization", "the field Authorization is repeated; expected one"));
  const auto method = known(head.method);
  if (!method && is_other_method(head.method)) {
    Refusal refusal{405,
                    "method_not_allowed",
                    "method " + head.method + " is not allowed; expected " + std::string(kAllowed),
                    {}};
    refusal.fields.add("Allow", std::string(kAllowed));
    return tl::unexpected(std::move(refusal));
  }
  if (!method)
    return tl::unexpected(
        Refusal{501, "unknown_method", "unknown method; expected " + std::string(kAllowed)});
  if (seen.expectation && !same_word(*seen.expectation, "100-continue"))
    return tl::unexpected(Refusal{417, "expectation_failed",
                                  "the Expect field is not supported; expected '100-continue'"});
  auto target = decode_target(head.target);
  if (!target) return tl::unexpected(bad("bad_target", target.error().message));
  return ValidHead{*method, std::move(*target), seen.expectation && head.version >= 11};
}

bool is_sane_id(std::string_view id) {
  return !id.empty() && id.size() <= 64 && std::ranges::all_of(id, [](char letter) {
    return is_letter_or_digit(letter) || letter == '.' || letter == '_' || letter == '-';
  });
}

Refusal body_too_large(std::uint64_t largest) {
  return {413, "body_too_large",
          "the body is larger than the " + std::to_string(largest) + " bytes accepted here"};
}

struct Parser::Impl final : beast::http::basic_parser<true> {
  explicit Impl(std::size_t largest_head) : most(largest_head) {
    // Limits are checked in `take`: Beast's own apply to bytes that are handed over together.
    header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(largest_head + 1, UINT32_MAX)));
    body_limit(boost::none);
  }

  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target,
                       int version, error_code&) override {
    head.method = plain(method);
    head.target = plain(target);
    head.version = version;
  }
  void on_response_impl(int, beast::string_view, int, error_code&) override {}
  void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value,
                     error_code& wrong) override {
    // Fields after the last chunk are dropped.
    if (complete_head) return;
    if (head.fields.list().size() == kMostFields) wrong = Wrong::header_limit;
    head.fields.add(std::string(plain(name)), std::string(plain(value)));
  }
  void on_header_impl(error_code&) override { complete_head = true; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(beast::string_view piece, error_code& wrong) override {
    return keep(piece, wrong);
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view piece,
                                 error_code& wrong) override {
    return keep(piece, wrong);
  }
  void on_finish_impl(error_code&) override {}

  std::size_t keep(beast::string_view piece, error_code& wrong) {
    if (lines_exceed_the_limit(piece.data())) wrong = Wrong::header_limit;
    sink->append(piece.data(), piece.size());
    body_end = piece.data() + piece.size();
    return piece.size();
  }
  /// The bytes since the last byte of the body: the line of a chunk, or the fields after the last.
  bool lines_exceed_the_limit(const char* end) const {
    return static_cast<std::size_t>(end - body_end) > most;
  }

  Refusal refusal(error_code wrong, std::string_view bytes) const {
    if (wrong == Wrong::header_limit) return head_too_large(most);
    if (wrong == Wrong::body_limit) return body_too_large(largest_body);
    if (wrong == Wrong::bad_version && names_a_version(bytes))
      return {505, "version_not_supported",
              "the version of HTTP is not supported; expected HTTP/1.0 or HTTP/1.1"};
    if (wrong == Wrong::bad_content_length || wrong == Wrong::multiple_content_length ||
        wrong == Wrong::bad_transfer_encoding)
      return {400, "bad_framing", "Content-Length or Transfer-Encoding is invalid"};
    if (wrong == Wrong::bad_chunk || wrong == Wrong::bad_chunk_extension)
      return {400, "bad_chunk", "the chunks of the body are invalid"};
    return {400, "bad_request", "this is not HTTP: " + wrong.message()};
  }

  const std::size_t most;
  std::size_t head_size = 0;
  std::uint64_t largest_body = 0;
  bool complete_head = false;
  Head head;
  std::string* sink = nullptr;
  /// In the bytes at hand: where the body ends that was read so far.
  const char* body_end = nullptr;
};

Parser::Parser(std::size_t largest_head) : impl_(std::make_unique<Impl>(largest_head)) {}
Parser::~Parser() = default;

bool Parser::started() const { return impl_->got_some(); }
bool Parser::has_head() const { return impl_->complete_head; }
bool Parser::done() const { return impl_->is_done(); }
const Head& Parser::head() const { return impl_->head; }
Head& Parser::head() { return impl_->head; }
bool Parser::keep_alive() const { return impl_->keep_alive(); }

std::optional<std::uint64_t> Parser::length() const {
  const auto length = impl_->content_length();
  return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

void Parser::limit_body(std::uint64_t largest) {
  impl_->largest_body = largest;
  impl_->body_limit(largest);
}

tl::expected<std::size_t, Refusal> Parser::take(std::string_view bytes, std::string& body) {
  if (bytes.empty() || done()) return 0;
  const bool in_head = !impl_->complete_head;
  impl_->eager(!in_head);
  impl_->sink = &body;
  impl_->body_end = bytes.data();
  error_code wrong;
  const std::size_t taken = impl_->put({bytes.data(), bytes.size()}, wrong);
  const bool waits = wrong == Wrong::need_more;
  if (wrong && !waits) return tl::unexpected(impl_->refusal(wrong, bytes));
  if (in_head && has_folded_line(bytes.substr(0, taken)))
    return tl::unexpected(
        bad("bad_request", "a field goes on in the next line; expected one line per field"));
  const std::size_t seen = waits ? bytes.size() : taken;
  if (in_head) impl_->head_size += taken;
  if (in_head ? impl_->head_size + seen - taken > impl_->most
              : impl_->lines_exceed_the_limit(bytes.data() + seen))
    return tl::unexpected(head_too_large(impl_->most));
  return taken;
}

}  // namespace allot::http
