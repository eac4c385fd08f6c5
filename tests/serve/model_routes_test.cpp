// Language models that requesters start over HTTP, against a stand-in of a chat endpoint.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "serve/campaign_fixture.hpp"
#include "support/chat_endpoint.hpp"

namespace allot::test::model_routes_test {
namespace {

using namespace std::chrono_literals;
using serve::ModelEndpoint;

constexpr const char* kKey = "sk-very-secret-0123456789";

std::string item_in(const std::string& prompt) {
  const std::size_t at = prompt.find("text of ") + 8;
  return prompt.substr(at, prompt.find('\n', at) - at);
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

ChatEndpoint::Reply yes(const ChatEndpoint::Asked&) { return ChatEndpoint::says("yes"); }

/// Labels the first 30 requests and puts all others off, until somebody opens it.
struct Gate {
  std::atomic<bool> open = false;
  std::function<ChatEndpoint::Reply(const ChatEndpoint::Asked&)> reply() {
    return [this](const ChatEndpoint::Asked& asked) {
      const bool passes = open || asked.number <= 30;
      return passes ? yes(asked) : ChatEndpoint::Reply{429, "later", "300"};
    };
  }
};

/// A server that offers two models at an endpoint, and another one elsewhere.
serve::ServiceOptions offering(const ChatEndpoint& endpoint) {
  serve::ServiceOptions options = TestApi::generous();
  options.models.endpoints = {
      {.name = "house",
       .url = endpoint.url(),
       .key = kKey,
       .at_once = 4,
       .models = {{"large-2", parse_money("0.01").value()},
                  {"small-1", parse_money("0.5").value()}}},
      {.name = "other", .url = "http://127.0.0.1:1/v1", .models = {{"far", Money::whole(1)}}}};
  options.models.web.tries = 2;
  options.models.web.first_pause = options.models.web.longest_pause = 1ms;
  return options;
}

json::value models_of(TestApi& api, const std::string& path) {
  return api.get(path + "/models", api.requester).json();
}
std::string run_state(TestApi& api, const std::string& path) {
  const json::value run = models_of(api, path).at("run");
  return run.is_null() ? "none" : text_of(run.at("state"));
}
ApiResponse start(TestApi& api, const std::string& path, const std::string& models,
                  const std::string& more = "") {
  return api.post(
      path + "/models/start", api.requester,
      R"({"models": [)" + models + R"(], "prompt": "{{text}}\n{{classes}}")" + more + "}");
}
double spent(TestApi& api, const std::string& path) {
  return number_of(api.get(path, api.requester).json().at("spent"));
}
bool ends(TestApi& api, const std::string& path) {
  return eventually([&] {
    const std::string state = run_state(api, path);
    return state != "running" && state != "stopping";
  });
}

TEST(ModelRoutes, OfferModelsAndAPromptToStartFrom) {
  ChatEndpoint endpoint(yes);
  TestApi api(offering(endpoint));
  const std::string path = api.campaign(
      2, R"(, "page": {"question": "Is it {{good}}?", "instructions": "Read *all* of it.",
             "fields": {"picture": "image", "note": "hidden"}})");
  const ApiResponse shown = api.get(path + "/models", api.requester);
  ASSERT_EQ(shown.status, 200) << shown.body;
  ASSERT_EQ(count_of(shown, "models"), 3U);
  EXPECT_EQ(text_of(shown.json().at("models").at(1).at("model")), "small-1");
  EXPECT_EQ(text_of(shown.json().at("models").at(1).at("endpoint")), "house");
  EXPECT_EQ(number_of(shown.json().at("models").at(1).at("price")), 0.5);
  EXPECT_TRUE(shown.json().at("run").is_null());
  EXPECT_EQ(shown.body.find(endpoint.url()), std::string::npos) << "addresses are the admin's";
  EXPECT_EQ(shown.text("prompt"),
            "Is it { {good}}?\n\nRead *all* of it.\n\ntext: {{text}}\n\nClasses:\n{{classes}}");
  const ApiResponse preview =
      api.post(path + "/models/preview", api.requester, body({{"prompt", shown.text("prompt")}}));
  ASSERT_EQ(preview.status, 200) << preview.body;
  EXPECT_EQ(preview.text("item"), "i0");
  EXPECT_NE(preview.text("prompt").find("text: text of i0\n"), std::string::npos);
  EXPECT_NE(preview.text("prompt").find("- yes\n"), std::string::npos);
  EXPECT_TRUE(endpoint.asked().empty());
}

TEST(ModelRoutes, LabelEveryItemOnceAndPayThePriceOfTheAdmin) {
  ChatEndpoint endpoint(yes, 1ms);
  TestApi api(offering(endpoint));
  const std::string path = api.campaign(30);
  const ApiResponse started = start(api, path, R"("small-1", "large-2")");
  ASSERT_EQ(started.status, 200) << started.body;
  ASSERT_TRUE(ends(api, path));
  const json::value run = models_of(api, path).at("run");
  EXPECT_EQ(text_of(run.at("state")), "finished") << run;
  EXPECT_EQ(number_of(run.at("workers").at(0).at("labels")), 30);
  EXPECT_EQ(number_of(run.at("workers").at(1).at("labels")), 30);
  EXPECT_EQ(number_of(run.at("cost")), 30 * 0.51);
  EXPECT_EQ(spent(api, path), 30 * 0.51);
  EXPECT_LE(endpoint.most_at_once(), 4U);
  std::set<std::string> asked;
  for (const auto& one : endpoint.asked()) {
    asked.insert(one.model + item_in(one.prompt));
    EXPECT_EQ(one.authorization, std::string("Bearer ") + kKey);
  }
  EXPECT_EQ(asked.size(), 60U);
  EXPECT_EQ(endpoint.asked().size(), 60U);
  // Families are groups, as with `allot work`.
  const json::value workers = api.get(path + "/workers", api.requester).json().at("workers");
  EXPECT_EQ(text_of(workers.at(0).at("group")) + text_of(workers.at(1).at("group")), "smalllarge");
  // Again: nothing is left to ask.
  ASSERT_EQ(start(api, path, R"("small-1")").status, 200);
  ASSERT_TRUE(ends(api, path));
  EXPECT_EQ(number_of(models_of(api, path).at("run").at("cost")), 0);
  EXPECT_EQ(endpoint.asked().size(), 60U);
}

TEST(ModelRoutes, CountAllVersionsOfAModelThatChanges) {
  ChatEndpoint endpoint([](const ChatEndpoint::Asked& asked) {
    return ChatEndpoint::by_version(yes(asked), asked.number <= 10 ? "1" : "2");
  });
  TestApi api(offering(endpoint));
  const std::string path = api.campaign(20);
  ASSERT_EQ(start(api, path, R"("small-1")").status, 200);
  ASSERT_TRUE(ends(api, path));
  const json::value run = models_of(api, path).at("run");
  EXPECT_EQ(text_of(run.at("state")), "finished") << run;
  EXPECT_EQ(number_of(run.at("workers").at(0).at("labels")), 30);
  EXPECT_EQ(number_of(run.at("cost")), 15);
  EXPECT_EQ(spent(api, path), 15);
  const json::value workers = api.get(path + "/workers", api.requester).json().at("workers");
  ASSERT_EQ(workers.as_array().size(), 2U);
  EXPECT_EQ(text_of(workers.at(1).at("worker")), "small-1@2");
  EXPECT_EQ(text_of(workers.at(1).at("follows")), "small-1");
  EXPECT_EQ(number_of(workers.at(1).at("price")), 0.5);
}

TEST(ModelRoutes, RefuseWhatNoRunCanDo) {
  ChatEndpoint endpoint(yes, 10min);
  TestApi api(offering(endpoint));
  const std::string path = api.campaign(5);
  for (const auto& [models, words] :
       {std::pair(R"("gpt")", "model 'gpt' is not offered"), std::pair("", "models is empty"),
        std::pair(R"("small-1", "far")", "expected models of 'house' alone"),
        std::pair(R"("small-1", "small-1")", "model 'small-1' is named twice")}) {
    const ApiResponse refused = start(api, path, models);
    EXPECT_EQ(refused.status, 400) << models;
    EXPECT_NE(refused.text("detail").find(words), std::string::npos) << refused.body;
  }
  for (const char* const prompt : {"no places", "{{txt}} {{classes}}", "{{text"}) {
    const std::string sent = body({{"models", {"small-1"}}, {"prompt", prompt}});
    EXPECT_EQ(api.post(path + "/models/start", api.requester, sent).status, 400) << prompt;
    const std::string shown = body({{"prompt", prompt}});
    EXPECT_EQ(api.post(path + "/models/preview", api.requester, shown).status, 400) << prompt;
  }
  // Whatever address a request names, only those of the admin are called.
  EXPECT_EQ(start(api, path, R"("small-1")", R"(, "endpoint": "http://127.0.0.1/")").status, 400);
  EXPECT_EQ(run_state(api, path), "none");
  EXPECT_EQ(api.post(path + "/models/stop", api.requester).status, 409);
  for (const auto& [before, after] :
       {std::pair("/pause", "/resume"), std::pair("/archive", "/unarchive")}) {
    ASSERT_EQ(api.post(path + before, api.requester).status, 200);
    EXPECT_EQ(start(api, path, R"("small-1")").status, 409) << before;
    ASSERT_EQ(api.post(path + after, api.requester).status, 200);
  }
  ASSERT_EQ(start(api, path, R"("small-1")").status, 200);
  EXPECT_EQ(start(api, path, R"("large-2")").status, 409);
  ASSERT_EQ(api.post(path + "/models/stop", api.requester).status, 200);
  ASSERT_TRUE(ends(api, path));
}

TEST(ModelRoutes, AreForOwnersAndAdmins) {
  ChatEndpoint endpoint(yes);
  TestApi api(offering(endpoint));
  const std::string path = api.campaign(2);
  const std::string id = path.substr(path.rfind('/') + 1);
  const std::string stranger = api.issue({.role = serve::Role::requester, .label = "other"});
  const std::string reviewer =
      api.issue({.role = serve::Role::reviewer, .campaign = id, .person = "rex"});
  const std::string monitor = api.issue({.role = serve::Role::monitor});
  const std::string sent = body({{"models", {"small-1"}}, {"prompt", "{{classes}}"}});
  for (const auto& [token, status] :
       {std::pair(std::string(), 401), std::pair(api.worker(path, "ann"), 403),
        std::pair(reviewer, 403), std::pair(monitor, 403), std::pair(stranger, 404)}) {
    EXPECT_EQ(api.get(path + "/models", token).status, status);
    EXPECT_EQ(api.post(path + "/models/preview", token, sent).status, status);
    EXPECT_EQ(api.post(path + "/models/start", token, sent).status, status);
    EXPECT_EQ(api.post(path + "/models/stop", token).status, status);
  }
  EXPECT_TRUE(endpoint.asked().empty());
  EXPECT_EQ(api.post(path + "/models/start", api.admin, sent).status, 200);
  ASSERT_TRUE(ends(api, path));
}

TEST(ModelRoutes, StopAtTheCapAndWhenAsked) {
  Gate gate;
  ChatEndpoint endpoint(gate.reply());
  TestApi api(offering(endpoint));
  const std::string path = api.campaign(50);
  ASSERT_EQ(start(api, path, R"("small-1")", R"(, "cost_cap": 3.5)").status, 200);
  ASSERT_TRUE(ends(api, path));
  json::value run = models_of(api, path).at("run");
  EXPECT_EQ(number_of(run.at("cost")), 3.5);
  EXPECT_NE(text_of(run.at("reason")).find("cost cap of 3.5"), std::string::npos);
  EXPECT_EQ(endpoint.asked().size(), 7U);
  ASSERT_EQ(start(api, path, R"("small-1")").status, 200);
  ASSERT_TRUE(eventually([&] { return endpoint.asked().size() > 30; }));
  const ApiResponse stopped = api.post(path + "/models/stop", api.requester);
  ASSERT_EQ(stopped.status, 200) << stopped.body;
  ASSERT_TRUE(ends(api, path));
  run = models_of(api, path).at("run");
  EXPECT_EQ(text_of(run.at("state")), "stopped");
  EXPECT_EQ(spent(api, path), number_of(run.at("cost")) + 3.5);
  EXPECT_EQ(number_of(api.get(path, api.requester).json().at("leases")), 0) << "given back";
  EXPECT_EQ(spent(api, path), 15) << "30 labels";
}

TEST(ModelRoutes, SkipItemsThatLackAFieldOfThePrompt) {
  ChatEndpoint endpoint([](const ChatEndpoint::Asked& asked) {
    return ChatEndpoint::says(item_in(asked.prompt) == "i2" ? "hard to tell" : "yes");
  });
  TestApi api(offering(endpoint));
  const std::string path = api.campaign(3);
  const std::string items = R"({"items": [{"id": "poor", "fields": {"body": "b"}}]})";
  ASSERT_LT(api.post(path + "/items", api.requester, items).status, 300);
  const ApiResponse preview =
      api.post(path + "/models/preview", api.requester, body({{"prompt", "{{text}} {{classes}}"}}));
  EXPECT_EQ(number_of(preview.json().at("unfit")), 1) << preview.body;
  EXPECT_EQ(number_of(preview.json().at("looked_at")), 4) << preview.body;
  ASSERT_EQ(start(api, path, R"("small-1")").status, 200);
  ASSERT_TRUE(ends(api, path));
  const json::value run = models_of(api, path).at("run");
  EXPECT_EQ(text_of(run.at("state")), "finished") << run;
  EXPECT_EQ(number_of(run.at("workers").at(0).at("labels")), 2);
  EXPECT_EQ(number_of(run.at("workers").at(0).at("abstained")), 1);
  EXPECT_EQ(number_of(run.at("workers").at(0).at("skipped")), 1);
  EXPECT_EQ(number_of(run.at("failed")), 0);
  EXPECT_EQ(spent(api, path), 1.5);
  // They stay when models start elsewhere.
  const std::string other = api.campaign(1);
  ASSERT_EQ(start(api, other, R"("large-2")").status, 200);
  ASSERT_TRUE(ends(api, other));
  std::map<std::string, std::string> whys;
  const json::value still = models_of(api, path).at("run").at("remarks");
  for (const json::value& remark : still.as_array())
    whys[text_of(remark.at("item"))] = text_of(remark.at("why"));
  EXPECT_EQ(whys["poor"], "has no field 'text'");
  EXPECT_EQ(whys["i2"], "replied 'hard to tell'");
}

TEST(ModelRoutes, WaitWhileTheCampaignIsPaused) {
  std::atomic<bool> is_open = false;
  ChatEndpoint endpoint([&](const ChatEndpoint::Asked& asked) {
    return is_open || asked.number <= 5 ? yes(asked) : ChatEndpoint::Reply{429, "later", "0"};
  });
  serve::ServiceOptions options = offering(endpoint);
  options.models.web.tries = 1'000'000;
  TestApi api(options);
  const std::string path = api.campaign(20);
  ASSERT_EQ(start(api, path, R"("small-1")").status, 200);
  ASSERT_TRUE(eventually([&] { return endpoint.asked().size() > 5; }));
  ASSERT_EQ(api.post(path + "/pause", api.requester).status, 200);
  is_open = true;
  ASSERT_TRUE(eventually([&] { return !models_of(api, path).at("run").at("waits").is_null(); }));
  const json::value run = models_of(api, path).at("run");
  EXPECT_EQ(text_of(run.at("state")), "running");
  EXPECT_EQ(text_of(run.at("waits")), "the campaign is paused");
  EXPECT_LT(spent(api, path), 10);
  ASSERT_EQ(api.post(path + "/resume", api.requester).status, 200);
  ASSERT_TRUE(ends(api, path));
  EXPECT_EQ(run_state(api, path), "finished");
  EXPECT_EQ(spent(api, path), 10) << "20 labels";
}

TEST(ModelRoutes, TakeNoNameOfAPerson) {
  ChatEndpoint endpoint(yes);
  serve::ServiceOptions none = TestApi::generous();
  TestApi api(none);
  const std::string path = api.campaign(3);
  ASSERT_EQ(api.post(path + "/links", api.requester, R"({"worker": "small-1"})").status, 201);
  api.reopen(offering(endpoint));
  const ApiResponse refused = start(api, path, R"("small-1")");
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.text("detail").find("worker 'small-1' is a person with a link"),
            std::string::npos)
      << refused.body;
  const ApiResponse link = api.post(path + "/links", api.requester, R"({"worker": "large-2"})");
  EXPECT_EQ(link.status, 409);
  EXPECT_NE(link.text("detail").find("'large-2' is that of a language model"), std::string::npos);
  EXPECT_EQ(api.post(path + "/links", api.requester, R"({"reviewer": "large-2"})").status, 201);
  EXPECT_EQ(start(api, path, R"("large-2")").status, 200);
  ASSERT_TRUE(ends(api, path));
}

TEST(ModelRoutes, AreInTheGroupsThatTheAdminNames) {
  ChatEndpoint endpoint(yes);
  serve::ServiceOptions options = offering(endpoint);
  options.models.endpoints.front().families = {{"small-1", "judges"}, {"large-2", "judges"}};
  TestApi api(options);
  const std::string path = api.campaign(3, R"(, "page": {"currency": "EUR"})");
  EXPECT_FALSE(models_of(api, path).at("counts_labels").as_bool());
  ASSERT_EQ(start(api, path, R"("small-1", "large-2")").status, 200);
  ASSERT_TRUE(ends(api, path));
  const json::value workers = api.get(path + "/workers", api.requester).json().at("workers");
  for (const json::value& worker : workers.as_array())
    EXPECT_EQ(text_of(worker.at("group")), "judges");
  const std::string labels = api.campaign(3);
  EXPECT_TRUE(models_of(api, labels).at("counts_labels").as_bool());
  ASSERT_EQ(start(api, labels, R"("small-1")").status, 200);
  ASSERT_TRUE(ends(api, labels));
  EXPECT_TRUE(models_of(api, labels).at("counts_labels").as_bool())
      << "prices of models make nobody's label cost money";
}

TEST(ModelRoutes, EndWithTheirCampaign) {
  for (const char* const how : {"/archive", "/close"}) {
    ChatEndpoint endpoint(yes, 10min);
    TestApi api(offering(endpoint));
    const std::string path = api.campaign(5);
    ASSERT_EQ(start(api, path, R"("small-1")").status, 200);
    ASSERT_TRUE(eventually([&] { return !endpoint.asked().empty(); })) << "it hangs";
    ASSERT_EQ(api.post(path + how, api.requester).status, 200);
    ASSERT_TRUE(ends(api, path)) << how;
    EXPECT_EQ(run_state(api, path), "stopped");
  }
}

TEST(ModelRoutes, SayWhyARunFailed) {
  ChatEndpoint endpoint([](const ChatEndpoint::Asked&) {
    return ChatEndpoint::Reply{401, "{\"error\": \"no such account\"}"};
  });
  TestApi api(offering(endpoint));
  const std::string path = api.campaign(5);
  ASSERT_EQ(start(api, path, R"("small-1")").status, 200);
  ASSERT_TRUE(ends(api, path));
  const json::value run = models_of(api, path).at("run");
  EXPECT_EQ(text_of(run.at("state")), "failed");
  EXPECT_EQ(text_of(run.at("reason")).find("the endpoint of the model: it refuses the key"), 0U);
  EXPECT_NE(text_of(run.at("reason")).find("no such account"), std::string::npos) << run;
  EXPECT_GE(number_of(run.at("failed")), 1);
  EXPECT_EQ(spent(api, path), 0);
}

// A server that ends in the middle and starts again; the test of the program kills it.
TEST(ModelRoutes, GoOnWhenTheServerStartsAgain) {
  Gate gate;
  ChatEndpoint endpoint(gate.reply());
  TestApi api(offering(endpoint));
  const std::string path = api.campaign(60);
  const std::string stays = api.campaign(60), gone = api.campaign(60);
  ASSERT_EQ(start(api, path, R"("small-1")", R"(, "cost_cap": 25)").status, 200);
  ASSERT_TRUE(eventually([&] { return endpoint.asked().size() > 30; }));
  ASSERT_EQ(start(api, gone, R"("large-2")").status, 200);
  ASSERT_EQ(start(api, stays, R"("small-1")").status, 200);
  ASSERT_EQ(api.post(stays + "/models/stop", api.requester).status, 200);
  ASSERT_TRUE(ends(api, stays));
  serve::ServiceOptions fewer = offering(endpoint);
  fewer.models.endpoints.front().models.erase(fewer.models.endpoints.front().models.begin());
  api.reopen(fewer);
  EXPECT_EQ(run_state(api, path), "running");
  EXPECT_EQ(spent(api, path), 15) << "30 labels";
  gate.open = true;
  ASSERT_TRUE(api.service().models().resume());
  ASSERT_TRUE(ends(api, path));
  const json::value run = models_of(api, path).at("run");
  EXPECT_EQ(number_of(run.at("cost")), 25) << "the cap counts what was paid before";
  EXPECT_EQ(spent(api, path), 25);
  EXPECT_EQ(run_state(api, stays), "stopped");
  EXPECT_EQ(spent(api, stays), 0);
  EXPECT_EQ(run_state(api, gone), "failed");
  EXPECT_NE(text_of(models_of(api, gone).at("run").at("reason")).find("'large-2' is not offered"),
            std::string::npos);
}

TEST(ModelRoutes, ForgetTheRunOfADeletedCampaign) {
  ChatEndpoint endpoint(yes, 1ms);
  TestApi api(offering(endpoint));
  const std::string path = api.campaign(200);
  ASSERT_EQ(start(api, path, R"("small-1")").status, 200);
  ASSERT_EQ(api.post(path + "/archive", api.requester).status, 200);
  ASSERT_EQ(api.ask({Method::del, path, api.requester}).status, 204);
  const std::string id = path.substr(path.rfind('/') + 1);
  EXPECT_FALSE(api.hub().model_runs().find(id).value());
  api.service().models().stop();
  EXPECT_FALSE(api.hub().model_runs().find(id).value());
}

// The endpoint does its worst: it repeats the key in errors, refusals and labels.
TEST(ModelRoutes, ShowTheKeyToNobodyButTheEndpoint) {
  std::atomic<int> asked = 0;
  const auto echo = [&](const ChatEndpoint::Asked& one) -> ChatEndpoint::Reply {
    switch (asked++ % 4) {
      case 0:
        return {500, "marker " + one.authorization + " marker"};
      case 1:
        return ChatEndpoint::says("marker: my key is " + one.authorization);
      case 2:
        return ChatEndpoint::refuses(one.authorization + " is your key, marker");
      default:
        return asked > 40 ? ChatEndpoint::Reply{403, "marker " + one.authorization}
                          : ChatEndpoint::says("yes");
    }
  };
  ChatEndpoint endpoint(echo);
  std::string log;
  std::mutex mutex;
  serve::ServiceOptions options = offering(endpoint);
  options.log_level = serve::Level::debug;
  options.log = options.access_log = [&](const std::string& line) {
    const std::scoped_lock lock(mutex);
    log += line;
  };
  std::string seen, data;
  {
    TestApi api(options);
    const std::string path = api.campaign(60);
    seen += start(api, path, R"("small-1")").body;
    ASSERT_TRUE(ends(api, path));
    EXPECT_EQ(run_state(api, path), "failed");
    for (const char* const one :
         {"", "/models", "/workers", "/answers", "/items", "/groups", "/status", "/board",
          "/events", "/export/skips?format=csv", "/export/events?format=json"}) {
      const ApiResponse response = api.get(path + one, api.requester);
      seen += response.body + response.cause;
    }
    seen += api.get("/metrics", api.admin).body + api.get("/api/v1/me", api.admin).body;
    for (const auto& file : std::filesystem::recursive_directory_iterator(api.data()))
      if (file.is_regular_file()) data += bytes_of(file.path());
  }
  const std::string key = std::string(kKey).substr(3);
  EXPECT_EQ(seen.find(key), std::string::npos);
  EXPECT_EQ(log.find(key), std::string::npos) << log;
  EXPECT_EQ(data.find(key), std::string::npos);
  // The search would have found it: the words around the key are everywhere.
  EXPECT_NE(seen.find("marker"), std::string::npos);
  EXPECT_NE(log.find("marker"), std::string::npos);
  EXPECT_NE(data.find("marker"), std::string::npos);
  EXPECT_NE(endpoint.asked().front().authorization.find(key), std::string::npos);
}

}  // namespace
}  // namespace allot::test::model_routes_test
