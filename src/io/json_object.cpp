#include "io/json_object.hpp"

#include <boost/json/parser.hpp>
#include <cmath>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::io {
namespace {

namespace json = boost::json;

/// Appends the value as JSON; false if it holds a number that JSON cannot express.
bool write(const json::value& value, std::string& to) {
  switch (value.kind()) {
    case json::kind::null:
      to += "null";
      return true;
    case json::kind::bool_:
      to += value.get_bool() ? "true" : "false";
      return true;
    case json::kind::int64:
      to += fmt::format("{}", value.get_int64());
      return true;
    case json::kind::uint64:
      to += fmt::format("{}", value.get_uint64());
      return true;
    case json::kind::double_:
      to += plain_number(value.get_double());
      return std::isfinite(value.get_double());
    case json::kind::string:
      to += json_string(value.get_string());
      return true;
    case json::kind::array:
      break;
    case json::kind::object: {
      bool ok = true;
      to += '{';
      for (const auto& [name, member] : value.get_object()) {
        if (to.back() != '{') to += ", ";
        to += json_string(name) + ": ";
        ok = write(member, to) && ok;
      }
      to += '}';
      return ok;
    }
  }
  bool ok = true, first = true;
  to += '[';
  for (const json::value& member : value.get_array()) {
    if (!first) to += ", ";
    first = false;
    ok = write(member, to) && ok;
  }
  to += ']';
  return ok;
}

}  // namespace

Result<std::vector<JsonMember>> parse_json_object(std::string_view text) {
  json::parser parser;
  boost::system::error_code wrong;
  const std::size_t read = parser.write_some(text.data(), text.size(), wrong);
  if (!wrong && read < text.size() && !trim(text.substr(read)).empty())
    wrong = json::error::extra_data;
  if (wrong) {
    return invalid(
        "{} is not a JSON object ({} at character {}); expected one such as {{\"id\": \"a\", "
        "\"text\": \"...\"}}",
        in_quotes(text), wrong.message(), read + 1);
  }
  const json::value value = parser.release();
  if (!value.is_object()) {
    return invalid(
        "{} is not a JSON object; expected one such as {{\"id\": \"a\", \"text\": \"...\"}}",
        in_quotes(text));
  }
  std::vector<JsonMember> members;
  for (const auto& [name, member] : value.get_object()) {
    JsonMember named{std::string(name), {}, member.is_string()};
    if (named.is_text) {
      named.value = member.get_string();
    } else if (!write(member, named.value)) {
      return invalid("{} is too large a number; expected at most 1.7e308", in_quotes(named.name));
    }
    members.push_back(std::move(named));
  }
  return members;
}

std::string json_text(std::span<const JsonMember> members) {
  std::string text = "{";
  for (const JsonMember& member : members) {
    if (text.size() > 1) text += ", ";
    text += json_string(member.name) + ": ";
    text += member.is_text ? json_string(member.value) : member.value;
  }
  return text + "}";
}

std::string json_string(std::string_view text) {
  std::string quoted;
  add_json_string(text, quoted);
  return quoted;
}

void add_json_string(std::string_view text, std::string& to) {
  to += '"';
  std::size_t plain = 0;  // from here on nothing had to be escaped
  for (std::size_t n = 0; n < text.size(); ++n) {
    const auto c = static_cast<unsigned char>(text[n]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    to += text.substr(plain, n - plain);
    plain = n + 1;
    if (c < 0x20) {
      to += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      to += '\\';
      to += text[n];
    }
  }
  to += text.substr(plain);
  to += '"';
}

}  // namespace allot::io
