// Arrivals of participants at a recruiting link: what the study is about, and joining it. Anyone
// may call these routes: who has the link has been invited.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/base/text.hpp"
#include "base/json_text.hpp"
#include "base/try.hpp"
#include "io/json_object.hpp"
#include "serve/admission.hpp"
#include "serve/arrival.hpp"
#include "serve/call.hpp"
#include "serve/problem.hpp"
#include "serve/schema.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

using campaign::Arrival;
using campaign::JoinedSession;
using campaign::Platform;
using campaign::RecruitingLink;
using campaign::RecruitingTerms;
using campaign::State;
using http::Response;

constexpr std::size_t kMostParameters = 50;
/// Parameter with the signature of an arrival.
constexpr std::string_view kSignature = "signature";

/// An unknown campaign and an unknown link look the same, so that neither can be searched for.
Response no_such_link() { return problem(404, "not_found", "there is no such recruiting link"); }

/// The terms of the link; nothing if there is none.
Result<std::optional<RecruitingTerms>> terms_of(const campaign::CampaignView& view,
                                                const std::string& link) {
  return view.read([&](const State& state) -> std::optional<RecruitingTerms> {
    const RecruitingLink* const found = state.sessions().find_link(link);
    return found == nullptr ? std::nullopt : std::optional(found->terms);
  });
}

/// Fields of an item without a known answer, as workers see them, to show before anybody joins.
Result<std::string> sample_json(const Page& page, OpenCampaign& open) {
  const auto first = TRY(open.read([](const State& state) -> std::optional<ItemId> {
    for (std::uint32_t i = 0; i < state.item_count(); ++i) {
      if (!state.items().gold(ItemId{i})) return ItemId{i};
    }
    return {};
  }));
  if (!first) return "null";
  const std::string fields = shown(page, TRY(open.view().content(*first)));
  return fields.empty() ? "{}" : fields;
}

/// Median seconds of the latest sessions of the link that were done; nothing while there are few.
/// Looks at the last sessions of the campaign only, since anyone may ask.
std::optional<std::uint64_t> usual_seconds(const campaign::SessionTable& table,
                                           const std::string& link) {
  constexpr std::size_t kFewestTimedSessions = 3, kMostTimedSessions = 50, kMostSessions = 500;
  const std::vector<campaign::Session>& all = table.sessions();
  std::vector<std::chrono::seconds> times;
  for (std::size_t n = 0; n < std::min(all.size(), kMostSessions); ++n) {
    const campaign::Session& one = all[all.size() - 1 - n];
    if (one.outcome != campaign::SessionOutcome::done || table.links()[one.link].id != link) {
      continue;
    }
    times.push_back(std::chrono::duration_cast<std::chrono::seconds>(one.last - one.joined));
    if (times.size() == kMostTimedSessions) break;
  }
  if (times.size() < kFewestTimedSessions) return {};
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, middle->count()));
}

/// Whether somebody new can join through the link.
bool takes_more(const State& state, const std::string& id) {
  const RecruitingLink& link = *state.sessions().find_link(id);
  const std::uint32_t most = link.terms.most_participants;
  return link.terms.open && !state.archived() && (most == 0 || link.participants < most);
}

Result<Response> describe(const Call& call, OpenCampaign& open) {
  const auto terms = TRY(terms_of(open.view(), call.param("link")));
  if (!terms) return no_such_link();
  const auto entry = call.hub().vault().campaign(call.campaign()).value_or(CampaignEntry{});
  const std::string sample =
      terms->platform == Platform::mturk ? TRY(sample_json(entry.shown(), open)) : "null";
  return open.read([&](const State& state) {
    const bool one_price = !state.items().any_price();
    return json_response(
        JsonObject()
            .text("name", entry.name)
            .text("platform", campaign::name(terms->platform))
            .text("id_parameter", terms->id_parameter)
            .text("session_parameter", terms->session_parameter)
            .list("capture", terms->capture, json_string)
            .list("classes", state.options().classes, json_string)
            .json("page", page_json(entry.shown().for_workers()))
            .text("consent", terms->consent)
            .flag("open", takes_more(state, call.param("link")))
            .whole("labels", terms->labels)
            .whole("qualification", terms->qualification.items)
            .money("price", one_price ? std::optional(state.options().price) : std::nullopt)
            .whole("seconds", usual_seconds(state.sessions(), call.param("link")))
            .json("sample", sample));
  });
}

Result<void> show_study(const CallPtr& call) {
  if (!call->hub().vault().campaign(call->campaign())) return call->send(no_such_link());
  return call->look([call](OpenCampaign& open) { return describe(*call, open); });
}

