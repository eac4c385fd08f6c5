#include "serve/route.hpp"

#include <array>

namespace allot::serve {

std::string_view about(Access access) {
  static constexpr std::array<std::string_view, 6> kTexts{
      "anyone",
      "anyone with a token",
      "admins",
      "admins and requesters",
      "admins and the campaign's owner",
      "admins, the campaign's owner and its workers"};
  return kTexts[static_cast<std::size_t>(access)];
}

std::string_view name(http::Method method) {
  static constexpr std::array<std::string_view, 6> kNames{"GET", "HEAD",  "POST",
                                                          "PUT", "PATCH", "DELETE"};
  return kNames[static_cast<std::size_t>(method)];
}

}  // namespace allot::serve
