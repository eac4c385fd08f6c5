#include "serve/arrival.hpp"

#include <fmt/format.h>

#include "serve/secret.hpp"

namespace allot::serve {

using campaign::RecruitingTerms;

std::string signing_key(const RecruitingTerms& terms) {
  return hex(authentication_code(terms.secret, "arrivals"));
}

std::string arrival_signature(std::string_view signing_key, std::string_view id,
                              std::string_view session) {
  return hex(authentication_code(signing_key, fmt::format("{}\n{}", id, session)));
}

std::string session_secret(const RecruitingTerms& terms, const campaign::JoinedSession& session) {
  return hex(authentication_code(terms.secret,
                                 fmt::format("session {} of {}", session.session, session.worker)));
}

}  // namespace allot::serve
