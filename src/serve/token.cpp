#include "serve/token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "serve/secret.hpp"

namespace allot::serve {
namespace {

constexpr std::array<std::string_view, 6> kRoles{"admin",    "requester",   "worker",
                                                 "reviewer", "participant", "monitor"};

}  // namespace

std::string_view name(Role role) { return kRoles[static_cast<std::size_t>(role)]; }

std::optional<Role> role_named(std::string_view text) {
  const auto found = std::ranges::find(kRoles, text);
  if (found == kRoles.end()) return std::nullopt;
  return static_cast<Role>(found - kRoles.begin());
}

// Each text has its length in front, so that different values never give the same text.
std::string seal_of(const Token& token, std::string_view digest) {
  std::string text;
  for (const std::string_view part : {std::string_view(token.id), std::string_view(token.campaign),
                                      std::string_view(token.person), digest}) {
    text += fmt::format("{} ", part.size()).append(part);
  }
  text += fmt::format("{} ", static_cast<int>(token.role));
  if (token.revoked) text += fmt::format("{}", token.revoked->time_since_epoch().count());
  return digest_of(text);
}

}  // namespace allot::serve
