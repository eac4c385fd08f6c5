#include "allot/campaign/recruiting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "base/try.hpp"

namespace allot::campaign {
namespace {

constexpr std::array<std::string_view, 5> kPlatforms{"prolific", "connect", "sona", "mturk",
                                                     "panel"};
constexpr std::array<std::string_view, 4> kOutcomes{"done", "screened-out", "no-work",
                                                    "incomplete"};

constexpr std::size_t kMostCaptured = 10, kLongestParameter = 64, kLongestCode = 100,
                      kLongestUrl = 2000, kLongestConsent = 64 << 10, kShortestSecret = 32;
constexpr std::uint32_t kMostLabels = 10'000, kMostTests = 1000, kMostArrivals = 1'000'000;

bool is_word(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !text.empty() && text.size() <= kLongestParameter && std::ranges::all_of(text, is_letter);
}

Result<void> check_parameters(const RecruitingTerms& terms) {
  std::vector<std::string> names = terms.capture;
  names.push_back(terms.id_parameter);
  if (!terms.session_parameter.empty()) names.push_back(terms.session_parameter);
  for (const std::string& one : names) {
    if (is_word(one)) continue;
    return invalid("the parameter {} is not a name; expected 1 to {} of A-Z, a-z, 0-9, '_' and '-'",
                   in_quotes(one), kLongestParameter);
  }
  if (terms.capture.size() > kMostCaptured) {
    return invalid("{} parameters to keep; expected at most {}", terms.capture.size(),
                   kMostCaptured);
  }
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return {};
  return invalid("the parameter {} comes twice; expected each once", in_quotes(*twice));
}

Result<void> check_codes(const CompletionCodes& codes) {
  for (const auto outcome : {SessionOutcome::done, SessionOutcome::screened_out,
                             SessionOutcome::no_work, SessionOutcome::incomplete}) {
    const std::string& code = codes.of(outcome);
    const bool is_visible = std::ranges::all_of(code, [](char c) { return c > ' ' && c < '\x7f'; });
    if (is_visible && !code.empty() && code.size() <= kLongestCode) continue;
    return invalid(
        "the code {} of the outcome '{}' makes no sense; expected 1 to {} visible "
        "ASCII characters",
        in_quotes(code), name(outcome), kLongestCode);
  }
  return {};
}

/// Only a browser on the same machine can reach such an address.
bool is_loopback(std::string_view url) {
  return url.starts_with("http://127.0.0.1:") || url.starts_with("http://localhost:");
}

Result<void> check_return(const std::string& url) {
  if (url.empty()) return {};
  const bool is_plain = std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f'; });
  if (is_plain && url.size() <= kLongestUrl && (url.starts_with("https://") || is_loopback(url))) {
    return {};
  }
  return invalid("the return address {} cannot be used; expected one that begins with https://",
                 in_quotes(for_display(url, 100)));
}

Result<void> check_range(std::string_view what, std::uint32_t value, std::uint32_t least,
                         std::uint32_t most) {
  if (value >= least && value <= most) return {};
  return invalid("{} {} is out of range; expected a whole number from {} to {}", what, value, least,
                 most);
}

void replace(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

std::string_view name(Platform platform) { return kPlatforms[static_cast<std::size_t>(platform)]; }

std::optional<Platform> platform_named(std::string_view name) {
  const auto known = std::ranges::find(kPlatforms, name);
  if (known == kPlatforms.end()) return std::nullopt;
  return static_cast<Platform>(known - kPlatforms.begin());
}

std::string_view name(SessionOutcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)];
}

std::uint32_t Qualification::needed() const {
  // A share such as 0.6 of 5 is a little more than 3 in floating point.
  return static_cast<std::uint32_t>(std::ceil(items * least_right - 1e-9));
}

const std::string& CompletionCodes::of(SessionOutcome outcome) const {
  if (outcome == SessionOutcome::done) return done;
  if (outcome == SessionOutcome::screened_out) return screened_out;
  return outcome == SessionOutcome::no_work || incomplete.empty() ? no_work : incomplete;
}

RecruitingTerms usual_terms(Platform platform) {
  RecruitingTerms terms{.platform = platform};
  switch (platform) {
    case Platform::prolific:
      terms.id_parameter = "PROLIFIC_PID";
      terms.session_parameter = "SESSION_ID";
      terms.capture = {"STUDY_ID"};
      terms.return_url = "https://app.prolific.com/submissions/complete?cc={code}";
      break;
    case Platform::connect:
      terms.id_parameter = "participantId";
      terms.session_parameter = "assignmentId";
      terms.capture = {"projectId"};
      break;
    case Platform::sona:
      terms.id_parameter = "id";
      break;
    case Platform::mturk:
      terms.id_parameter = "workerId";
      terms.session_parameter = "assignmentId";
      terms.capture = {"hitId", "turkSubmitTo"};
      break;
    case Platform::panel:
      terms.id_parameter = "id";
      terms.session_parameter = "session";
      break;
  }
  return terms;
}

Result<void> check(const RecruitingTerms& terms) {
  TRY(check_parameters(terms));
  TRY(check_codes(terms.codes));
  TRY(check_return(terms.return_url));
  TRY(check_range("the number of labels per session", terms.labels, 1, kMostLabels));
  TRY(check_range("the number of sessions per id", terms.sessions_per_id, 1, kMostLabels));
  TRY(check_range("the number of arrivals per minute", terms.arrivals_per_minute, 1,
                  kMostArrivals));
  TRY(check_range("the number of items of the qualification", terms.qualification.items, 0,
                  kMostTests));
  const double share = terms.qualification.least_right;
  if (!(share >= 0 && share <= 1)) {
    return invalid("the share of right answers {} is out of range; expected 0 to 1", share);
  }
  if (terms.consent.size() > kLongestConsent) {
    return invalid("the consent has {} bytes; expected at most {}", terms.consent.size(),
                   kLongestConsent);
  }
  if (terms.secret.size() >= kShortestSecret) return {};
  return invalid("the secret of the link has {} characters; expected at least {}",
                 terms.secret.size(), kShortestSecret);
}

std::string participant_name(Platform platform, std::string_view id) {
  return fmt::format("{}:{}", name(platform), id);
}

std::string study_url(const RecruitingTerms& terms, const std::string& page) {
  switch (terms.platform) {
    case Platform::connect:
    case Platform::mturk:
      return page;  // the platform appends its parameters
    case Platform::sona:
      return fmt::format("{}?{}=%SURVEY_CODE%", page, terms.id_parameter);
    case Platform::prolific:
    case Platform::panel:
      break;
  }
  std::vector<std::string> names{terms.id_parameter};
  if (!terms.session_parameter.empty()) names.push_back(terms.session_parameter);
  names.insert(names.end(), terms.capture.begin(), terms.capture.end());
  std::string url = page;
  for (const std::string& one : names) {
    url += url.size() == page.size() ? '?' : '&';
    url += terms.platform == Platform::prolific ? fmt::format("{0}={{{{%{0}%}}}}", one)
                                                : fmt::format("{0}={{{0}}}", one);
  }
  return url;
}

std::string return_url(const RecruitingTerms& terms, SessionOutcome outcome, std::string_view id,
                       std::string_view session) {
  std::string url = terms.return_url;
  replace(url, "{code}", percent_encoded(terms.codes.of(outcome)));
  replace(url, "{id}", percent_encoded(id));
  replace(url, "{session}", percent_encoded(session));
  return url;
}

}  // namespace allot::campaign
