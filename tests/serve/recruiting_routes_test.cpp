// Recruiting links: how owners make them, how participants arrive, and what neither learns.
#include <gtest/gtest.h>

#include "serve/arrival.hpp"
#include "serve/campaign_fixture.hpp"

namespace allot::test::recruiting_routes_test {
namespace {

constexpr const char* kInEuros = R"(, "page": {"currency": "EUR"})";

class RecruitingApi : public testing::Test {
 protected:
  TestApi api;
  std::string path = measured(api, 12, kInEuros);  // i0 and i1 are gold: yes and no
  std::string id = path.substr(path.rfind('/') + 1);

  json::value make(const std::string& more = "", const std::string& platform = "prolific",
                   int labels = 2) {
    const ApiResponse made = api.post(
        path + "/recruiting", api.requester,
        R"({"platform": ")" + platform + R"(", "labels": )" + std::to_string(labels) + more + "}");
    EXPECT_EQ(made.status, 201) << made.body;
    return made.json();
  }
  ApiResponse arrive(const json::value& link, const std::string& parameters) {
    return api.post("/api/v1/join/" + id + "/" + text_of(link.at("id")), "",
                    R"({"agree": true, "parameters": {)" + parameters + "}}");
  }
  std::string token_of(const json::value& link, const std::string& participant,
                       const std::string& session = "s1") {
    const ApiResponse joined =
        arrive(link, R"("PROLIFIC_PID": ")" + participant +
                         R"(", "STUDY_ID": "st", "SESSION_ID": ")" + session + "\"");
    EXPECT_EQ(joined.status, 200) << joined.body;
    return joined.status == 200 ? joined.text("token") : "";
  }
  /// Answers one item; the reply.
  ApiResponse work(const std::string& token, const char* label = "yes") {
    api.now += 2'000'000;
    ApiResponse asked = api.post(path + "/assignments", token);
    if (asked.json().at("assignments").as_array().empty()) return asked;
    return api.post(path + "/labels", token, body({{"item", first_item(asked)}, {"label", label}}));
  }
  json::value session(const std::string& token) {
    return api.get("/api/v1/me", token).json().at("campaign").at("session");
  }
};

TEST_F(RecruitingApi, MakesALinkForEachPlatform) {
  const json::value link = make();
  const std::string page = "/join/" + id + "/" + text_of(link.at("id"));
  EXPECT_EQ(text_of(link.at("page")), page);
  EXPECT_EQ(text_of(link.at("study_path")),
            page +
                "?PROLIFIC_PID={{%PROLIFIC_PID%}}&SESSION_ID={{%SESSION_ID%}}&"
                "STUDY_ID={{%STUDY_ID%}}");
  EXPECT_EQ(text_of(link.at("id")).size(), 24U) << "96 random bits";
  const json::value& codes = link.at("terms").at("codes");
  EXPECT_EQ(text_of(codes.at("done")).size(), 10U) << "codes are made if none are given";
  EXPECT_NE(codes.at("done"), codes.at("no_work"));
  EXPECT_EQ(link.at("terms").as_object().if_contains("secret"), nullptr);
  for (const std::string platform : {"connect", "sona", "mturk", "panel"}) {
    EXPECT_EQ(text_of(make("", platform).at("terms").at("platform")), platform);
  }
  const json::value panel = make(R"(, "id_parameter": "PID", "session_parameter": "")", "panel");
  EXPECT_NE(text_of(panel.at("study_path")).find("?PID={PID}"), std::string::npos);
  EXPECT_EQ(count_of(api.get(path + "/recruiting", api.requester), "links"), 6U);
}

TEST_F(RecruitingApi, RefusesTermsThatMakeNoSense) {
  const auto refused = [&](const std::string& terms, int status = 400) {
    const ApiResponse answered = api.post(path + "/recruiting", api.requester, terms);
    EXPECT_EQ(answered.status, status) << terms << answered.body;
  };
  refused("{}");
  refused(R"({"platform": "toloka"})");
  refused(R"({"platform": "prolific", "labels": 0})");
  refused(R"({"platform": "prolific", "return_url": "http://elsewhere.org/"})");
  refused(R"({"platform": "prolific", "codes": {"done": "a b"}})");
  refused(R"({"platform": "prolific", "colour": "red"})");
  refused(R"({"platform": "prolific", "qualification": {"items": 3}})", 409);
  refused(R"({"platform": "prolific", "qualification": {"items": 2, "least_right": "most"}})");
  EXPECT_EQ(api.post(path + "/recruiting", api.worker(path, "ann"), "{}").status, 403);
  EXPECT_EQ(patch(api, path + "/recruiting/nope", "{}").status, 404);
}

TEST_F(RecruitingApi, ChangesTerms) {
  const json::value link = make();
  const std::string at = path + "/recruiting/" + text_of(link.at("id"));
  const ApiResponse changed = patch(
      api, at, R"({"labels": 7, "open": false, "qualification": {"items": 2, "feedback": true}})");
  EXPECT_EQ(changed.status, 200) << changed.body;
  const json::value& terms = changed.json().at("terms");
  EXPECT_EQ(number_of(terms.at("labels")), 7);
  EXPECT_FALSE(terms.at("open").as_bool());
  EXPECT_EQ(number_of(terms.at("qualification").at("least_right")), 0.8)
      << "what is not named stays";
  EXPECT_EQ(arrive(link, R"("PROLIFIC_PID": "ann")").status, 403) << "it is closed";
  EXPECT_EQ(patch(api, at, R"({"platform": "sona"})").status, 400);
}

TEST_F(RecruitingApi, TheSameIdGetsTheSameTokenAndTheSameItems) {
  const json::value link = make();
  const std::string ann = token_of(link, "ann");
  const std::string item = first_item(api.post(path + "/assignments", ann));
  api.reopen(TestApi::generous());
  EXPECT_EQ(token_of(link, "ann"), ann) << "also after a restart";
  EXPECT_EQ(first_item(api.get(path + "/assignments", ann)), item);
  EXPECT_NE(token_of(link, "bob"), ann);
  const json::value me = api.get("/api/v1/me", ann).json();
  EXPECT_EQ(text_of(me.at("role")), "participant");
  EXPECT_EQ(text_of(me.at("worker")), "prolific:ann");
}

TEST_F(RecruitingApi, ASessionEndsWithItsCode) {
  const json::value link = make(R"(, "codes": {"done": "CODE1"})");
  const std::string ann = token_of(link, "ann");
  EXPECT_TRUE(session(ann).at("end").is_null());
  const ApiResponse first = work(ann);
  EXPECT_EQ(number_of(first.json().at("session").at("labels")), 1);
  EXPECT_EQ(number_of(first.json().at("session").at("of")), 2);
  const json::value end = work(ann).json().at("session").at("end");
  EXPECT_EQ(text_of(end.at("outcome")), "done");
  EXPECT_EQ(text_of(end.at("code")), "CODE1");
  EXPECT_EQ(text_of(end.at("return_url")),
            "https://app.prolific.com/submissions/complete?cc=CODE1");
  EXPECT_TRUE(end.at("form").is_null());
  EXPECT_EQ(session(ann).at("end"), end) << "a reload shows it again";
  EXPECT_EQ(count_of(work(ann), "assignments"), 0U);
  EXPECT_EQ(arrive(link, R"("PROLIFIC_PID": "ann", "SESSION_ID": "s2")").status, 409);
  const ApiResponse rows = api.get(path + "/sessions", api.requester);
  EXPECT_EQ(text_of(rows.json().at("sessions").at(0).at("outcome")), "done");
  EXPECT_EQ(number_of(rows.json().at("sessions").at(0).at("owed")), 2);
  EXPECT_EQ(api.get(path + "/export/bonuses", api.requester).body, "ann,2.00\n");
  EXPECT_NE(api.get(path + "/export/sessions", api.requester).body.find("prolific:ann,ann,s1,done"),
            std::string::npos);
  const json::value links = api.get(path + "/recruiting", api.requester).json().at("links");
  EXPECT_EQ(number_of(links.at(0).at("sessions").at("done")), 1);
  EXPECT_EQ(number_of(links.at(0).at("owed")), 2);
}

TEST_F(RecruitingApi, QualifiesWithFeedback) {
  const json::value link =
      make(R"(, "qualification": {"items": 2, "least_right": 1, "feedback": true})");
  const std::string ann = token_of(link, "ann");
  EXPECT_EQ(number_of(session(ann).at("qualification").at("of")), 2);
  const ApiResponse asked = api.post(path + "/assignments", ann, body({{"count", 5}}));
  EXPECT_EQ(count_of(asked, "assignments"), 2U);
  for (const json::value& one : asked.json().at("assignments").as_array()) {
    const bool is_first = text_of(one.at("item")) == "i0";
    const ApiResponse given =
        api.post(path + "/labels", ann, body({{"item", one.at("item")}, {"label", "yes"}}));
    const json::value row = given.json().at("labels").at(0);
    EXPECT_EQ(row.at("right").as_bool(), is_first);
    EXPECT_EQ(text_of(row.at("answer")), is_first ? "yes" : "no");
    EXPECT_EQ(api.post(path + "/labels", ann,
                       body({{"item", one.at("item")}, {"label", "no"}, {"revise", true}}))
                  .status,
              403)
        << "who knows the answer cannot change theirs";
  }
  EXPECT_EQ(text_of(session(ann).at("end").at("outcome")), "screened-out");
  const std::string bob =
      token_of(make(R"(, "qualification": {"items": 1, "least_right": 0})"), "bob");
  const ApiResponse given = work(bob);
  EXPECT_EQ(given.json().at("labels").at(0).as_object().if_contains("answer"), nullptr)
      << "without feedback nobody learns it";
  EXPECT_TRUE(session(bob).at("qualification").is_null());
  const ApiResponse next = api.post(path + "/assignments", bob);
  const ApiResponse labelled =
      api.post(path + "/labels", bob, body({{"item", first_item(next)}, {"label", "yes"}}));
  EXPECT_EQ(labelled.json().at("labels").at(0).as_object().if_contains("answer"), nullptr);
}

TEST_F(RecruitingApi, WhoComesTooLateIsStillPaid) {
  const json::value link = make(R"(, "codes": {"no_work": "STILL"})");
  ASSERT_EQ(api.post(path + "/close", api.requester, R"({"reason": "over"})").status, 200);
  const std::string ann = token_of(link, "ann");
  const ApiResponse asked = api.post(path + "/assignments", ann);
  EXPECT_EQ(text_of(asked.json().at("session").at("end").at("code")), "STILL");
}

TEST_F(RecruitingApi, WhoSkipsTheRestGetsAnotherCode) {
  const json::value link = make(R"(, "codes": {"incomplete": "PART"})", "prolific", 20);
  const std::string ann = token_of(link, "ann");
  work(ann);
  for (int n = 0; n < 12; ++n) {
    const ApiResponse asked = api.post(path + "/assignments", ann);
    if (count_of(asked, "assignments") == 0) break;
    api.post(path + "/skip", ann, body({{"item", first_item(asked)}}));
  }
  const json::value now = session(ann);
  EXPECT_EQ(text_of(now.at("end").at("outcome")), "incomplete");
  EXPECT_EQ(text_of(now.at("end").at("code")), "PART");
  EXPECT_EQ(number_of(now.at("labels")), 1);
  EXPECT_GT(number_of(now.at("skipped")), 8);
  const json::value row = api.get(path + "/sessions", api.requester).json().at("sessions").at(0);
  EXPECT_EQ(row.at("skipped"), now.at("skipped"));
  const json::value links = api.get(path + "/recruiting", api.requester).json().at("links");
  EXPECT_EQ(number_of(links.at(0).at("sessions").at("incomplete")), 1);
}

TEST_F(RecruitingApi, TwoPagesOfAParticipantShareTheLastItem) {
  const json::value link = make();
  const std::string first = token_of(link, "ann"), second = token_of(link, "ann");
  const ApiResponse all = api.post(path + "/assignments", first, body({{"count", 2}}));
  ASSERT_EQ(count_of(all, "assignments"), 2U);
  const ApiResponse shared = api.post(path + "/assignments", second);
  EXPECT_EQ(shared.json().at("assignments"), all.json().at("assignments"));
  EXPECT_EQ(text_of(shared.json().at("shortfall").at("code")), "nothing_now");
  const ApiResponse answered =
      api.post(path + "/labels", second,
               R"({"item": ")" + first_item(all) + R"(", "label": "yes", "next": 1})");
  EXPECT_EQ(answered.json().at("next").at("assignments").at(0), all.json().at("assignments").at(1));
  EXPECT_EQ(count_of(api.post(path + "/assignments", token_of(link, "bob")), "assignments"), 1U)
      << "others get items of their own";
}

TEST_F(RecruitingApi, WithoutAPriceInMoneyNothingIsOwed) {
  const std::string plain = measured(api, 4);
  ASSERT_EQ(api.post(plain + "/recruiting", api.requester, R"({"platform": "sona"})").status, 201);
  const ApiResponse refused = api.get(plain + "/export/bonuses", api.requester);
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.text("detail").find("no price in money"), std::string::npos) << refused.body;
  const json::value links = api.get(plain + "/recruiting", api.requester).json().at("links");
  EXPECT_TRUE(links.at(0).at("owed").is_null());
  const std::string priced = measured(api, 4, R"(, "price": "0.05")");
  EXPECT_EQ(api.get(priced + "/export/bonuses", api.requester).status, 200);
}

TEST_F(RecruitingApi, SaysBeforehandThatNobodyNewCanJoin) {
  const json::value link = make(R"(, "most_participants": 1)");
  const auto is_open = [&] {
    return api.get("/api/v1/join/" + id + "/" + text_of(link.at("id")), "")
        .json()
        .at("open")
        .as_bool();
  };
  EXPECT_TRUE(is_open());
  token_of(link, "ann");
  EXPECT_FALSE(is_open());
  const std::string at = path + "/recruiting/" + text_of(link.at("id"));
  ASSERT_EQ(patch(api, at, R"({"most_participants": 0})").status, 200);
  EXPECT_TRUE(is_open());
  ASSERT_EQ(patch(api, at, R"({"open": false})").status, 200);
  EXPECT_FALSE(is_open());
}

TEST_F(RecruitingApi, TheAddressWithItsPlaceholdersIsAPage) {
  const std::string why = "escape '%PR' in the query is invalid";
  const std::string page = text_of(make().at("page"));
  EXPECT_EQ(api.ask({.path = page, .query_problem = why}).status, api.ask({.path = page}).status);
  const ApiResponse refused = api.ask({.path = path, .token = api.requester, .query_problem = why});
  EXPECT_EQ(refused.status, 400) << "the API reads its parameters";
  EXPECT_EQ(refused.text("code"), "bad_target");
}

TEST_F(RecruitingApi, ArrivalsNeedAnIdAndConsent) {
  const json::value link = make();
  const ApiResponse nobody = arrive(link, R"("STUDY_ID": "s")");
  EXPECT_EQ(nobody.status, 400);
  EXPECT_NE(nobody.text("detail").find("'PROLIFIC_PID' is missing"), std::string::npos);
  EXPECT_EQ(arrive(link, R"("PROLIFIC_PID": "a/b")").status, 400);
  const std::string at = "/api/v1/join/" + id + "/" + text_of(link.at("id"));
  EXPECT_EQ(api.post(at, "", R"({"parameters": {"PROLIFIC_PID": "ann"}})").status, 400);
  EXPECT_EQ(number_of(api.get(path, api.requester).json().at("workers")), 0);
}

TEST_F(RecruitingApi, NothingCanBeFoundBySearching) {
  const json::value link = make();
  const std::string other = api.campaign(1);
  const ApiResponse unknown_link = api.get("/api/v1/join/" + id + "/aaaa", "");
  const ApiResponse unknown_campaign = api.get("/api/v1/join/nope/" + text_of(link.at("id")), "");
  const ApiResponse wrong_campaign = api.get(
      "/api/v1/join/" + other.substr(other.rfind('/') + 1) + "/" + text_of(link.at("id")), "");
  EXPECT_EQ(unknown_link.status, 404);
  EXPECT_EQ(unknown_link.body, unknown_campaign.body);
  EXPECT_EQ(unknown_link.body, wrong_campaign.body);
  EXPECT_EQ(api.post("/api/v1/join/" + id + "/aaaa", "", R"({"agree": true})").status, 404);
}

TEST_F(RecruitingApi, AParticipantSeesNothingOfOthers) {
  const json::value link = make(R"(, "consent": "I agree.")", "prolific", 5);
  const std::string ann = token_of(link, "annspeople"), bob = token_of(link, "bobspeople", "s2");
  for (int n = 0; n < 2; ++n) work(ann, "no");
  std::string seen = api.get("/api/v1/join/" + id + "/" + text_of(link.at("id")), "").body;
  seen += api.get("/api/v1/me", bob).body + api.get(path + "/assignments", bob).body;
  for (int n = 0; n < 5; ++n) seen += work(bob).body;
  seen += api.post(path + "/labels", bob, body({{"item", "i2"}, {"label", "no"}})).body;
  EXPECT_EQ(seen.find("annspeople"), std::string::npos);
  EXPECT_EQ(seen.find(text_of(link.at("signing_key"))), std::string::npos);
  const std::string before = api.get("/api/v1/join/" + id + "/" + text_of(link.at("id")), "").body;
  EXPECT_EQ(before.find(text_of(link.at("terms").at("codes").at("done"))), std::string::npos)
      << "codes are for those who have worked";
  for (const std::string& closed :
       {path, path + "/workers", path + "/answers", path + "/items", path + "/recruiting",
        path + "/sessions", path + "/export/sessions", path + "/events"}) {
    EXPECT_EQ(api.get(closed, bob).status, 403) << closed;
  }
  EXPECT_EQ(api.post(path + "/assignments", bob, body({{"worker", "prolific:annspeople"}})).status,
            403);
  const std::string other = api.campaign(1);
  EXPECT_EQ(api.post(other + "/assignments", bob).status, 404) << "the token is for one campaign";
  EXPECT_EQ(api.post("/api/v1/tokens", api.requester,
                     body({{"role", "participant"}, {"campaign", id}, {"worker", "eve"}}))
                .status,
            400);
}

TEST_F(RecruitingApi, AStudySaysWhatItPaysAndHowLongOthersTook) {
  const json::value link = make();
  const auto study = [&] {
    return api.get("/api/v1/join/" + id + "/" + text_of(link.at("id")), "").json();
  };
  EXPECT_EQ(number_of(study().at("price")), 1);
  EXPECT_TRUE(study().at("seconds").is_null()) << "nobody is done yet";
  // Each answer takes two seconds, and the n-th participant rests n seconds in between.
  for (int n = 0; n < 4; ++n) {
    const std::string token = token_of(link, "p" + std::to_string(n), "s" + std::to_string(n));
    work(token);
    api.now += n * 1'000'000;
    EXPECT_EQ(study().at("seconds").is_null(), n < 3) << "three sessions must be done";
    work(token);
  }
  EXPECT_EQ(number_of(study().at("seconds")), 6);
  const json::value other = make();
  EXPECT_TRUE(api.get("/api/v1/join/" + id + "/" + text_of(other.at("id")), "")
                  .json()
                  .at("seconds")
                  .is_null())
      << "of this link alone";
  api.post(path + "/items", api.requester, R"({"items": [{"id": "dear", "price": 7}]})");
  EXPECT_TRUE(study().at("price").is_null()) << "items have their own prices";
}

TEST_F(RecruitingApi, SignedArrivals) {
  const json::value link = make(R"(, "signed_arrivals": true)");
  EXPECT_EQ(arrive(link, R"("PROLIFIC_PID": "ann", "SESSION_ID": "s1")").status, 403);
  EXPECT_EQ(arrive(link, R"("PROLIFIC_PID": "ann", "SESSION_ID": "s1", "signature": "00")").status,
            403);
  // What a panel computes from the key that it was given.
  const std::string key = text_of(link.at("signing_key"));
  const std::string signature = serve::arrival_signature(key, "ann", "s1");
  EXPECT_EQ(arrive(link, R"("PROLIFIC_PID": "ann", "SESSION_ID": "s1", "signature": ")" +
                             signature + "\"")
                .status,
            200);
  EXPECT_EQ(arrive(link, R"("PROLIFIC_PID": "bob", "SESSION_ID": "s1", "signature": ")" +
                             signature + "\"")
                .status,
            403)
      << "it is good for one participant";
}

