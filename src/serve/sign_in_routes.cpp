// Routes of signing in and out.
#include "base/try.hpp"
#include "serve/admission.hpp"
#include "serve/call.hpp"
#include "serve/problem.hpp"
#include "serve/schema.hpp"
#include "serve/sign_in.hpp"

namespace allot::serve {
namespace {

/// Sign-ins that may begin from one network address: so many at once, and per second later.
constexpr double kMostAtOnce = 60, kPerSecond = 1;

Result<SignIn*> provider_of(const Call& call) {
  if (call.service.sign_in().has_provider()) return &call.service.sign_in();
  return fail(ErrorCode::not_found,
              "this server has no sign-in provider; expected a token instead");
}

Result<void> start_sign_in(const CallPtr& call) {
  SignIn* const provider = TRY(provider_of(*call));
  const double seconds = call->service.arrivals().take(
      "sign-in " + call->client(), std::chrono::steady_clock::now(), kPerSecond, kMostAtOnce);
  if (seconds > 0) {
    return call->send(too_many_requests(
        "too many people sign in from this network; try again in a minute", seconds));
  }
  provider->start(call->query("to").value_or("/"), call->reply);
  return {};
}

Result<void> finish_sign_in(const CallPtr& call) {
  SignIn* const provider = TRY(provider_of(*call));
  const auto told = [call](const std::string& person) { call->trace->person = person; };
  provider->finish(call->request, told, call->reply);
  return {};
}

Result<void> sign_in_state(const CallPtr& call) {
  SignIn& sign_in = call->service.sign_in();
  const auto token = TRY(sign_in.caller(call->request));
  return call->send(json_response(
      JsonObject()
          .flag("accounts", call->service.options().sign_in.has_accounts())
          .text_or_null("provider", sign_in.has_provider() ? sign_in.provider_name() : "")
          .text_or_null("person", token ? token->label : "")
          .text_or_null("role", token ? name(token->role) : "")));
}

Result<void> sign_out(const CallPtr& call) {
  TRY(call->service.sign_in().caller(call->request));
  return call->send(call->service.sign_in().end(call->request));
}

}  // namespace

void add_sign_in_routes(std::vector<Route>& routes) {
  using namespace schema;
  using enum http::Method;
  RouteGroup anyone(routes, "", Access::anyone);
  const RouteTraits html{.produces = "text/html; charset=utf-8", .page = true};
  anyone.add(get, "/sign-in", "page_sign_in", start_sign_in, "Page: go to the sign-in provider",
             text(), html);
  anyone.add(get, "/sign-in/return", "page_sign_in_return", finish_sign_in,
             "Page: come back from the sign-in provider", text(), html);
  anyone.add(get, "/api/v1/sign-in", "sign_in_state", sign_in_state,
             "Read how people sign in, and who has signed in by a session or a proxy",
             object({{"accounts", flag("Whether people can sign in with accounts")},
                     {"provider", or_null(text("Name of the sign-in provider"))},
                     {"person", or_null(text("Who has signed in"))},
                     {"role", or_null(text())}}));
  anyone.add(post, "/api/v1/sign-out", "sign_out", sign_out, "End the session of this browser", "",
             {.success = 204});
}

}  // namespace allot::serve
