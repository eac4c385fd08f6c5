// Recruiting links: one address through which people from a platform join a campaign.
//
// A platform (Prolific, MTurk, any panel) sends its participants to the link with their id in the
// address. The same id is the same worker, on any device. A participant works in sessions of a few
// labels each, and every session ends with a code that tells the platform what to pay for. A link
// can begin with a qualification: items with known answers, and a share that must be right.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::campaign {

/// Where participants come from.
enum class Platform : std::uint8_t {
  prolific,  ///< Prolific
  connect,   ///< CloudResearch Connect
  sona,      ///< SONA
  mturk,     ///< Amazon Mechanical Turk, in its frame
  panel      ///< any other, by the names of its parameters
};
/// Name of the platform in options and reports, such as "prolific".
std::string_view name(Platform platform);
/// The platform with that name; nothing for another word.
std::optional<Platform> platform_named(std::string_view name);

/// How a session ends. Each outcome has a code of its own.
enum class SessionOutcome : std::uint8_t {
  done,          ///< all labels of the session are given
  screened_out,  ///< too few answers of the qualification are right
  no_work,       ///< nothing is left to ask, or the budget is spent; the participant is still paid
  incomplete     ///< the participant skipped the rest, or left it for another session
};
/// Name of the outcome in reports, such as "screened-out".
std::string_view name(SessionOutcome outcome);

/// Items with known answers that a participant labels first. Until it is passed, the labels teach
/// the campaign nothing; after it is failed, they never do.
struct Qualification {
  std::uint32_t items = 0;   ///< their number; 0 for no qualification
  double least_right = 0.8;  ///< share of right answers that passes; from 0 to 1
  bool feedback = false;     ///< whether participants learn the right answer after each item

  /// Right answers that pass.
  std::uint32_t needed() const;
  bool operator==(const Qualification&) const = default;
};

/// Codes that a participant takes back to the platform.
struct CompletionCodes {
  std::string done,  ///< after a whole session
      screened_out,  ///< after a failed qualification
      no_work,       ///< if there was nothing to do
      incomplete;    ///< after a session that is not complete; if empty, `no_work` takes its place
  /// The code of that outcome.
  const std::string& of(SessionOutcome outcome) const;
  bool operator==(const CompletionCodes&) const = default;
};

/// The terms of a recruiting link.
struct RecruitingTerms {
  Platform platform = Platform::prolific;  ///< where participants come from; it stays
  /// Parameter of the address that holds the participant's id.
  std::string id_parameter = {};
  /// Parameter that holds the platform's own id of the session; can be empty.
  std::string session_parameter = {};
  std::vector<std::string> capture = {};   ///< more parameters to keep, at most 10
  std::uint32_t labels = 20;               ///< labels per session, without the qualification
  std::uint32_t most_participants = 0;     ///< 0 for any number
  std::uint32_t sessions_per_id = 1;       ///< sessions of one participant, at least 1
  std::uint32_t arrivals_per_minute = 60;  ///< from one network address, at least 1
  CompletionCodes codes = {};              ///< what participants take back
  /// Address to return to, with {code}, {id} and {session}; empty if people paste the code.
  std::string return_url = {};
  std::string consent = {};          ///< Markdown that participants agree to; may be empty
  Qualification qualification = {};  ///< comes before all other items
  /// Key of the signatures of arrivals, and of the credentials of sessions. Never exported.
  std::string secret = {};
  bool signed_arrivals = false;  ///< whether arrivals without a signature are refused
  bool open = true;              ///< whether new participants may join

  bool operator==(const RecruitingTerms&) const = default;
};

/// The parameters that the platform is known to send. Other terms are the usual ones.
RecruitingTerms usual_terms(Platform platform);
/// Refuses terms that make no link, naming the value and what is expected.
Result<void> check(const RecruitingTerms& terms);

/// The name under which a participant works: "prolific:5f3...".
std::string participant_name(Platform platform, std::string_view id);

/// The address for the platform, from the address of the page, with the platform's placeholders.
std::string study_url(const RecruitingTerms& terms, const std::string& page);
/// The return address after that outcome; empty if there is none.
std::string return_url(const RecruitingTerms& terms, SessionOutcome outcome, std::string_view id,
                       std::string_view session);

}  // namespace allot::campaign
