#include "serve/seat.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "http/ascii.hpp"
#include "serve/secret.hpp"
#include "serve/sign_in_rules.hpp"

namespace allot::serve {
namespace {

std::string seat_id(const std::string& campaign, const std::string& address) {
  constexpr std::size_t kDigits = 16;
  return hex(digest_of(fmt::format("seat {}\n{}", campaign, address))).substr(0, kDigits);
}

}  // namespace

Result<std::string> read_address(std::string_view text) {
  if (!names_person(text)) {
    return invalid(
        "the address {} names nobody; expected up to {} visible characters, such as "
        "ann@example.org",
        in_quotes(text), kLongestPerson);
  }
  return http::lower(std::string(text));
}

Token seat_for(const std::string& campaign, const std::string& address, Role role) {
  return {.id = seat_id(campaign, address),
          .role = role,
          .campaign = campaign,
          .person = address,
          .label = address};
}

bool is_seat(const Token& token) {
  return !token.campaign.empty() && token.id == seat_id(token.campaign, token.person);
}

std::optional<Token> seat_of(const Vault& vault, const Token& account,
                             const std::string& campaign) {
  if (!account.is_account()) return std::nullopt;
  auto seat = vault.with_id(seat_id(campaign, account.person));
  return seat && !seat->revoked ? seat : std::nullopt;
}

bool may_take(Role account, Role seat) {
  switch (account) {
    case Role::admin:
    case Role::requester:
    case Role::reviewer:
      return true;
    case Role::worker:
      return seat == Role::worker;
    case Role::participant:
    case Role::monitor:
      return false;
  }
  return false;
}

std::string page_of(const Token& seat) {
  return fmt::format("/{}/{}", seat.role == Role::reviewer ? "review" : "label", seat.campaign);
}

}  // namespace allot::serve
