// Tokens: who sends a request, and what that person or program may do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "allot/campaign/event.hpp"

namespace allot::serve {

using campaign::Time;

enum class Role : std::uint8_t {
  admin,        // everything
  requester,    // creates campaigns, and does everything in them
  worker,       // labels items of one campaign, under one name
  reviewer,     // decides items of one campaign, under one name
  participant,  // a worker who came through a recruiting link
  monitor,      // reads metrics, and nothing else
};
std::string_view name(Role role);
std::optional<Role> role_named(std::string_view name);

struct Token {
  std::string id = {};
  Role role = Role::admin;
  /// For the token of a worker or reviewer: the campaign, and the name there. An account has the
  /// person's address, and no campaign.
  std::string campaign = {}, person = {};
  /// A note of its creator.
  std::string label = {};
  Time created = {};
  std::optional<Time> revoked = {};

  /// Whether the token is good for one campaign, under one name.
  bool is_personal() const { return is_worker() || role == Role::reviewer; }
  /// Whether its person labels items.
  bool is_worker() const { return role == Role::worker || role == Role::participant; }
  /// Whether it stands for a person who signs in with an address.
  bool is_account() const { return campaign.empty() && !person.empty(); }
  bool operator==(const Token&) const = default;
};

/// Digest of the token's values that decide what it may do, and of the digest of its secret. It
/// finds rows that were changed on disk; it does not stop somebody who can write to the tables.
std::string seal_of(const Token& token, std::string_view digest);

}  // namespace allot::serve
