#include "serve/schema.hpp"

#include <fmt/format.h>

#include "base/json_text.hpp"
#include "serve/json.hpp"

namespace allot::serve::schema {
namespace {

std::string described(std::string_view members, std::string_view about) {
  if (about.empty()) return fmt::format("{{{}}}", members);
  return fmt::format(R"({{{}{}"description": {}}})", members, members.empty() ? "" : ", ",
                     json_string(about));
}

}  // namespace

std::string text(std::string_view about) { return described(R"("type": "string")", about); }
std::string time(std::string_view about) {
  return described(R"("type": "string", "format": "date-time")", about);
}
std::string whole(std::string_view about) {
  return described(R"("type": "integer", "minimum": 0)", about);
}
std::string whole_from(std::uint64_t least, std::uint64_t most, std::string_view about) {
  return described(fmt::format(R"("type": "integer", "minimum": {}, "maximum": {})", least, most),
                   about);
}
std::string number(std::string_view about) { return described(R"("type": "number")", about); }
std::string share(std::string_view about) {
  return described(R"("type": "number", "minimum": 0, "maximum": 1)", about);
}
std::string money(std::string_view about) { return described(R"("type": "number")", about); }
std::string flag(std::string_view about) { return described(R"("type": "boolean")", about); }
std::string word(const std::vector<std::string_view>& words, std::string_view about) {
  JsonList all;
  for (const std::string_view word : words) all.text(word);
  return described(R"("type": "string", "enum": )" + std::string(all), about);
}
std::string anything(std::string_view about) { return described("", about); }
std::string scalar(std::string_view about) {
  return described(R"("type": ["string", "number"])", about);
}
std::string list(const std::string& of, std::string_view about) {
  return described(fmt::format(R"("type": "array", "items": {})", of), about);
}
std::string table(const std::string& of, std::string_view about) {
  return described(fmt::format(R"("type": "object", "additionalProperties": {})", of), about);
}
std::string or_null(const std::string& of) {
  return fmt::format(R"({{"anyOf": [{}, {{"type": "null"}}]}})", of);
}
std::string ref(std::string_view name) {
  return fmt::format(R"({{"$ref": "#/components/schemas/{}"}})", name);
}

Member maybe(std::string_view name, std::string schema) { return {name, std::move(schema), false}; }

std::string object(std::initializer_list<Member> members) {
  return object(std::vector<Member>(members));
}

std::string object(const std::vector<Member>& members) {
  JsonObject properties;
  JsonList required;
  for (const Member& member : members) {
    properties.json(member.name, member.schema);
    if (member.required) required.text(member.name);
  }
  return JsonObject()
      .text("type", "object")
      .json("properties", properties)
      .json("required", required)
      .flag("additionalProperties", false);
}

}  // namespace allot::serve::schema
