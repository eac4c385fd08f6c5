// JSON Schemas of requests and responses, as JSON text for OpenAPI 3.1.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace allot::serve::schema {

std::string text(std::string_view about = {});
/// RFC 3339.
std::string time(std::string_view about = {});
/// 0 or more.
std::string whole(std::string_view about = {});
std::string whole_from(std::uint64_t least, std::uint64_t most, std::string_view about = {});
std::string number(std::string_view about = {});
/// From 0 to 1.
std::string share(std::string_view about = {});
std::string money(std::string_view about = {});
std::string flag(std::string_view about = {});
std::string word(const std::vector<std::string_view>& words, std::string_view about = {});
std::string anything(std::string_view about = {});
/// A text or a number.
std::string scalar(std::string_view about = {});
std::string list(const std::string& of, std::string_view about = {});
/// An object with any member names.
std::string table(const std::string& of, std::string_view about = {});
std::string or_null(const std::string& of);
/// A reference to a component.
std::string ref(std::string_view name);

struct Member {
  std::string_view name;
  std::string schema;
  bool required = true;
};
/// A member that is not required.
Member maybe(std::string_view name, std::string schema);
/// An object with exactly these members.
std::string object(std::initializer_list<Member> members);
std::string object(const std::vector<Member>& members);

}  // namespace allot::serve::schema
