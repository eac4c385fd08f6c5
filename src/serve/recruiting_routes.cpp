// Recruiting links and the sessions of their participants, for the owner of a campaign.
#include <fmt/format.h>

#include <array>

#include "allot/base/text.hpp"
#include "base/json_text.hpp"
#include "base/try.hpp"
#include "io/json_object.hpp"
#include "serve/arrival.hpp"
#include "serve/openapi.hpp"
#include "serve/problem.hpp"
#include "serve/replies.hpp"
#include "serve/schema.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

using campaign::Platform;
using campaign::RecruitingLink;
using campaign::RecruitingTerms;
using campaign::Session;
using campaign::SessionOutcome;
using campaign::State;
using http::Response;

constexpr std::size_t kLinkBytes = 12, kRecruitingSecretBytes = 32, kMostCaptured = 10;
constexpr std::size_t kLongestConsent = 64 << 10, kLongestReturnUrl = 2000;
constexpr std::uint64_t kMostNumber = 1'000'000;

void read_qualification(Body body, campaign::Qualification& qualification) {
  const auto number = [&](std::string_view name, std::uint32_t now) {
    return static_cast<std::uint32_t>(body.whole(name, now, 0, kMostNumber));
  };
  qualification.items = number("items", qualification.items);
  if (const auto share = body.scalar_if("least_right")) {
    const auto value = parse_number(*share);
    if (!value) {
      body.refuse(fmt::format("qualification.least_right {} is not a number; expected 0 to 1",
                              in_quotes(*share)));
    }
    qualification.least_right = value.value_or(0);
  }
  if (body.has("feedback")) qualification.feedback = body.flag("feedback");
  static_cast<void>(body.done());
}

void read_codes(Body body, campaign::CompletionCodes& codes) {
  const auto take = [&](std::string_view name, std::string& code) {
    if (auto given = body.text_if(name)) code = *std::move(given);
  };
  take("done", codes.done);
  take("screened_out", codes.screened_out);
  take("no_work", codes.no_work);
  take("incomplete", codes.incomplete);
  static_cast<void>(body.done());
}

/// Reads the members of `body` but for the platform; missing ones stay as they are.
RecruitingTerms read_terms(Body& body, RecruitingTerms terms) {
  const auto text = [&](std::string_view name, std::string& value, std::size_t longest) {
    if (auto given = body.text_if(name, longest)) value = *std::move(given);
  };
  const auto number = [&](std::string_view name, std::uint32_t& value) {
    value = static_cast<std::uint32_t>(body.whole(name, value, 0, kMostNumber));
  };
  const auto flag = [&](std::string_view name, bool& value) {
    const bool given = body.flag(name);
    if (body.has(name)) value = given;
  };
  text("id_parameter", terms.id_parameter, kLongestName);
  text("session_parameter", terms.session_parameter, kLongestName);
  auto capture = body.texts("capture", kMostCaptured);
  if (body.has("capture")) terms.capture = std::move(capture);
  number("labels", terms.labels);
  number("most_participants", terms.most_participants);
  number("sessions_per_id", terms.sessions_per_id);
  number("arrivals_per_minute", terms.arrivals_per_minute);
  if (auto codes = body.object("codes")) read_codes(*std::move(codes), terms.codes);
  text("return_url", terms.return_url, kLongestReturnUrl);
  text("consent", terms.consent, kLongestConsent);
  if (auto own = body.object("qualification")) {
    read_qualification(*std::move(own), terms.qualification);
  }
  flag("signed_arrivals", terms.signed_arrivals);
  flag("open", terms.open);
  return terms;
}

/// Codes that nobody can guess, for outcomes to which the caller gave none.
void fill_codes(campaign::CompletionCodes& codes) {
  for (std::string* const code :
       {&codes.done, &codes.screened_out, &codes.no_work, &codes.incomplete}) {
    if (code->empty()) *code = random_hex(5);
  }
}

std::string terms_json(const RecruitingTerms& terms) {
  return JsonObject()
      .text("platform", campaign::name(terms.platform))
      .text("id_parameter", terms.id_parameter)
      .text("session_parameter", terms.session_parameter)
      .list("capture", terms.capture, json_string)
      .whole("labels", terms.labels)
      .whole("most_participants", terms.most_participants)
      .whole("sessions_per_id", terms.sessions_per_id)
      .whole("arrivals_per_minute", terms.arrivals_per_minute)
      .json("codes", JsonObject()
                         .text("done", terms.codes.done)
                         .text("screened_out", terms.codes.screened_out)
                         .text("no_work", terms.codes.no_work)
                         .text("incomplete", terms.codes.of(SessionOutcome::incomplete)))
      .text("return_url", terms.return_url)
      .text("consent", terms.consent)
      .json("qualification", JsonObject()
                                 .whole("items", terms.qualification.items)
                                 .number("least_right", terms.qualification.least_right)
                                 .flag("feedback", terms.qualification.feedback))
      .flag("signed_arrivals", terms.signed_arrivals)
      .flag("open", terms.open);
}

