#include "serve/sign_in.hpp"

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "http/ascii.hpp"
#include "serve/oidc_provider.hpp"
#include "serve/problem.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

using http::Response;

constexpr std::chrono::seconds kPendingTime{600};
constexpr std::size_t kMostPending = 10'000, kMostSessions = 100'000;
constexpr std::size_t kStateBytes = 16, kCookieBytes = 32;

Response redirect(const std::string& to) {
  Response response{.status = 303};
  response.fields.add("Location", to);
  return response;
}

/// Sends the browser to the sign-in page, which says what the word means; the cause is for the log.
Response not_signed_in(std::string_view word, std::string cause) {
  Response response = redirect(fmt::format("/#sign-in={}", word));
  response.reason = word;
  response.cause = std::move(cause);
  return response;
}

/// The provider cannot be used, or refused.
Response not_signed_in(const Error& error) {
  return not_signed_in(error.code == ErrorCode::store_failure ? "provider" : "refused",
                       error.message);
}

std::string query_of(const http::Request& request, std::string_view wanted) {
  const auto found =
      std::ranges::find(request.query, wanted, [](const auto& pair) { return pair.first; });
  return found == request.query.end() ? "" : found->second;
}

/// A path of this server; anything else becomes "/".
std::string own_path(const std::string& to) {
  const bool plain =
      std::ranges::all_of(to, [](char c) { return c > ' ' && c < '\x7f' && c != '\\'; });
  return plain && to.starts_with('/') && !to.starts_with("//") ? to : "/";
}

/// The address of the person in lower case; what the provider calls them if it tells no address.
std::string name_of(const Identity& identity) {
  return identity.email.empty() ? identity.subject : http::lower(identity.email);
}

/// Refuses a change that a browser makes for another site.
Result<void> check_site(const http::Request& request) {
  if (request.method == http::Method::get || request.method == http::Method::head) return {};
  if (const auto site = request.fields.find("Sec-Fetch-Site")) {
    if (*site == "same-origin") return {};
  } else if (const auto origin = request.fields.find("Origin")) {
    const std::size_t host = origin->find("://");
    if (host != std::string_view::npos &&
        origin->substr(host + 3) == request.fields.find("Host").value_or("")) {
      return {};
    }
  }
  return fail(
      ErrorCode::forbidden,
      "the request comes from another site; expected one of this server's pages, or a token");
}

}  // namespace

SignIn::SignIn(Hub& hub, const SignInOptions& options) : hub_(hub), options_(options) {
  if (options_.issuer.empty()) return;
  provider_ = std::make_unique<OidcProvider>(options_, [&hub] { return hub.now(); });
}

SignIn::~SignIn() = default;

std::string SignIn::cookie(std::string_view name, std::string_view value,
                           std::chrono::seconds time) const {
  return fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{}", name, value,
                     time.count(), is_secure() ? "; Secure" : "");
}

std::string SignIn::cookie_name(std::string_view name) const {
  return fmt::format("{}{}", is_secure() ? "__Host-" : "", name);
}

Result<Token> SignIn::draft_of(const Identity& identity) const {
  const auto role = options_.roles.role_of(identity);
  const std::string shown = name_of(identity);
  if (!role) {
    return fail(ErrorCode::forbidden,
                "{} has no role on this server; expected a person that the operator named",
                in_quotes(shown));
  }
  return Token{.id = token_id_of(identity),
               .role = *role,
               .person = http::lower(identity.email),
               .label = shown};
}

std::string SignIn::claimed_person(const http::Request& request) const {
  if (options_.proxy_header.empty()) return "";
  const auto person = request.fields.find(options_.proxy_header);
  return person && names_person(*person) ? http::lower(std::string(*person)) : "";
}

Result<std::optional<Identity>> SignIn::named_by_proxy(const http::Request& request) const {
  if (options_.proxy_header.empty()) return std::nullopt;
  std::optional<std::string> person;
  for (const auto& [field, value] : request.fields.list()) {
    if (!http::same_word(field, options_.proxy_header)) continue;
    if (person) {
      return fail(ErrorCode::forbidden, "the field {} came twice; expected it once",
                  options_.proxy_header);
    }
    person = std::string(trim(value));
  }
  if (!person) return std::nullopt;
  if (!options_.trusts(request.peer)) {
    return fail(ErrorCode::forbidden,
                "the field {} came from an address that is not a trusted proxy; expected none",
                options_.proxy_header);
  }
  if (person->empty()) return std::nullopt;
  if (!names_person(*person)) {
    return fail(ErrorCode::forbidden,
                "the field {} names nobody; expected up to {} visible characters, such as an "
                "e-mail address",
                options_.proxy_header, kLongestPerson);
  }
  // Proxies write a name as the person typed it. Lists of roles ignore case, so does the person.
  const std::string name = http::lower(*person);
  return Identity{.issuer = "proxy", .subject = name, .email = name};
}

bool SignIn::must_enrol(const http::Request& request) const {
  const auto person = named_by_proxy(request);
  if (!person || !*person) return false;
  const auto draft = draft_of(**person);
  if (!draft) return false;
  const auto known = hub_.vault().with_id(draft->id);
  return !known ||
         (!known->revoked && (known->role != draft->role || known->person != draft->person));
}

Result<void> SignIn::enrol_caller(const http::Request& request) {
  const auto person = TRY(named_by_proxy(request));
  if (person) TRY(hub_.vault().enrol(TRY(draft_of(*person)), hub_.now()));
  return {};
}

