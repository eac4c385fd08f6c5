#include "http/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/json_text.hpp"
#include "http/ascii.hpp"

namespace allot::http {
namespace {

bool is_the_servers(std::string_view name) {
  constexpr std::string_view own[] = {"content-length", "transfer-encoding", "connection", "date",
                                      "x-request-id"};
  return std::ranges::any_of(own, [&](std::string_view word) { return same_word(name, word); });
}

struct Reason {
  int status;
  std::string_view words;
};
/// Phrases of the statuses that this program sends; others have none.
constexpr Reason kReasons[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {303, "See Other"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

}  // namespace

std::string_view reason(int status) {
  const auto found = std::ranges::find(kReasons, status, &Reason::status);
  return found == std::end(kReasons) ? std::string_view() : found->words;
}

Response problem(const Refusal& refusal) {
  Response response{.status = refusal.status, .fields = refusal.fields};
  response.fields.add("Content-Type", "application/problem+json");
  response.fields.add("Cache-Control", "no-store");
  response.fields.add("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  response.fields.add("X-Content-Type-Options", "nosniff");
  response.body = fmt::format(
      R"({{"type":"about:blank","title":"{}","status":{},"detail":{},"code":"{}"}})",
      reason(refusal.status), refusal.status, json_string(refusal.detail), refusal.code);
  return response;
}

bool can_be_sent(const Response& response) {
  return response.status >= 200 && response.status <= 599 &&
         std::ranges::all_of(response.fields.list(), [](const auto& field) {
           return is_token(field.first) && std::ranges::none_of(field.second, is_control);
         });
}

bool is_event_stream(const Response& response) {
  const auto type = response.fields.find("Content-Type");
  return type && same_word(type->substr(0, 17), "text/event-stream");
}

bool is_bodiless(int status) { return status == 204 || status == 304; }

std::string head_text(const Response& response, const Frame& frame) {
  // Room for the server's own fields and for a usual body, which the caller adds.
  std::size_t size = 1024;
  for (const auto& [name, value] : response.fields.list()) size += name.size() + value.size() + 4;
  std::string text;
  text.reserve(size);
  auto out = std::back_inserter(text);
  fmt::format_to(out, "HTTP/1.1 {} {}\r\nDate: {}\r\nX-Request-Id: {}\r\n", response.status,
                 reason(response.status), frame.date, frame.id);
  for (const auto& [name, value] : response.fields.list())
    if (!is_the_servers(name)) (((text += name) += ": ") += value) += "\r\n";
  if (frame.length && !is_bodiless(response.status))
    fmt::format_to(out, "Content-Length: {}\r\n", *frame.length);
  if (!frame.length && frame.version >= 11 && !is_bodiless(response.status))
    text += "Transfer-Encoding: chunked\r\n";
  if (!frame.keep_alive)
    text += "Connection: close\r\n";
  else if (frame.version < 11)
    text += "Connection: keep-alive\r\n";
  return text += "\r\n";
}

std::string date_text(std::time_t time) {
  constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm parts{};
  gmtime_r(&time, &parts);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", days[parts.tm_wday], parts.tm_mday,
                     months[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour, parts.tm_min,
                     parts.tm_sec);
}

std::string chunk_line(std::size_t size) { return fmt::format("{:x}\r\n", size); }

}  // namespace allot::http