/// Sums over the sessions that came through a link.
struct LinkSums {
  std::uint64_t labels = 0, open = 0;
  std::array<std::uint64_t, 4> by_outcome{};
  Money owed = {};

  LinkSums(const State& state, const RecruitingLink& link) {
    for (const Session& one : state.sessions().sessions()) {
      if (state.sessions().links()[one.link].id != link.id) continue;
      labels += one.labels;
      owed += one.earned;
      ++(one.outcome ? by_outcome[static_cast<std::size_t>(*one.outcome)] : open);
    }
  }
};

std::string link_json(const Call& call, const State& state, const RecruitingLink& link) {
  const LinkSums sums(state, link);
  const std::string page = fmt::format("/join/{}/{}", call.campaign(), link.id);
  return JsonObject()
      .text("id", link.id)
      .time("created", link.created)
      .text("page", page)
      .text("study_path", campaign::study_url(link.terms, page))
      .text("signing_key", signing_key(link.terms))
      .json("terms", terms_json(link.terms))
      .whole("participants", link.participants)
      .json("sessions", JsonObject()
                            .whole("open", sums.open)
                            .whole("done", sums.by_outcome[0])
                            .whole("screened_out", sums.by_outcome[1])
                            .whole("no_work", sums.by_outcome[2])
                            .whole("incomplete", sums.by_outcome[3]))
      .whole("labels", sums.labels)
      .money("owed", pays_money(call, state) ? std::optional(sums.owed) : std::nullopt);
}

Result<Response> set_terms(const Call& call, OpenBatch& batch, const std::string& link,
                           const RecruitingTerms& terms, int status) {
  TRY(batch->set_recruiting(link, terms, call.now()));
  return batch.read([&](const State& state) {
    return json_response(link_json(call, state, *state.sessions().find_link(link)), status);
  });
}

Result<void> make_recruiting_link(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  const std::string named = body.text("platform");
  const auto platform = campaign::platform_named(named);
  if (!named.empty() && !platform) {
    body.refuse(fmt::format("unknown platform {}; expected prolific, connect, sona, mturk or panel",
                            in_quotes(named)));
  }
  RecruitingTerms terms =
      read_terms(body, campaign::usual_terms(platform.value_or(Platform::panel)));
  TRY(body.done());
  fill_codes(terms.codes);
  terms.secret = random_hex(kRecruitingSecretBytes);
  return call->command(
      [call, terms, link = random_hex(kLinkBytes)](OpenBatch& batch) -> Result<Response> {
        return set_terms(*call, batch, link, terms, 201);
      });
}

Result<void> change_link(const CallPtr& call) {
  return call->command([call](OpenBatch& batch) -> Result<Response> {
    const std::string& id = call->param("link");
    const auto before = TRY(batch.read([&](const State& state) -> std::optional<RecruitingTerms> {
      const RecruitingLink* const link = state.sessions().find_link(id);
      return link == nullptr ? std::nullopt : std::optional(link->terms);
    }));
    if (!before) {
      return fail(ErrorCode::not_found,
                  fmt::format("there is no recruiting link {}", in_quotes(id)));
    }
    Body body = Body::parse(call->request.body);
    const RecruitingTerms terms = read_terms(body, *before);
    TRY(body.done());
    return set_terms(*call, batch, id, terms, 200);
  });
}

Result<void> list_links(const CallPtr& call) {
  return call->report([call](OpenCampaign& open) -> Result<Response> {
    return open.read([&](const State& state) {
      const auto json = [&](const RecruitingLink& link) { return link_json(*call, state, link); };
      return json_response(JsonObject().list("links", state.sessions().links(), json));
    });
  });
}

std::string row_json(const campaign::SessionRow& row, bool is_paid) {
  const Session& session = row.session;
  JsonObject parameters;
  for (const auto& [name, value] : session.parameters) parameters.text(name, value);
  return JsonObject()
      .text("link", row.link)
      .text("worker", row.worker)
      .text("id", row.id)
      .text("session", session.name)
      .text("outcome", session.outcome ? campaign::name(*session.outcome) : "open")
      .time("joined", session.joined)
      .whole("seconds", static_cast<std::uint64_t>(row.seconds.count()))
      .whole("labels", session.labels)
      .whole("skipped", session.skipped.size())
      .whole("qualification", session.tried)
      .whole("known", session.known.size())
      .whole("known_right", row.known_right)
      .money("owed", is_paid ? std::optional(session.earned) : std::nullopt)
      .json("parameters", parameters);
}

/// The latest sessions come first; the cursor is the number of rows before the page.
Result<void> list_sessions(const CallPtr& call) {
  const std::uint64_t limit = TRY(call->limit());
  const std::uint64_t from = TRY(call->whole("cursor", 0, 0, UINT32_MAX));
  return call->report([call, limit, from](OpenCampaign& open) -> Result<Response> {
    const bool is_paid =
        TRY(open.read([&](const State& state) { return pays_money(*call, state); }));
    const auto all = TRY(open.view().sessions());
    JsonList rows;
    std::uint64_t at = from;
    for (; at < all.size() && at < from + limit; ++at)
      rows.json(row_json(all[all.size() - 1 - at], is_paid));
    return json_response(JsonObject()
                             .json("sessions", rows)
                             .text_or_null("next", at < all.size() ? fmt::format("{}", at) : ""));
  });
}