Result<std::optional<Token>> SignIn::caller(const http::Request& request) {
  std::optional<Token> token;
  if (const auto person = TRY(named_by_proxy(request))) {
    token = hub_.vault().with_id(TRY(draft_of(*person)).id);
    if (token && token->revoked) {
      return fail(ErrorCode::forbidden, "the access of {} was revoked; expected another person",
                  in_quotes(token->label));
    }
  }
  if (!token) token = in_session(request);
  if (token) TRY(check_site(request));
  return token;
}

std::optional<Token> SignIn::in_session(const http::Request& request) {
  if (!provider_) return std::nullopt;
  const auto secret = cookie_of(request, cookie_name("allot_session"));
  if (!secret) return std::nullopt;
  const std::string digest = digest_of(*secret);
  std::string id;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = sessions_.find(digest);
    if (found == sessions_.end()) return std::nullopt;
    if (found->second.until <= hub_.now()) {
      sessions_.erase(found);
      return std::nullopt;
    }
    id = found->second.token;
  }
  auto token = hub_.vault().with_id(id);
  return token && !token->revoked ? token : std::nullopt;
}

void SignIn::start(const std::string& to, const http::Reply& reply) {
  const std::string state = random_hex(kStateBytes), browser = random_hex(kCookieBytes);
  Pending pending{digest_of(browser), random_hex(kStateBytes), random_hex(kCookieBytes),
                  own_path(to), hub_.now() + kPendingTime};
  const OidcProvider::Request request{state, pending.nonce, pending.verifier};
  bool full = false;
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(pending_, [&](const auto& one) { return one.second.until <= hub_.now(); });
    full = pending_.size() >= kMostPending;
    if (!full) pending_.emplace(state, std::move(pending));
  }
  if (full) return reply(busy("too many people are signing in"));
  provider_->address_for(request, [this, browser, reply](const Result<std::string>& address) {
    if (!address) return reply(not_signed_in(address.error()));
    Response response = redirect(*address);
    response.fields.add("Set-Cookie", cookie(cookie_name("allot_sign_in"), browser, kPendingTime));
    reply(std::move(response));
  });
}

/// The browser must be the one that started, and a state counts once.
std::optional<SignIn::Pending> SignIn::take_pending(const http::Request& request,
                                                    const std::string& state) {
  const auto browser = cookie_of(request, cookie_name("allot_sign_in"));
  const std::scoped_lock lock(mutex_);
  const auto found = pending_.find(state);
  if (!browser || found == pending_.end() || found->second.until <= hub_.now() ||
      !same_secret(found->second.browser, digest_of(*browser))) {
    return std::nullopt;
  }
  Pending pending = std::move(found->second);
  pending_.erase(found);
  return pending;
}

void SignIn::finish(const http::Request& request, const Told& told, const http::Reply& reply) {
  const std::string state = query_of(request, "state"), code = query_of(request, "code");
  const auto pending = take_pending(request, state);
  if (!pending) {
    return reply(not_signed_in("late", "the sign-in is over, or began in another browser"));
  }
  if (code.empty()) {
    const std::string error = query_of(request, "error");
    return reply(not_signed_in(
        "refused",
        error.empty()
            ? "the provider sent no code"
            : fmt::format("the provider sent the error {}",
                          provider_error(error, query_of(request, "error_description")))));
  }
  const auto done = [this, to = pending->to, told, reply](const Result<Identity>& identity) {
    if (!identity) return reply(not_signed_in(identity.error()));
    told(name_of(*identity));
    const bool taken = hub_.work([this, identity = *identity, to, reply] {
      reply(guarded([&] { return welcome(identity, to); }));
    });
    if (!taken) reply(busy(kStopping));
  };
  provider_->redeem(code, {state, pending->nonce, pending->verifier}, done);
}

http::Response SignIn::welcome(const Identity& identity, const std::string& to) {
  const auto draft = draft_of(identity);
  if (!draft) return not_signed_in("no-role", "the person is in no list");
  // The owner of a campaign names them by it.
  if (draft->is_personal() && draft->person.empty()) {
    return not_signed_in("no-address", fmt::format("the provider tells no verified address of the "
                                                   "person, which a {} must have",
                                                   name(draft->role)));
  }
  const auto token = hub_.vault().enrol(*draft, hub_.now());
  if (!token) {
    return token.error().code == ErrorCode::forbidden
               ? not_signed_in("revoked", "the access of the person was revoked")
               : problem(token.error());
  }
  const std::string secret = random_hex(kCookieBytes);
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(sessions_, [&](const auto& one) { return one.second.until <= hub_.now(); });
    if (sessions_.size() >= kMostSessions) return busy("too many people are signed in");
    sessions_[digest_of(secret)] = {token->id, hub_.now() + options_.session_time};
  }
  Response response = redirect(to);
  response.fields.add("Set-Cookie",
                      cookie(cookie_name("allot_session"), secret, options_.session_time));
  response.fields.add("Set-Cookie",
                      cookie(cookie_name("allot_sign_in"), "", std::chrono::seconds(0)));
  return response;
}

http::Response SignIn::end(const http::Request& request) {
  if (const auto secret = cookie_of(request, cookie_name("allot_session"))) {
    const std::scoped_lock lock(mutex_);
    sessions_.erase(digest_of(*secret));
  }
  Response response{.status = 204};
  response.fields.add("Set-Cookie",
                      cookie(cookie_name("allot_session"), "", std::chrono::seconds(0)));
  return response;
}

}  // namespace allot::serve
