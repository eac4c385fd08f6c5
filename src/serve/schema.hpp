// JSON Schemas of requests and answers, as JSON text; what OpenAPI 3.1 takes.
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
/// Members under any name.
std::string table(const std::string& of, std::string_view about = {});
std::string or_null(const std::string& of);
/// One of the components by its name.
std::string ref(std::string_view name);

struct Member {
  std::string_view name;
  std::string schema;
  bool required = true;
};
/// Members that need not be there.
Member maybe(std::string_view name, std::string schema);
/// Nothing but these members.
std::string object(std::initializer_list<Member> members);

}  // namespace allot::serve::schema