/// An arrival, from the parameters of the address that the page passes on.
Result<Arrival> read_arrival(const RecruitingTerms& terms, const std::string& link,
                             const campaign::SessionParameters& given) {
  const auto value = [&](const std::string& name) {
    const auto found = given.find(name);
    return found == given.end() ? std::string() : found->second;
  };
  Arrival arrival{link, value(terms.id_parameter), value(terms.session_parameter)};
  if (arrival.id.empty()) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the parameter {} is missing; expected the address as the platform "
                            "gives it",
                            in_quotes(terms.id_parameter)));
  }
  if (terms.signed_arrivals &&
      !same_secret(value(std::string(kSignature)),
                   arrival_signature(signing_key(terms), arrival.id, arrival.session))) {
    return fail(ErrorCode::forbidden, "the signature of the arrival is missing or wrong");
  }
  for (const std::string& name : terms.capture) {
    if (given.contains(name)) arrival.parameters[name] = value(name);
  }
  return arrival;
}

/// Refuses an address from which too many come.
std::optional<Response> check_arrivals(const Call& call, const RecruitingTerms& terms) {
  const double burst = terms.arrivals_per_minute;
  const double seconds =
      call.service.arrivals().take(call.param("link") + " " + call.client(),
                                   std::chrono::steady_clock::now(), burst / 60, burst);
  if (seconds <= 0) return std::nullopt;
  return too_many_requests("too many people arrive from this network; try again in a minute",
                           seconds);
}

Result<Response> admit(const Call& call, OpenBatch& batch,
                       const campaign::SessionParameters& given) {
  const std::string& link = call.param("link");
  const auto terms = TRY(terms_of(batch.view(), link));
  if (!terms) return no_such_link();
  if (auto refused = check_arrivals(call, *terms)) return *std::move(refused);
  const Arrival arrival = TRY(read_arrival(*terms, link, given));
  const JoinedSession joined = TRY(batch->join(arrival, call.now()));
  const auto credential = TRY(call.hub().vault().admit(
      {.role = Role::participant, .campaign = call.campaign(), .person = joined.worker},
      session_secret(*terms, joined), call.now()));
  return json_response(JsonObject()
                           .text("token", credential.text)
                           .text("campaign", call.campaign())
                           .flag("back", joined.back));
}

Result<void> join_study(const CallPtr& call) {
  Body body = Body::parse(call->request.body);
  if (!body.flag("agree")) {
    body.refuse("agree is missing; expected true, once the participant has agreed");
  }
  campaign::SessionParameters given;
  if (auto parameters = body.object("parameters")) {
    const auto names = parameters->members();
    if (names.size() > kMostParameters) {
      body.refuse(fmt::format("parameters has {} members; expected at most {}", names.size(),
                              kMostParameters),
                  ErrorCode::too_large);
    } else {
      for (const std::string& name : names) {
        given[name] = parameters->text_if(name).value_or("");
      }
      static_cast<void>(parameters->done());
    }
  }
  TRY(body.done());
  if (!call->hub().vault().campaign(call->campaign())) return call->send(no_such_link());
  return call->command([call, given](OpenBatch& batch) { return admit(*call, batch, given); });
}

}  // namespace

void add_arrival_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup anyone(routes, "/api/v1/join/{campaign}/{link}", Access::anyone);
  anyone.add(get, "", "show_study", show_study,
             "Read what a recruiting link is about, before joining",
             object({{"name", text()},
                     {"platform", text()},
                     {"id_parameter", text()},
                     {"session_parameter", text()},
                     {"capture", list(text())},
                     {"classes", list(text())},
                     {"page", ref("Page")},
                     {"consent", text("Markdown")},
                     {"open", flag("Whether new participants can join")},
                     {"labels", whole("Labels per session")},
                     {"qualification", whole("Known items that come first")},
                     {"price", or_null(money("Per label; null if items have their own prices"))},
                     {"seconds", or_null(whole("Median of the latest sessions that were done"))},
                     {"sample", or_null(anything("Fields of an item, where the platform has a "
                                                 "preview"))}}));
  anyone.add(post, "", "join_study", join_study,
             "Join through a recruiting link: the same id is the same worker, and gets the same "
             "token",
             object({{"token", text("Good for this participant's session")},
                     {"campaign", text()},
                     {"back", flag("Whether the participant had joined before")}}),
             {.request = object({{"agree", flag("The participant agrees to take part")},
                                 maybe("parameters", table(text(), "Of the page's address"))})});
}

}  // namespace allot::serve
