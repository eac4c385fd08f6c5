#include "serve/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <set>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::serve {
namespace {

namespace json = boost::json;

std::string_view kind_of(const json::value& value) {
  if (value.is_number()) return "a number";
  if (value.is_string()) return "a text";
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  return value.is_bool() ? "a boolean" : "null";
}

std::string number_of(const json::value& value) {
  if (value.is_int64()) return fmt::format("{}", value.get_int64());
  if (value.is_uint64()) return fmt::format("{}", value.get_uint64());
  return plain_number(value.get_double());
}

/// Where the text in quotes ends that begins there, in valid JSON: at a quote that has no backslash
/// in front, or an even number of them.
std::size_t closing_quote(std::string_view text, std::size_t begin) {
  for (std::size_t at = text.find('"', begin + 1);; at = text.find('"', at + 1)) {
    std::size_t slashes = 0;
    while (text[at - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return at;
  }
}

/// Calls visit(token) for each text in quotes, and for each other character, of a valid JSON text.
template <typename Visit>
void each_token(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t begin = at;
    if (text[at] == '"') at = closing_quote(text, at);
    visit(text.substr(begin, at + 1 - begin));
  }
}

/// Members of the value and of all values in it.
std::size_t count_members(const json::value& value) {
  std::size_t count = 0;
  if (const auto* const object = value.if_object()) {
    count += object->size();
    for (const auto& member : *object) count += count_members(member.value());
  } else if (const auto* const array = value.if_array()) {
    for (const json::value& one : *array) count += count_members(one);
  }
  return count;
}

/// The first member that an object in the text has twice.
std::string first_repeated(std::string_view text) {
  std::vector<std::set<std::string>> open;  // names in the objects around
  std::string_view quoted;
  std::string found;
  each_token(text, [&](std::string_view token) {
    if (token == "{") open.emplace_back();
    if (token == "}") open.pop_back();
    if (token.starts_with('"')) quoted = token;
    if (token != ":" || !found.empty()) return;
    const std::string name(json::parse(quoted).as_string());
    if (!open.back().insert(name).second) found = name;
  });
  return found;
}

/// Refuses an object with two members of one name, of which the parser keeps the last. Each member
/// has one colon outside of quotes, so two counts show whether there is one.
Result<void> check_members(std::string_view text, const json::value& value) {
  std::size_t colons = 0;
  each_token(text, [&](std::string_view token) { colons += token[0] == ':' ? 1 : 0; });
  if (colons == count_members(value)) return {};
  return invalid("the member {} comes twice in one object of the body; expected it once",
                 in_quotes(first_repeated(text)));
}

}  // namespace

struct Body::Shared {
  json::value value;
  std::optional<Error> wrong;
};

Body::Body(std::shared_ptr<Shared> shared, const json::object* object, std::string path)
    : shared_(std::move(shared)), object_(object), path_(std::move(path)) {}

Body Body::parse(std::string_view text) {
  static const json::object kEmpty;
  auto shared = std::make_shared<Shared>();
  if (trim(text).empty()) return {shared, &kEmpty, ""};
  boost::system::error_code wrong;
  shared->value = json::parse(text, wrong);
  if (!wrong && shared->value.is_object()) {
    const auto checked = check_members(text, shared->value);
    if (checked) return {shared, &shared->value.get_object(), ""};
    shared->wrong = checked.error();
    return {shared, &kEmpty, ""};
  }
  shared->wrong =
      Error{ErrorCode::invalid_argument,
            wrong ? fmt::format("the body is not JSON ({}); expected an object", wrong.message())
                  : fmt::format("the body is {}; expected a JSON object", kind_of(shared->value))};
  return {shared, &kEmpty, ""};
}

std::string Body::path(std::string_view name) const { return path_ + std::string(name); }

void Body::refuse(std::string why, ErrorCode code) {
  if (!shared_->wrong) shared_->wrong = Error{code, std::move(why)};
}

void Body::refuse_kind(std::string_view name, const json::value& value, std::string_view expected) {
  refuse(fmt::format("{} is {}; expected {}", path(name), kind_of(value), expected));
}

void Body::refuse_size(std::string_view name, std::size_t size, std::string_view of,
                       std::size_t most) {
  refuse(fmt::format("{} has {} {}; expected at most {}", path(name), size, of, most),
         ErrorCode::too_large);
}

bool Body::has(std::string_view name) const {
  const json::value* value = object_->if_contains(name);
  return value && !value->is_null();
}

const json::value* Body::find(std::string_view name) {
  read_.emplace_back(name);
  return has(name) ? object_->if_contains(name) : nullptr;
}

const json::value* Body::find_object(std::string_view name) {
  const json::value* value = find(name);
  if (!value || value->is_object()) return value;
  refuse_kind(name, *value, "an object");
  return nullptr;
}

std::string Body::text(std::string_view name, std::size_t longest) {
  const auto text = text_if(name, longest);
  if (!text) {
    refuse(fmt::format("{} is missing; expected a text", path(name)));
  } else if (text->empty()) {
    refuse(fmt::format("{} is empty; expected a text", path(name)));
  }
  return text.value_or("");
}

std::optional<std::string> Body::text_if(std::string_view name, std::size_t longest) {
  const json::value* value = find(name);
  if (!value) return std::nullopt;
  if (!value->is_string()) {
    refuse_kind(name, *value, "a text");
    return std::nullopt;
  }
  std::string text(value->get_string());
  if (text.size() > longest) refuse_size(name, text.size(), "bytes", longest);
  if (text.find('\0') != std::string::npos) {
    refuse(fmt::format("{} has a zero byte; expected none", path(name)));
  }
  return text;
}

std::optional<std::string> Body::scalar_if(std::string_view name, std::size_t longest) {
  const json::value* value = has(name) ? object_->if_contains(name) : nullptr;
  if (!value || value->is_string()) return text_if(name, longest);
  find(name);
  if (value->is_bool()) return value->get_bool() ? "true" : "false";
  if (value->is_number()) return number_of(*value);
  refuse_kind(name, *value, "a text or a number");
  return std::nullopt;
}

std::uint64_t Body::whole(std::string_view name, std::uint64_t usual, std::uint64_t least,
                          std::uint64_t most) {
  const json::value* value = find(name);
  if (!value) return usual;
  const bool ok = value->is_uint64() || (value->is_int64() && value->get_int64() >= 0);
  const std::uint64_t number = ok ? value->to_number<std::uint64_t>() : usual;
  if (!ok || number < least) {
    refuse(fmt::format("{} is {}; expected a whole number from {} to {}", path(name),
                       value->is_number() ? number_of(*value) : std::string(kind_of(*value)), least,
                       most));
  } else if (number > most) {
    refuse(fmt::format("{} is {}; expected at most {}", path(name), number, most),
           ErrorCode::too_large);
  }
  return number;
}

std::optional<double> Body::probability_if(std::string_view name) {
  const json::value* value = find(name);
  if (!value) return std::nullopt;
  const double number = value->is_number() ? value->to_number<double>() : -1;
  if (number >= 0 && number <= 1) return number;
  refuse(fmt::format("{} is {}; expected a number from 0 to 1", path(name),
                     value->is_number() ? number_of(*value) : std::string(kind_of(*value))));
  return std::nullopt;
}

bool Body::flag(std::string_view name) {
  const json::value* value = find(name);
  if (!value) return false;
  if (value->is_bool()) return value->get_bool();
  refuse_kind(name, *value, "true or false");
  return false;
}

std::optional<Money> Body::money_if(std::string_view name) {
  const auto text = scalar_if(name, 40);
  if (!text) return std::nullopt;
  const auto money = parse_money(*text);
  if (money) return *money;
  refuse(fmt::format("{}: {}", path(name), money.error().message));
  return std::nullopt;
}

const json::array* Body::list(std::string_view name, std::string_view what, std::size_t most) {
  const json::value* value = find(name);
  if (!value) return nullptr;
  if (!value->is_array()) {
    refuse_kind(name, *value, fmt::format("a list of {}", what));
    return nullptr;
  }
  const json::array& list = value->get_array();
  if (list.size() > most) {
    refuse_size(name, list.size(), "members", most);
    return nullptr;
  }
  return &list;
}

std::vector<std::string> Body::texts(std::string_view name, std::size_t most) {
  std::vector<std::string> all;
  const json::array* values = list(name, "texts", most);
  if (!values) return all;
  for (const json::value& value : *values) {
    if (!value.is_string() || value.get_string().size() > kLongestName) {
      refuse(fmt::format("{}[{}] is {}; expected a text of at most {} bytes", path(name),
                         all.size(), kind_of(value), kLongestName));
      return all;
    }
    all.emplace_back(value.get_string());
  }
  return all;
}

std::vector<double> Body::numbers(std::string_view name, std::size_t most) {
  std::vector<double> all;
  const json::array* values = list(name, "numbers", most);
  if (!values) return all;
  for (const json::value& value : *values) {
    const double number = value.is_number() ? value.to_number<double>() : NAN;
    if (!(std::abs(number) <= 1e100)) {
      refuse(fmt::format("{}[{}] is {}; expected a number of at most 1e100 in size", path(name),
                         all.size(), kind_of(value)));
    }
    all.push_back(number);
  }
  return all;
}

std::vector<Body> Body::objects(std::string_view name, std::size_t most) {
  std::vector<Body> all;
  const json::array* values = list(name, "objects", most);
  if (!values) return all;
  for (const json::value& value : *values) {
    const std::string at = fmt::format("{}[{}]", path(name), all.size());
    if (!value.is_object()) {
      refuse(fmt::format("{} is {}; expected an object", at, kind_of(value)));
      return all;
    }
    all.push_back(Body(shared_, &value.get_object(), at + "."));
  }
  return all;
}

std::string Body::object_text(std::string_view name, std::size_t longest) {
  const json::value* value = find_object(name);
  if (!value) return "{}";
  std::string text = json::serialize(*value);
  if (text.size() > longest) refuse_size(name, text.size(), "bytes", longest);
  return text;
}

std::optional<Body> Body::object(std::string_view name) {
  const json::value* value = find_object(name);
  if (!value) return std::nullopt;
  return Body(shared_, &value->get_object(), path(name) + ".");
}

std::vector<std::string> Body::members() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : *object_) names.emplace_back(key);
  return names;
}

Result<void> Body::done() {
  for (const auto& [key, value] : *object_) {
    const std::string_view name(key.data(), key.size());
    if (std::ranges::find(read_, name) != read_.end()) continue;
    const std::vector<std::string_view> known(read_.begin(), read_.end());
    refuse(fmt::format("{} is unknown here; expected {}{}", in_quotes(path(name)),
                       read_.empty() ? "nothing" : fmt::format("{}", fmt::join(read_, ", ")),
                       suggestion(name, known)));
  }
  return shared_->wrong ? Result<void>(tl::unexpected(*shared_->wrong)) : Result<void>();
}

}  // namespace allot::serve
