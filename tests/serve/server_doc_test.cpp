// docs/reference/http.md: its examples are answered as shown, and it names every route.
#include <gtest/gtest.h>

#include <sstream>

#include "support/program.hpp"
#include "support/test_api.hpp"

namespace allot::test::server_doc_test {
namespace {

/// Whether the answer has what the page shows of it; "..." stands for anything.
std::string missing(const json::value& shown, const json::value& answer, const std::string& place) {
  if (shown.is_string() && shown.as_string() == "...") return "";
  if (shown.is_object() && answer.is_object()) {
    for (const auto& [name, value] : shown.as_object()) {
      const auto* found = answer.as_object().if_contains(name);
      const std::string at = place + "." + std::string(name);
      if (!found) return at + " is not there";
      const std::string inner = missing(value, *found, at);
      if (!inner.empty()) return inner;
    }
    return "";
  }
  if (shown.is_array() && answer.is_array()) {
    if (shown.as_array().size() != answer.as_array().size()) return place + " is of another size";
    for (std::size_t n = 0; n < shown.as_array().size(); ++n) {
      const std::string inner = missing(shown.as_array()[n], answer.as_array()[n], place + "[]");
      if (!inner.empty()) return inner;
    }
    return "";
  }
  const bool same = shown == answer || (shown.is_number() && answer.is_number() &&
                                        shown.to_number<double>() == answer.to_number<double>());
  return same ? "" : place + " is " + json::serialize(answer);
}

void replace_all(std::string& text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    text.replace(at, word.size(), by);
    at += by.size();
  }
}

http::Method method_named(const std::string& word) {
  for (const auto method : {http::Method::get, http::Method::post, http::Method::put,
                            http::Method::patch, http::Method::del}) {
    if (serve::name(method) == word) return method;
  }
  throw std::runtime_error("no method " + word);
}

TEST(ServerDoc, ExamplesAreAnsweredAsShown) {
  TestApi api;
  std::map<std::string, std::string> words{{"REQUESTER", api.requester}, {"ADMIN", api.admin}};
  std::istringstream page(read_file(root() + "/docs/reference/http.md"));
  bool fenced = false, inside = false;
  std::string head, body;
  int examples = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {  // with a language behind it is no example of ours
      fenced = !fenced;
      inside = fenced && line == "```";
      continue;
    }
    if (!inside || line.empty()) continue;
    if (!line.starts_with("--> ")) {
      (head.empty() ? head : body) += line;
      continue;
    }
    const auto known = [&](std::string text) {
      for (const char* word : {"CAMPAIGN", "ITEM", "WEBHOOK"}) {
        if (words.contains(word)) replace_all(text, word, words[word]);
      }
      return text;
    };
    std::istringstream parts(head);
    std::string method, path, token;
    parts >> method >> path >> token;
    const ApiResponse answered =
        api.ask({method_named(method), known(path), words.at(token), known(body)});
    std::istringstream expected(line.substr(4));
    int status = 0;
    expected >> status;
    EXPECT_EQ(answered.status, status) << head << ": " << answered.body;
    const json::value answer = answered.json();
    if (method == "POST" && path == "/api/v1/campaigns") {
      words["CAMPAIGN"] = std::string(answer.at("id").as_string());
    }
    if (path.ends_with("/webhooks")) {
      words["WEBHOOK"] = std::string(answer.at("webhook").at("id").as_string());
    }
    if (path.ends_with("/links")) words["WORKER"] = std::string(answer.at("secret").as_string());
    if (path.ends_with("/assignments")) {
      words["ITEM"] = std::string(answer.at("assignments").at(0).at("item").as_string());
    }
    const std::string shown = line.substr(line.find('{'));
    EXPECT_EQ(missing(json::parse(known(shown)), answer, "$"), "") << head << ": " << answered.body;
    head.clear();
    body.clear();
    ++examples;
  }
  EXPECT_GE(examples, 12);
}

TEST(ServerDoc, NamesEveryRoute) {
  TestApi api;
  const std::string page = read_file(root() + "/docs/reference/http.md");
  for (const serve::Route& route : api.service().routes()) {
    const std::string row =
        "`" + std::string(serve::name(route.method)) + " " + route.pattern + "`";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace allot::test::server_doc_test
