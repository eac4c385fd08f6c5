#include "serve/oidc_provider.hpp"

#include <boost/json/parse.hpp>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "http/url.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

namespace bj = boost::json;

constexpr std::chrono::hours kDocumentTime{1};
constexpr std::chrono::seconds kLeastKeyTime{10};

/// The members of a JSON object that are texts, by name; empty for all others.
class TextMembers {
 public:
  explicit TextMembers(std::string_view text) {
    boost::system::error_code wrong;
    value_ = bj::parse(text, wrong);
    if (wrong) value_ = nullptr;
  }
  std::string operator[](std::string_view name) const {
    const bj::value* const found =
        value_.is_object() ? value_.get_object().if_contains(name) : nullptr;
    return found != nullptr && found->is_string() ? std::string(found->as_string()) : "";
  }

 private:
  bj::value value_;
};

tl::unexpected<Error> provider_failed(std::string_view what) {
  return fail(ErrorCode::store_failure, "the sign-in provider {}; try again later", what);
}

/// The address of the discovery document, which has the issuer without a slash at its end.
std::string document_of(std::string issuer) {
  if (issuer.ends_with('/')) issuer.pop_back();
  return issuer + "/.well-known/openid-configuration";
}

}  // namespace

std::string provider_error(std::string_view error, std::string_view description) {
  constexpr std::size_t kMost = 200;
  std::string text = for_display(error, kMost);
  if (!description.empty()) text += ": " + for_display(description, kMost);
  return text;
}

Result<OidcEndpoints> read_endpoints(std::string_view json, const std::string& issuer) {
  const TextMembers document(json);
  OidcEndpoints found{document["authorization_endpoint"], document["token_endpoint"],
                      document["jwks_uri"]};
  const auto is_url = [](const std::string& text) { return http::parse_web_url(text).has_value(); };
  if (const std::string named = document["issuer"]; named != issuer) {
    return provider_failed(
        fmt::format("has a discovery document of issuer {}, which is not {} letter by letter",
                    in_quotes(for_display(named, 200)), in_quotes(issuer)));
  }
  if (!is_url(found.authorization) || !is_url(found.token) || !is_url(found.keys)) {
    return provider_failed("has no valid discovery document for this issuer");
  }
  return found;
}

std::string read_id_token(std::string_view json) { return TextMembers(json)["id_token"]; }

OidcProvider::OidcProvider(const SignInOptions& options, std::function<campaign::Time()> clock)
    : options_(options), clock_(std::move(clock)) {
  // The operator names the provider, which may well be in the same network.
  client_ = http::Client::start(
                {.largest_answer = 1 << 20, .private_addresses = true, .roots = options_.roots})
                .value();
}

OidcProvider::~OidcProvider() { client_->stop(std::chrono::milliseconds(0)); }

void OidcProvider::get(const std::string& url, const Then<std::string>& then) {
  http::Fields fields;
  fields.add("Accept", "application/json");
  client_->ask("GET", url, fields, "", [then](const Result<http::Client::Answer>& answer) {
    if (!answer) return then(provider_failed("cannot be reached (" + answer.error().message + ")"));
    if (answer->status != 200)
      return then(provider_failed(fmt::format("answered with status {}", answer->status)));
    then(answer->body);
  });
}

void OidcProvider::find_endpoints(const Then<Endpoints>& then) {
  {
    std::unique_lock lock(mutex_);
    if (endpoints_ && Clock::now() - endpoints_at_ < kDocumentTime) {
      const Endpoints known = *endpoints_;
      lock.unlock();
      return then(known);
    }
  }
  get(document_of(options_.issuer), [this, then](const Result<std::string>& text) {
    if (!text) return then(tl::unexpected(text.error()));
    const auto found = read_endpoints(*text, options_.issuer);
    if (found) {
      const std::scoped_lock lock(mutex_);
      endpoints_ = *found;
      endpoints_at_ = Clock::now();
    }
    then(found);
  });
}

