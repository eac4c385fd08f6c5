#include "serve/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "allot/base/time_text.hpp"
#include "base/json_text.hpp"

namespace allot::serve {

std::string& JsonObject::member(std::string_view name) {
  if (text_.size() > 1) text_ += ", ";
  add_json_string(name, text_);
  return text_ += ": ";
}

JsonObject& JsonObject::json(std::string_view name, const std::string& value) {
  member(name) += value;
  return *this;
}
JsonObject& JsonObject::text(std::string_view name, std::string_view value) {
  add_json_string(value, member(name));
  return *this;
}
JsonObject& JsonObject::text_or_null(std::string_view name, std::string_view value) {
  return value.empty() ? json(name, "null") : text(name, value);
}
JsonObject& JsonObject::whole(std::string_view name, std::optional<std::uint64_t> value) {
  if (!value) return json(name, "null");
  const fmt::format_int digits(*value);
  member(name).append(digits.data(), digits.size());
  return *this;
}
JsonObject& JsonObject::number(std::string_view name, std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return json(name, "null");
  fmt::format_to(std::back_inserter(member(name)), "{}", *value);
  return *this;
}
JsonObject& JsonObject::money(std::string_view name, std::optional<Money> value) {
  return json(name, value ? money_text(*value) : "null");
}
JsonObject& JsonObject::time(std::string_view name, std::optional<campaign::Time> value) {
  return value ? text(name, time_text(*value)) : json(name, "null");
}
JsonObject& JsonObject::flag(std::string_view name, bool value) {
  return json(name, value ? "true" : "false");
}

JsonList& JsonList::json(const std::string& value) {
  if (text_.size() > 1) text_ += ", ";
  text_ += value;
  return *this;
}
JsonList& JsonList::text(std::string_view value) { return json(json_string(value)); }

}  // namespace allot::serve
