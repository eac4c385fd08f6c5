#include "io/json_object.hpp"

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "base/json_text.hpp"
#include "io/exact_json.hpp"

namespace allot::io {
Result<std::vector<JsonMember>> parse_json_object(std::string_view text) {
  const auto [value, wrong, read] = parse_exact_json(text);
  if (wrong) {
    return invalid(
        "{} is not a JSON object ({} at character {}); expected one such as {{\"id\": \"a\", "
        "\"text\": \"...\"}}",
        in_quotes(text), wrong.message(), read + 1);
  }
  if (!value.is_object()) {
    return invalid(
        "{} is not a JSON object; expected one such as {{\"id\": \"a\", \"text\": \"...\"}}",
        in_quotes(text));
  }
  std::vector<JsonMember> members;
  for (const auto& [name, member] : value.get_object()) {
    JsonMember named{std::string(name), {}, member.is_string() && !own_text(member)};
    if (named.is_text) {
      named.value = member.get_string();
    } else if (!add_exact_json(member, named.value)) {
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

}  // namespace allot::io
