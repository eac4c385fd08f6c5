#include "http/message.hpp"

#include <algorithm>

#include "http/ascii.hpp"

namespace allot::http {

void Fields::add(std::string name, std::string value) {
  list_.emplace_back(std::move(name), std::move(value));
}

std::optional<std::string_view> Fields::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(list_, [&](const auto& field) { return same_word(field.first, name); });
  if (found == list_.end()) return std::nullopt;
  return found->second;
}

}  // namespace allot::http
