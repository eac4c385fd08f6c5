#include "serve/json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "allot/base/time_text.hpp"
#include "io/json_object.hpp"

namespace allot::serve {
namespace {

std::string number_json(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

}  // namespace

void JsonObject::name(std::string_view name) {
  if (text_.size() > 1) text_ += ", ";
  io::add_json_string(name, text_);
  text_ += ": ";
}
JsonObject& JsonObject::json(std::string_view name, std::string_view value) {
  this->name(name);
  text_ += value;
  return *this;
}
JsonObject& JsonObject::text(std::string_view name, std::string_view value) {
  this->name(name);
  io::add_json_string(value, text_);
  return *this;
}
JsonObject& JsonObject::text_or_null(std::string_view name, std::string_view value) {
  return value.empty() ? json(name, "null") : text(name, value);
}
JsonObject& JsonObject::whole(std::string_view name, std::uint64_t value) {
  return json(name, fmt::format("{}", value));
}
JsonObject& JsonObject::number(std::string_view name, double value) {
  return json(name, number_json(value));
}
JsonObject& JsonObject::money(std::string_view name, Money value) {
  return json(name, money_text(value));
}
JsonObject& JsonObject::time(std::string_view name, campaign::Time value) {
  return text(name, time_text(value));
}
JsonObject& JsonObject::flag(std::string_view name, bool value) {
  return json(name, value ? "true" : "false");
}

JsonList& JsonList::json(std::string_view value) {
  if (text_.size() > 1) text_ += ", ";
  text_ += value;
  return *this;
}
JsonList& JsonList::text(std::string_view value) { return json(io::json_string(value)); }
JsonList& JsonList::number(double value) { return json(number_json(value)); }

}  // namespace allot::serve
