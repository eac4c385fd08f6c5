#include "serve/session_reply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "serve/json.hpp"
#include "serve/schema.hpp"

namespace allot::serve {
namespace {

using campaign::Platform;
using campaign::RecruitingTerms;
using campaign::Session;

/// The only hosts that take a finished assignment of MTurk.
constexpr std::array<std::string_view, 2> kTurkHosts{"https://www.mturk.com",
                                                     "https://workersandbox.mturk.com"};

/// The form that MTurk expects at the end; null for other platforms.
std::string form_json(const RecruitingTerms& terms, const Session& session) {
  if (terms.platform != Platform::mturk) return "null";
  const auto given = session.parameters.find("turkSubmitTo");
  const auto host = given == session.parameters.end()
                        ? kTurkHosts.end()
                        : std::ranges::find(kTurkHosts, given->second);
  if (host == kTurkHosts.end()) return "null";
  return JsonObject()
      .text("action", fmt::format("{}/mturk/externalSubmit", *host))
      .json("fields", JsonObject()
                          .text("assignmentId", session.name)
                          .text("code", terms.codes.of(*session.outcome))
                          .text("labels", fmt::format("{}", session.labels)));
}

}  // namespace

std::string session_json(const campaign::State& state, std::string_view worker) {
  const auto who = state.find_worker(worker);
  const Session* const session = who ? state.sessions().last(*who) : nullptr;
  if (session == nullptr) return "null";
  const RecruitingTerms& terms = state.sessions().terms(*session);
  JsonObject reply;
  reply.whole("labels", session->labels).whole("of", terms.labels);
  reply.whole("skipped", session->skipped.size());
  const bool tries = state.sessions().standing(*who) == campaign::Admission::trying;
  reply.json("qualification", tries
                                  ? std::string(JsonObject()
                                                    .whole("tried", session->tried)
                                                    .whole("of", terms.qualification.items)
                                                    .flag("feedback", terms.qualification.feedback))
                                  : "null");
  if (!session->outcome) return reply.json("end", "null");
  const std::string id(worker.substr(worker.find(':') + 1));
  return reply.json(
      "end", JsonObject()
                 .text("outcome", campaign::name(*session->outcome))
                 .text("code", terms.codes.of(*session->outcome))
                 .text_or_null("return_url",
                               campaign::return_url(terms, *session->outcome, id, session->name))
                 .json("form", form_json(terms, *session)));
}

std::string session_schema() {
  using namespace schema;
  return or_null(object(
      {{"labels", whole("Labels given in the session, without the qualification")},
       {"of", whole("Labels of a whole session")},
       {"skipped", whole("Items that were skipped in the session")},
       {"qualification",
        or_null(object({{"tried", whole()}, {"of", whole()}, {"feedback", flag()}}))},
       {"end", or_null(object({{"outcome", word({"done", "screened-out", "no-work", "incomplete"})},
                               {"code", text("What the participant takes back")},
                               {"return_url", or_null(text())},
                               {"form", or_null(object({{"action", text()},
                                                        {"fields", table(text())}}))}}))}}));
}

}  // namespace allot::serve
