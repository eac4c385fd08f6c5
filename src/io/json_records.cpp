#include "io/json_records.hpp"

#include <algorithm>

#include "allot/base/text.hpp"
#include "io/csv_reader.hpp"
#include "io/exact_json.hpp"

namespace allot::io {
namespace {

constexpr std::string_view kJsonBlanks = " \t\r\n";

}  // namespace

bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kJsonBlanks);
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

JsonRecords::JsonRecords(std::string_view text) : text_(text) {
  const std::size_t first = text.find_first_not_of(kJsonBlanks);
  is_array_ = first != std::string_view::npos && text[first] == '[';
  if (!is_array_) return;
  skip_blanks();
  ++at_;
}

void JsonRecords::skip_blanks() {
  const std::size_t end = std::min(text_.find_first_not_of(kJsonBlanks, at_), text_.size());
  lines_begun_ += line_ends(text_.substr(at_, end - at_));
  at_ = end;
}

Result<bool> JsonRecords::next() { return is_array_ ? next_element() : next_line(); }

Result<bool> JsonRecords::next_line() {
  while (at_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    element_ = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    line_ = lines_begun_++;
    if (element_.find_first_not_of(kJsonBlanks) != std::string_view::npos) return true;
  }
  return false;
}

std::size_t JsonRecords::element_end() const {
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t i = at_; i < text_.size(); ++i) {
    const char c = text_[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return i;
      --depth;
    } else if (c == ',' && depth == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

Result<bool> JsonRecords::finish_array() {
  ++at_;
  skip_blanks();
  done_ = true;
  if (at_ < text_.size())
    return refuse_line(lines_begun_, "text follows the JSON array; expected the end of the file");
  return false;
}

Result<bool> JsonRecords::next_element() {
  if (done_) return false;
  skip_blanks();
  if (!first_ && at_ < text_.size() && text_[at_] == ',') {
    ++at_;
    skip_blanks();
  } else if (at_ < text_.size() && text_[at_] == ']') {
    return finish_array();
  }
  first_ = false;
  line_ = lines_begun_;
  const std::size_t end = element_end();
  if (end == std::string_view::npos)
    return refuse_line(line_, "the JSON array is not closed; expected ] at its end");
  element_ = text_.substr(at_, end - at_);
  lines_begun_ += line_ends(element_);
  at_ = end;
  if (text_[end] == '}')
    return refuse_line(lines_begun_, "} closes no object; expected , or ] after an element");
  return true;
}

Result<boost::json::object> JsonRecords::object() const {
  const std::string_view text = trim(element_);
  auto [value, wrong, read] = parse_exact_json(text);
  if (wrong) {
    return refuse_line(line_, "{} is not a JSON object ({} at character {}); expected one",
                       in_quotes(text), wrong.message(), read + 1);
  }
  if (!value.is_object())
    return refuse_line(line_, "{} is not a JSON object; expected one", in_quotes(text));
  return std::move(value.get_object());
}

std::optional<std::string> scalar_text(const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "";
    case boost::json::kind::bool_:
      return value.get_bool() ? "true" : "false";
    case boost::json::kind::int64:
      return fmt::format("{}", value.get_int64());
    case boost::json::kind::uint64:
      return fmt::format("{}", value.get_uint64());
    case boost::json::kind::string:
      return std::string(own_text(value).value_or(value.get_string()));
    default:
      return {};
  }
}

std::optional<std::string> scalar_member(const boost::json::object& object, std::string_view name) {
  const boost::json::value* member = object.if_contains(name);
  return member ? scalar_text(*member) : "";
}

const boost::json::array* array_member(const boost::json::object& object, std::string_view name) {
  const boost::json::value* member = object.if_contains(name);
  return member ? member->if_array() : nullptr;
}

const boost::json::object* object_member(const boost::json::object& object, std::string_view name) {
  const boost::json::value* member = object.if_contains(name);
  return member ? member->if_object() : nullptr;
}

}  // namespace allot::io