TEST_F(RecruitingApi, LimitsArrivalsFromOneAddress) {
  const json::value link = make(R"(, "arrivals_per_minute": 3)");
  for (int n = 0; n < 3; ++n) token_of(link, "p" + std::to_string(n));
  const ApiResponse refused = arrive(link, R"("PROLIFIC_PID": "p4")");
  EXPECT_EQ(refused.status, 429) << refused.body;
  EXPECT_FALSE(refused.field("Retry-After").empty());
  token_of(make(), "p4");
}

TEST_F(RecruitingApi, TurksSubmitToTheirOwnHostsOnly) {
  const json::value link = make(R"(, "codes": {"done": "T1"})", "mturk", 1);
  const std::string at = "/api/v1/join/" + id + "/" + text_of(link.at("id"));
  EXPECT_TRUE(api.get(at, "").json().at("sample").as_object().contains("text"));
  const auto end_of = [&](const std::string& worker, const std::string& host) {
    const ApiResponse joined =
        arrive(link, R"("workerId": ")" + worker + R"(", "assignmentId": "A1", "hitId": "H", )" +
                         R"("turkSubmitTo": ")" + host + "\"");
    EXPECT_EQ(joined.status, 200) << joined.body;
    return work(joined.text("token")).json().at("session").at("end");
  };
  const json::value form = end_of("W1", "https://workersandbox.mturk.com").at("form");
  EXPECT_EQ(text_of(form.at("action")), "https://workersandbox.mturk.com/mturk/externalSubmit");
  EXPECT_EQ(json::serialize(form.at("fields")),
            R"({"assignmentId":"A1","code":"T1","labels":"1"})");
  EXPECT_TRUE(end_of("W2", "https://evil.example").at("form").is_null());
}

TEST_F(RecruitingApi, OnlyThePageOfATurkLinkMayBeFramed) {
  const auto fields_of = [&](const json::value& link) {
    const ApiResponse page = api.ask({.path = text_of(link.at("page"))});
    return std::pair(page.field("Content-Security-Policy"), page.field("X-Frame-Options"));
  };
  const auto [turk, turk_frame] = fields_of(make("", "mturk"));
  const auto [other, other_frame] = fields_of(make());
  EXPECT_EQ(other_frame, "DENY");
  if (turk.find("script-src") == std::string::npos) GTEST_SKIP() << "built without its pages";
  EXPECT_NE(turk.find("frame-ancestors https://worker.mturk.com"), std::string::npos) << turk;
  EXPECT_NE(turk.find("form-action https://www.mturk.com"), std::string::npos);
  EXPECT_EQ(turk_frame, "");
  EXPECT_NE(other.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_NE(other.find("form-action 'none'"), std::string::npos);
}

}  // namespace
}  // namespace allot::test::recruiting_routes_test