std::string platform_schema() {
  return schema::word({"prolific", "connect", "sona", "mturk", "panel"});
}

/// Members of a request, all of them optional.
std::vector<schema::Member> term_members() {
  using namespace schema;
  return {maybe("id_parameter", text("Parameter of the address with the participant's id")),
          maybe("session_parameter", text("Parameter with the platform's id of the session")),
          maybe("capture", list(text(), "More parameters to keep, at most 10")),
          maybe("labels", whole_from(1, 10'000, "Per session, without the qualification")),
          maybe("most_participants", whole_from(0, kMostNumber, "0 for any number")),
          maybe("sessions_per_id", whole_from(1, 10'000)),
          maybe("arrivals_per_minute", whole_from(1, kMostNumber, "From one network address")),
          maybe("codes", object({maybe("done", text()), maybe("screened_out", text()),
                                 maybe("no_work", text()), maybe("incomplete", text())})),
          maybe("return_url", text("With {code}, {id} and {session}; https only")),
          maybe("consent", text("Markdown, at most 64 KB")),
          maybe("qualification",
                object({maybe("items", whole_from(0, 1000, "Known items that come first")),
                        maybe("least_right", scalar("Share that passes; default: 0.8")),
                        maybe("feedback", flag("Show the right answer after each item"))})),
          maybe("signed_arrivals", flag("Refuse arrivals without a signature")),
          maybe("open", flag("Whether new participants may join"))};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> recruiting_components() {
  using namespace schema;
  const std::string terms =
      object({{"platform", platform_schema()},
              {"id_parameter", text()},
              {"session_parameter", text()},
              {"capture", list(text())},
              {"labels", whole()},
              {"most_participants", whole()},
              {"sessions_per_id", whole()},
              {"arrivals_per_minute", whole()},
              {"codes", object({{"done", text()},
                                {"screened_out", text()},
                                {"no_work", text()},
                                {"incomplete", text()}})},
              {"return_url", text()},
              {"consent", text()},
              {"qualification",
               object({{"items", whole()}, {"least_right", share()}, {"feedback", flag()}})},
              {"signed_arrivals", flag()},
              {"open", flag()}});
  return {{"RecruitingLink",
           object({{"id", text()},
                   {"created", time()},
                   {"page", text("Path of the participants' page")},
                   {"study_path", text("The same with the platform's placeholders")},
                   {"signing_key", text("Key of HMAC-SHA256 over ID, a line feed and SESSION")},
                   {"terms", terms},
                   {"participants", whole()},
                   {"sessions", object({{"open", whole()},
                                        {"done", whole()},
                                        {"screened_out", whole()},
                                        {"no_work", whole()},
                                        {"incomplete", whole()}})},
                   {"labels", whole()},
                   {"owed", or_null(money("Price of all labels, the qualification's too; null if "
                                          "labels have no price in money"))}})},
          {"Session",
           object({{"link", text()},
                   {"worker", text()},
                   {"id", text("At the platform")},
                   {"session", text("The platform's id of the session")},
                   {"outcome", word({"open", "done", "screened-out", "no-work", "incomplete"})},
                   {"joined", time()},
                   {"seconds", whole("To its end, or to its last label")},
                   {"labels", whole()},
                   {"skipped", whole("Items that were skipped")},
                   {"qualification", whole("Items of the qualification tried")},
                   {"known", whole("Labels of items with a known answer")},
                   {"known_right", whole()},
                   {"owed", or_null(money())},
                   {"parameters", table(text())}})}};
}

void add_recruiting_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup owner(routes, kCampaignPath, Access::owner);
  std::vector<Member> wanted = term_members();
  owner.add(patch, "/recruiting/{link}", "change_recruiting", change_link,
            "Change the terms of a recruiting link, or close it to new participants",
            ref("RecruitingLink"), {.request = object(wanted)});
  wanted.insert(wanted.begin(), Member{"platform", platform_schema()});
  owner.add(post, "/recruiting", "make_recruiting", make_recruiting_link,
            "Create a recruiting link: one address for all participants of a platform",
            ref("RecruitingLink"), {.request = object(wanted), .success = 201});
  owner.add(get, "/recruiting", "list_recruiting", list_links,
            "List recruiting links with what came of them",
            object({{"links", list(ref("RecruitingLink"))}}), {.tagged = true});
  owner.add(get, "/sessions", "list_sessions", list_sessions,
            "List the sessions of participants, the latest first",
            page_schema("sessions", "Session"),
            {.query = {{"limit", whole_from(1, Call::kMostRows), "Rows per page; default: 100"},
                       {"cursor", whole_from(0, UINT32_MAX), "The `next` of the previous page"}},
             .tagged = true});
}

}  // namespace allot::serve
