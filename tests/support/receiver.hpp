// A receiver of webhooks on this machine.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "support/http_client.hpp"

namespace allot::test {

/// Takes messages, and answers as it is told to.
class Receiver : public http::Service {
 public:
  struct Got {
    std::string id, timestamp, signature, body;
    std::string type() const {
      return std::string(boost::json::parse(body).at("type").as_string());
    }
  };

  // What it never answers is not waited for.
  Receiver() : server_(serve(*this, {.stop_time = std::chrono::milliseconds(0)})) {}
  ~Receiver() override { server_->stop(); }

  Intake intake(const http::Request&) const override { return {}; }
  void handle(http::Request request, http::Reply reply) override {
    const auto field = [&](const char* name) {
      return std::string(request.fields.find(name).value_or(""));
    };
    int status = 0;
    {
      const std::scoped_lock lock(mutex_);
      got_.push_back({field("webhook-id"), field("webhook-timestamp"), field("webhook-signature"),
                      request.body});
      status = answer(got_.size());
      if (status == 0) hanging_.push_back(reply);
    }
    if (status != 0) reply({.status = status});
  }

  /// The status for the n-th message, from 1; with 0 it is left without an answer.
  std::function<int(std::size_t)> answer = [](std::size_t) { return 200; };

  void answer_always(int status) {
    const std::scoped_lock lock(mutex_);
    answer = [status](std::size_t) { return status; };
  }
  std::string url() const { return "http://" + server_->addresses().front() + "/hook"; }
  std::vector<Got> got() const {
    const std::scoped_lock lock(mutex_);
    return got_;
  }
  /// As soon as there are so many.
  std::vector<Got> wait_for(std::size_t count) const {
    EXPECT_TRUE(eventually([&] { return got().size() >= count; })) << got().size();
    return got();
  }
  std::set<std::string> ids() const {
    std::set<std::string> all;
    for (const Got& one : got()) all.insert(one.id);
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Got> got_;
  std::vector<http::Reply> hanging_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace allot::test