void OidcProvider::find_keys(bool fresh, const Endpoints& endpoints, const Then<KeySet>& then) {
  {
    std::unique_lock lock(mutex_);
    const auto age = Clock::now() - keys_at_;
    if (keys_ && age < (fresh ? Clock::duration(kLeastKeyTime) : Clock::duration(kDocumentTime))) {
      const KeySet known = *keys_;
      lock.unlock();
      return then(known);
    }
    keys_at_ = Clock::now();
  }
  get(endpoints.keys, [this, then](const Result<std::string>& text) {
    auto keys = text.and_then([](const std::string& json) { return read_keys(json); });
    if (keys) {
      const std::scoped_lock lock(mutex_);
      keys_ = *keys;
    }
    then(std::move(keys));
  });
}

void OidcProvider::address_for(const Request& request,
                               const std::function<void(Result<std::string>)>& done) {
  find_endpoints([this, request, done](const Result<Endpoints>& endpoints) {
    if (!endpoints) return done(tl::unexpected(endpoints.error()));
    const std::string& base = endpoints->authorization;
    done(fmt::format(
        "{}{}response_type=code&scope=openid%20email%20profile&client_id={}"
        "&redirect_uri={}&state={}&nonce={}&code_challenge={}"
        "&code_challenge_method=S256",
        base, base.find('?') == std::string::npos ? '?' : '&', percent_encoded(options_.client),
        percent_encoded(return_address()), percent_encoded(request.state),
        percent_encoded(request.nonce), http::to_base64url(http::sha256(request.verifier))));
  });
}

void OidcProvider::check(const std::string& token, const Request& request,
                         const Endpoints& endpoints, bool fresh, const Then<Identity>& then) {
  find_keys(fresh, endpoints,
            [this, token, request, endpoints, fresh, then](const Result<KeySet>& keys) {
              if (!keys) return then(tl::unexpected(keys.error()));
              const auto id = key_id(token);
              if (!id) return then(tl::unexpected(id.error()));
              // The provider may have changed its keys since they were read.
              if (!fresh && !id->empty() && !keys->contains(*id))
                return check(token, request, endpoints, true, then);
              then(check_id_token(token, *keys,
                                  {.issuer = options_.issuer,
                                   .client = options_.client,
                                   .nonce = request.nonce,
                                   .group_claim = options_.group_claim},
                                  clock_()));
            });
}

void OidcProvider::redeem(const std::string& code, const Request& request,
                          const std::function<void(Result<Identity>)>& done) {
  find_endpoints([this, code, request, done](const Result<Endpoints>& endpoints) {
    if (!endpoints) return done(tl::unexpected(endpoints.error()));
    http::Fields fields;
    fields.add("Content-Type", "application/x-www-form-urlencoded");
    fields.add("Accept", "application/json");
    fields.add("Authorization", "Basic " + base64(percent_encoded(options_.client) + ":" +
                                                  percent_encoded(options_.client_secret)));
    const std::string form = fmt::format(
        "grant_type=authorization_code&code={}&redirect_uri={}&code_verifier={}&client_id={}",
        percent_encoded(code), percent_encoded(return_address()), percent_encoded(request.verifier),
        percent_encoded(options_.client));
    client_->ask(
        "POST", endpoints->token, fields, form,
        [this, request, endpoints = *endpoints, done](const Result<http::Client::Answer>& answer) {
          if (!answer) {
            return done(provider_failed("cannot be reached (" + answer.error().message + ")"));
          }
          if (answer->status != 200) {
            const TextMembers refusal(answer->body);
            return done(fail(
                ErrorCode::forbidden, "the sign-in provider refused the code with status {} ({})",
                answer->status, provider_error(refusal["error"], refusal["error_description"])));
          }
          const std::string token = read_id_token(answer->body);
          check(token, request, endpoints, false, done);
        });
  });
}

}  // namespace allot::serve
