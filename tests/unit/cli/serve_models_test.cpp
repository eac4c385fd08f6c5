// `allot serve --models`: settings, and runs of models in a server that is killed.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <csignal>
#include <filesystem>
#include <set>

#include "support/chat_endpoint.hpp"
#include "support/program.hpp"
#include "support/started.hpp"

namespace allot::test::serve_models_test {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

std::string models_file(const Folder& folder, const std::string& text) {
  return folder.file("models.toml", text);
}

json::value call(const Started& server, const std::string& token, const std::string& method,
                 const std::string& path, const std::string& body = "") {
  Client client(std::make_unique<PlainWire>(server.address()));
  client.send(method + " /api/v1/campaigns" + path +
              " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token +
              "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n\r\n" + body);
  const Answer answer = client.answer();
  EXPECT_LT(answer.status, 300) << answer.body;
  return json::parse(answer.body);
}

TEST(ServeModels, LabelEveryItemOnceThoughTheServerIsKilled) {
  constexpr int kItems = 90;
  const Folder folder;
  ChatEndpoint endpoint([](const ChatEndpoint::Asked&) { return ChatEndpoint::says("yes"); }, 20ms);
  const std::string data = folder / "data", log = folder / "log";
  const std::vector<std::string> words{
      "serve",
      "--data",
      data,
      "--listen",
      "127.0.0.1:0",
      "--log",
      log,
      "--models",
      models_file(folder, "[[endpoint]]\nname = \"house\"\nurl = \"" + endpoint.url() +
                              "\"\nkey-variable = \"HOUSE_KEY\"\nat-once = 8\n"
                              "models = { small = \"0.01\" }\n")};
  const std::vector<std::string> key{"HOUSE_KEY=sk-0123456789"};
  std::string token, id;
  {
    Started server(folder, words, key);
    ASSERT_NE(server.address(), "") << read_file(folder / "serve.err");
    token = token_in(server.said());
    id = call(server, token, "POST", "",
              R"({"name": "c", "classes": ["no", "yes"], "budget": 0.85})")
             .at("id")
             .as_string();
    json::array items;
    for (int n = 0; n < kItems; ++n) items.push_back(json::object{{"id", "i" + std::to_string(n)}});
    call(server, token, "POST", "/" + id + "/items",
         json::serialize(json::object{{"items", items}}));
    call(server, token, "POST", "/" + id + "/models/start",
         R"({"models": ["small"], "prompt": "{{item}}\n{{classes}}", "cost_cap": 0.8})");
    ASSERT_TRUE(eventually([&] { return endpoint.asked().size() >= 20; }));
    EXPECT_EQ(server.stop(SIGKILL), -SIGKILL);
  }
  {
    Started server(folder, words, key);
    ASSERT_TRUE(eventually([&] { return endpoint.asked().size() >= 50; }));
    EXPECT_EQ(server.stop(SIGKILL), -SIGKILL);
  }
  Started server(folder, words, key);
  const auto run = [&] { return call(server, token, "GET", "/" + id + "/models").at("run"); };
  ASSERT_TRUE(eventually([&] { return run().at("state").as_string() == "finished"; }));
  EXPECT_EQ(run().at("cost").to_number<double>(), 0.8) << "the cap, to the last unit";
  const json::value status = call(server, token, "GET", "/" + id);
  EXPECT_EQ(status.at("spent").to_number<double>(), 0.8);
  EXPECT_EQ(status.at("labels").to_number<int>(), 80);
  EXPECT_EQ(status.at("leases").to_number<int>(), 0);
  EXPECT_LE(endpoint.asked().size(), 80U + 2 * 8U) << "only requests under way are repeated";
  EXPECT_EQ(server.stop(SIGTERM), 0);
  const Outcome checked = allot("campaign verify '" + data + "/campaigns/" + id + ".db'");
  EXPECT_EQ(checked.status, 0) << checked.output << checked.errors;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder / "")) {
    if (!file.is_regular_file()) continue;
    EXPECT_EQ(read_file(file.path()).find("sk-0123456789"), std::string::npos) << file.path();
  }
  EXPECT_EQ(endpoint.asked().front().authorization, "Bearer sk-0123456789");
}

TEST(ServeModels, AreRefusedUnlessARunCouldUseThem) {
  const Folder folder;
  const std::string key = folder.file("key", "sk-0123456789\n");
  const std::string url = "url = \"https://models.example.org/v1\"\n";
  const std::string fine = "[[endpoint]]\nname = \"a\"\n" + url + "models = { m = \"0.1\" }\n";
  const auto expect = [&](const std::string& text, const std::string& words) {
    expect_refusal("serve --data '" + (folder / "none") + "' --listen 127.0.0.1:0 --models '" +
                       models_file(folder, text) + "'",
                   "models.toml", words);
  };
  expect("", "expected [[endpoint]]");
  expect("[[endpoint", "line 1");
  expect("[endpoint]\n" + url, "expected [[endpoint]]");
  expect(fine + "[other]\n", "expected [[endpoint]]");
  expect("[[endpoint]]\n" + url, "'name' of an endpoint is missing");
  expect("[[endpoint]]\nname = \"a\"\nurl = \"ftp://x\"\n", "expected");
  expect("[[endpoint]]\nname = \"a\"\n" + url, "'models' of an endpoint is missing");
  expect("[[endpoint]]\nname = \"a\"\n" + url + "models = { m = 0.1 }", "the price of model 'm'");
  expect("[[endpoint]]\nname = \"a\"\n" + url + "models = { m = \"x\" }", "model 'm'");
  expect("[[endpoint]]\nname = \"a\"\n" + url + "models = { \"m,n\" = \"1\" }", "without commas");
  expect(fine + "at-once = 0\n", "a whole number from 1 to 256");
  expect(fine + "kee-file = \"x\"\n", "did you mean 'key-file'?");
  expect(fine + "key-file = \"" + key + "\"\nkey-variable = \"K\"\n", "expected one of them");
  expect(fine + "families = { n = \"g\" }\n", "families names 'n', which is no model");
  expect(fine + "families = { m = 1 }\n", "models with groups");
  expect(fine + "roots = \"" + key + "\"\n", "expected a PEM file");
  expect(fine + fine, "two endpoints have the name 'a'");
  expect(fine + "[[endpoint]]\nname = \"b\"\n" + url + "models = { m = \"1\" }\n",
         "two endpoints have model 'm'");
  const std::string file = models_file(folder, fine + "key-variable = \"NOT_SET_ANYWHERE\"\n");
  expect_refusal("serve --data none --listen 127.0.0.1:0 --models '" + file + "'",
                 "NOT_SET_ANYWHERE", "is not set");
  expect_refusal("serve --store postgresql:///x --models '" + file + "'", "--models",
                 "does not work with --store");
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

}  // namespace
}  // namespace allot::test::serve_models_test
