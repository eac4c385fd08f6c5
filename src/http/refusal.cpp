#include "http/refusal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace allot::http {
namespace {

struct Reason {
  int status;
  std::string_view words;
};
constexpr Reason kReasons[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {425, "Too Early"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
};

/// Escapes a text for a JSON string, without the quotes.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\')
      (result += '\\') += letter;
    else if (static_cast<unsigned char>(letter) < 0x20)
      fmt::format_to(std::back_inserter(result), "\\u{:04x}", static_cast<unsigned char>(letter));
    else
      result += letter;
  }
  return result;
}

}  // namespace

std::string_view reason(int status) {
  const auto found = std::ranges::find(kReasons, status, &Reason::status);
  return found == std::end(kReasons) ? std::string_view() : found->words;
}

Response problem(const Refusal& refusal) {
  Response response{.status = refusal.status, .fields = refusal.fields};
  response.fields.add("Content-Type", "application/problem+json");
  response.body =
      fmt::format(R"({{"type":"about:blank","title":"{}","status":{},"detail":"{}","code":"{}"}})",
                  reason(refusal.status), refusal.status, escaped(refusal.detail), refusal.code);
  return response;
}

}  // namespace allot::http
