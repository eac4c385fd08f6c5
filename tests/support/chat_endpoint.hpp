// A stand-in for an OpenAI-compatible chat endpoint, with delays and any kind of trouble.
#pragma once

#include <atomic>
#include <boost/json.hpp>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/http_client.hpp"

namespace allot::test {

class ChatEndpoint : public http::Service {
 public:
  /// A request as the endpoint sees it; `number` counts from 1.
  struct Asked {
    std::size_t number;
    std::string model, prompt, authorization;
    bool log_probabilities = false;
  };
  struct Reply {
    int status = 200;
    std::string body;
    std::string retry_after = {};
  };

  /// A reply with these words.
  static Reply says(const std::string& words, const std::string& finish = "stop") {
    return {200, boost::json::serialize(boost::json::object{
                     {"choices", boost::json::array{boost::json::object{
                                     {"finish_reason", finish},
                                     {"message", {{"role", "assistant"}, {"content", words}}}}}}})};
  }
  /// A reply with these words and the log-probabilities of two tokens.
  static Reply says_with(const std::string& words, double first, double second) {
    const auto token = [](double logprob) {
      return boost::json::object{{"token", "t"}, {"logprob", logprob}};
    };
    return {200,
            boost::json::serialize(boost::json::object{
                {"choices",
                 boost::json::array{boost::json::object{
                     {"finish_reason", "stop"},
                     {"logprobs", {{"content", boost::json::array{token(first), token(second)}}}},
                     {"message", {{"role", "assistant"}, {"content", words}}}}}}})};
  }
  /// The reply with the version of the model that gave it.
  static Reply by_version(Reply reply, const std::string& version) {
    auto body = boost::json::parse(reply.body).as_object();
    body["model"] = version;
    reply.body = boost::json::serialize(body);
    return reply;
  }
  static Reply refuses(const std::string& words) {
    return {200, boost::json::serialize(boost::json::object{
                     {"choices", boost::json::array{boost::json::object{
                                     {"finish_reason", "stop"},
                                     {"message", {{"content", nullptr}, {"refusal", words}}}}}}})};
  }

  explicit ChatEndpoint(std::function<Reply(const Asked&)> reply,
                        std::chrono::milliseconds delay = std::chrono::milliseconds(0))
      : reply_(std::move(reply)),
        delay_(delay),
        server_(serve(*this, {.stop_time = std::chrono::milliseconds(0)})),
        thread_([this] { send_replies(); }) {}
  ~ChatEndpoint() override {
    {
      const std::scoped_lock lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
    server_->stop();
  }

  std::string url() const { return "http://" + server_->addresses().front() + "/v1"; }
  Intake intake(const http::Request&) const override { return {}; }
  void handle(http::Request request, http::Reply reply) override {
    if (request.path != "/v1/chat/completions") return reply({.status = 404});
    const auto body = boost::json::parse(request.body);
    Reply made;
    {
      const std::scoped_lock lock(mutex_);
      Asked asked{asked_.size() + 1, std::string(body.at("model").as_string()),
                  std::string(body.at("messages").at(1).at("content").as_string()),
                  std::string(request.fields.find("Authorization").value_or("")),
                  body.as_object().contains("logprobs")};
      made = reply_(asked);
      asked_.push_back(std::move(asked));
      most_at_once_ = std::max(most_at_once_, waiting_.size() + 1);
    }
    http::Response response{.status = made.status, .body = made.body};
    if (!made.retry_after.empty()) response.fields.add("Retry-After", made.retry_after);
    if (delay_.count() == 0) return reply(std::move(response));
    {
      const std::scoped_lock lock(mutex_);
      waiting_.emplace(std::chrono::steady_clock::now() + delay_,
                       [reply = std::move(reply),
                        shared = std::make_shared<http::Response>(std::move(response))] {
                         reply(std::move(*shared));
                       });
    }
    changed_.notify_all();
  }

  std::vector<Asked> asked() const {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }
  std::size_t most_at_once() const {
    const std::scoped_lock lock(mutex_);
    return most_at_once_;
  }

 private:
  void send_replies() {
    std::unique_lock lock(mutex_);
    while (!over_) {
      if (waiting_.empty()) {
        changed_.wait(lock);
        continue;
      }
      const auto due = waiting_.begin()->first;
      if (std::chrono::steady_clock::now() < due) {
        changed_.wait_until(lock, due);
        continue;
      }
      const auto send = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      lock.unlock();
      send();
      lock.lock();
    }
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<Reply(const Asked&)> reply_;
  const std::chrono::milliseconds delay_;
  std::vector<Asked> asked_;
  std::multimap<std::chrono::steady_clock::time_point, std::function<void()>> waiting_;
  std::size_t most_at_once_ = 0;
  bool over_ = false;
  std::unique_ptr<http::Server> server_;
  std::thread thread_;
};

}  // namespace allot::test
