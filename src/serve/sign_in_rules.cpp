#include "serve/sign_in_rules.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "http/ascii.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

constexpr std::string_view kGroup = "group:";

bool names(const std::string& entry, const Identity& identity) {
  if (entry == "*") return true;
  if (entry.starts_with(kGroup)) {
    return std::ranges::find(identity.groups, entry.substr(kGroup.size())) != identity.groups.end();
  }
  const std::size_t at = identity.email.rfind('@');
  if (at == std::string::npos) return false;
  return http::same_word(entry.starts_with('@') ? std::string_view(identity.email).substr(at)
                                                : std::string_view(identity.email),
                         entry);
}

/// The address in "203.0.113.7:5555" or "[2001:db8::1]:443", as some proxies write it; any other
/// text as it is.
std::string_view without_port(std::string_view hop) {
  const std::size_t colon = hop.rfind(':');
  std::string_view host = hop;
  if (colon != std::string_view::npos && parse_whole(hop.substr(colon + 1)))
    host = hop.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) return host.substr(1, host.size() - 2);
  return host.find(':') == std::string_view::npos ? host : hop;
}

}  // namespace

std::optional<Network::Bytes> Network::bytes_of(const std::string& address) {
  Bytes bytes{};
  if (address.find('\0') != std::string::npos) return std::nullopt;  // inet_pton would stop there
  if (inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) return bytes;
  bytes[10] = bytes[11] = 0xFF;
  if (inet_pton(AF_INET, address.c_str(), bytes.data() + 12) == 1) return bytes;
  return std::nullopt;
}

Result<Network> Network::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string address(text.substr(0, slash));
  const auto bytes = bytes_of(address);
  const unsigned most = address.find(':') == std::string::npos ? 32 : 128;
  const auto bits = slash == std::string_view::npos ? std::optional<std::uint64_t>(most)
                                                    : parse_whole(text.substr(slash + 1));
  if (!bytes || !bits || *bits > most) {
    return invalid(
        "the network {} makes no sense; expected an address such as 10.0.0.7 or 10.0.0.0/8",
        in_quotes(text));
  }
  Network network;
  network.bytes_ = *bytes;
  network.bits_ = static_cast<unsigned>(*bits) + 128 - most;
  return network;
}

bool Network::contains(const std::string& address) const {
  const auto bytes = bytes_of(address);
  if (!bytes) return false;
  for (unsigned bit = 0; bit < bits_; ++bit) {
    const unsigned mask = 0x80U >> bit % 8;
    if (((bytes_[bit / 8] ^ (*bytes)[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

bool RoleRules::empty() const {
  return admins.empty() && requesters.empty() && monitors.empty() && reviewers.empty() &&
         workers.empty();
}

std::optional<Role> RoleRules::role_of(const Identity& identity) const {
  const auto has = [&](const std::vector<std::string>& entries) {
    return std::ranges::any_of(entries,
                               [&](const std::string& entry) { return names(entry, identity); });
  };
  if (has(admins)) return Role::admin;
  if (has(requesters)) return Role::requester;
  if (has(monitors)) return Role::monitor;
  if (has(reviewers)) return Role::reviewer;
  if (has(workers)) return Role::worker;
  return std::nullopt;
}

bool SignInOptions::trusts(const std::string& address) const {
  return std::ranges::any_of(proxies,
                             [&](const Network& proxy) { return proxy.contains(address); });
}

std::string SignInOptions::client_address(const std::string& peer,
                                          const http::Fields& fields) const {
  if (!trusts(peer)) return peer;
  std::vector<std::string> hops;  // every proxy adds the address that it saw at the end
  for (const auto& [field, value] : fields.list()) {
    if (!http::same_word(field, "X-Forwarded-For")) continue;
    for (const std::string_view hop : split(value, ',')) hops.emplace_back(without_port(trim(hop)));
  }
  std::string address = peer;
  for (auto hop = hops.rbegin(); hop != hops.rend() && trusts(address); ++hop) {
    if (!Network::is_address(*hop)) break;
    address = *hop;
  }
  return address;
}

std::optional<std::string> cookie_of(const http::Request& request, std::string_view wanted) {
  std::optional<std::string> found;
  for (const auto& [field, value] : request.fields.list()) {
    if (!http::same_word(field, "Cookie")) continue;
    for (const std::string_view part : split(value, ';')) {
      const std::string_view pair = trim(part);
      if (!pair.starts_with(wanted) || pair.substr(wanted.size()).substr(0, 1) != "=") continue;
      if (found) return std::nullopt;
      found = pair.substr(wanted.size() + 1);
    }
  }
  return found;
}

bool names_person(std::string_view text) {
  const bool visible = std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
  return visible && !text.empty() && text.front() != '@' && text.size() <= kLongestPerson;
}

std::string token_id_of(const Identity& identity) {
  constexpr std::size_t kDigits = 16;
  return hex(digest_of(fmt::format("sign-in {}\n{}", identity.issuer, identity.subject)))
      .substr(0, kDigits);
}

}  // namespace allot::serve
