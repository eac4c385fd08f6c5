#include "io/exact_json.hpp"

#include <fmt/format.h>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <cmath>
#include <cstdlib>

#include "base/json_text.hpp"
#include "io/json_object.hpp"

namespace allot::io {
namespace {

namespace json = boost::json;
using boost::system::error_code;

constexpr char kNumberMark = '\xff';

/// Builds a value from what the parser finds.
struct ExactHandler {
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  json::value_stack stack;

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(std::size_t count, error_code&) {
    stack.push_object(count);
    return true;
  }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t count, error_code&) {
    stack.push_array(count);
    return true;
  }
  bool on_key_part(json::string_view part, std::size_t, error_code&) {
    stack.push_chars(part);
    return true;
  }
  bool on_key(json::string_view last, std::size_t, error_code&) {
    stack.push_key(last);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, error_code&) {
    stack.push_chars(part);
    return true;
  }
  bool on_string(json::string_view last, std::size_t, error_code&) {
    stack.push_string(last);
    return true;
  }
  bool on_number_part(json::string_view, error_code&) { return true; }
  bool on_int64(std::int64_t number, json::string_view, error_code&) {
    stack.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, json::string_view, error_code&) {
    stack.push_uint64(number);
    return true;
  }
  bool on_double(double, json::string_view text, error_code&) {
    stack.push_chars(json::string_view(&kNumberMark, 1));
    stack.push_string(text);
    return true;
  }
  bool on_bool(bool value, error_code&) {
    stack.push_bool(value);
    return true;
  }
  bool on_null(error_code&) {
    stack.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, error_code&) { return true; }
  bool on_comment(json::string_view, error_code&) { return true; }
};

bool add_object(const json::object& object, std::string& to) {
  bool ok = true, first = true;
  to += '{';
  for (const auto& [name, member] : object) {
    if (!std::exchange(first, false)) to += ", ";
    add_json_string(name, to);
    to += ": ";
    ok = add_exact_json(member, to) && ok;
  }
  to += '}';
  return ok;
}

bool add_array(const json::array& array, std::string& to) {
  bool ok = true, first = true;
  to += '[';
  for (const json::value& member : array) {
    if (!std::exchange(first, false)) to += ", ";
    ok = add_exact_json(member, to) && ok;
  }
  to += ']';
  return ok;
}

}  // namespace

ExactJson parse_exact_json(std::string_view text) {
  json::basic_parser<ExactHandler> parser{json::parse_options()};
  parser.handler().stack.reset();
  ExactJson result;
  result.read = parser.write_some(false, text.data(), text.size(), result.wrong);
  if (!result.wrong && text.find_first_not_of(" \t\r\n", result.read) != std::string_view::npos)
    result.wrong = json::error::extra_data;
  if (!result.wrong) result.value = parser.handler().stack.release();
  return result;
}

std::optional<std::string_view> own_text(const json::value& value) {
  const json::string* const text = value.if_string();
  if (!text || text->empty() || text->front() != kNumberMark) return {};
  return std::string_view(*text).substr(1);
}

bool add_exact_json(const json::value& value, std::string& to) {
  if (const auto number = own_text(value)) {
    to += *number;
    return std::isfinite(std::strtod(std::string(*number).c_str(), nullptr));
  }
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
    case json::kind::string:
      add_json_string(value.get_string(), to);
      return true;
    case json::kind::object:
      return add_object(value.get_object(), to);
    case json::kind::array:
      return add_array(value.get_array(), to);
    case json::kind::double_:
      break;  // kept as texts
  }
  return false;
}

std::string exact_json_text(const json::value& value) {
  std::string text;
  add_exact_json(value, text);
  return text;
}

}  // namespace allot::io
