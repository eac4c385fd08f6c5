// A stand-in for Label Studio: plays the documented rules of its API, and of how it offers tasks.
//
//   - A task is offered if is_labeled is false, in the order of numbers, to people who have not
//     annotated it, while locks and annotations are fewer than its overlap.
//   - An annotation, its change or its deletion sets is_labeled to "as many as overlap or more".
//   - A webhook is sent once, and never again.
#pragma once

#include <atomic>
#include <boost/json.hpp>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "http/client.hpp"
#include "support/http_client.hpp"

namespace allot::test {

class LabelStudioStandIn : public http::Service {
 public:
  struct Note {
    std::uint64_t id;
    int person;
    std::string choice;
    bool cancelled = false;
    std::string updated_at = "2026-11-17T00:00:00Z";
  };
  struct Job {
    boost::json::object data;
    bool is_labeled = false;
    std::uint64_t overlap = 1;
    std::vector<Note> notes;
    std::set<int> locks;
    std::map<std::uint64_t, boost::json::value> predictions;
  };
  /// What happens instead of the answer to a request.
  struct Fault {
    int status = 500;
    std::string retry_after = {};
    bool acts = false;  // the request takes effect all the same
  };

  explicit LabelStudioStandIn(std::string token = "secret-token")
      : token_(std::move(token)),
        client_(http::Client::start({.private_addresses = true}).value()),
        server_(serve(*this, {.stop_time = std::chrono::milliseconds(0)})) {}
  ~LabelStudioStandIn() override {
    client_->stop(std::chrono::seconds(5));
    server_->stop();
  }

  std::string url() const { return "http://" + server_->addresses().front(); }
  Intake intake(const http::Request&) const override { return {.largest_body = 64 << 20}; }
  void handle(http::Request request, http::Reply reply) override {
    const std::scoped_lock lock(mutex_);
    ++requests;
    std::optional<Fault> fault;
    if (!faults.empty()) {
      fault = faults.front();
      faults.pop_front();
    }
    http::Response response;
    if (!fault || fault->acts) response = answer(request);
    const auto open = static_cast<std::size_t>(
        std::ranges::count_if(jobs, [](const auto& one) { return !one.second.is_labeled; }));
    most_open = std::max(most_open, open);
    if (fault) {
      response = {.status = fault->status, .body = "broken"};
      if (!fault->retry_after.empty()) response.fields.add("Retry-After", fault->retry_after);
    }
    reply(std::move(response));
  }

  // What people do.

  /// The task that the person would get, locked for them.
  std::optional<std::uint64_t> next_task(int person) {
    const std::scoped_lock lock(mutex_);
    for (auto& [number, job] : jobs) {
      if (job.is_labeled || has_annotated(job, person)) continue;
      if (!job.locks.contains(person) && job.locks.size() + done(job) >= job.overlap) continue;
      job.locks.insert(person);
      return number;
    }
    return {};
  }
  /// Whether or not the task is offered: people can have it on their screens.
  std::uint64_t annotate(int person, std::uint64_t task, const std::string& choice,
                         bool cancelled = false) {
    std::unique_lock lock(mutex_);
    Job& job = jobs.at(task);
    job.locks.erase(person);
    job.notes.push_back({++last_, person, choice, cancelled});
    update(job);
    return tell("ANNOTATION_CREATED", task, last_, lock);
  }
  void edit(std::uint64_t task, std::uint64_t note, const std::string& choice) {
    std::unique_lock lock(mutex_);
    for (Note& one : jobs.at(task).notes) {
      if (one.id != note) continue;
      one.choice = choice;
      one.updated_at = "2026-11-17T00:00:" + std::to_string(10 + ++last_ % 50) + "Z";
    }
    tell("ANNOTATION_UPDATED", task, note, lock);
  }
  void erase(std::uint64_t task, std::uint64_t note) {
    std::unique_lock lock(mutex_);
    std::erase_if(jobs.at(task).notes, [&](const Note& one) { return one.id == note; });
    update(jobs.at(task));
    tell("ANNOTATIONS_DELETED", task, note, lock);
  }
  void erase_task(std::uint64_t task) {
    const std::scoped_lock lock(mutex_);
    jobs.erase(task);
  }

  std::vector<std::uint64_t> open_tasks() const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::uint64_t> open;
    for (const auto& [number, job] : jobs)
      if (!job.is_labeled) open.push_back(number);
    return open;
  }
  std::size_t annotations() const {
    const std::scoped_lock lock(mutex_);
    std::size_t count = 0;
    for (const auto& [number, job] : jobs) count += done(job);
    return count;
  }
  std::string item_of(std::uint64_t task) const {
    const std::scoped_lock lock(mutex_);
    const auto* const item = jobs.at(task).data.if_contains("allot_item");
    return item ? std::string(item->as_string()) : std::to_string(task);
  }

  // Read and written under `guard`, or before any request.
  std::map<std::uint64_t, Job> jobs;
  std::deque<Fault> faults;
  std::string sampling = "Uniform sampling";
  std::string config =
      "<View><Text name=\"text\" value=\"$text\"/><Choices name=\"mood\" toName=\"text\">"
      "<Choice value=\"no\"/><Choice value=\"yes\"/></Choices></View>";
  bool sends_webhooks = true;
  bool tells_task_ids = true;
  std::string refresh_token;  // for tokens that must be exchanged
  std::vector<std::string> webhooks;
  std::atomic<std::uint64_t> requests = 0, predictions = 0, refreshes = 0;
  std::size_t most_open = 0;  // tasks at a time
  std::unique_lock<std::mutex> guard() const { return std::unique_lock(mutex_); }

 private:
  static std::size_t done(const Job& job) {
    return static_cast<std::size_t>(
        std::ranges::count_if(job.notes, [](const Note& one) { return !one.cancelled; }));
  }
  static bool has_annotated(const Job& job, int person) {
    return std::ranges::any_of(job.notes, [&](const Note& one) { return one.person == person; });
  }
  static void update(Job& job) { job.is_labeled = done(job) >= job.overlap; }

  std::uint64_t tell(const char* action, std::uint64_t task, std::uint64_t note,
                     std::unique_lock<std::mutex>& lock) {
    const auto urls = sends_webhooks ? webhooks : std::vector<std::string>();
    lock.unlock();
    const std::string body =
        boost::json::serialize(boost::json::object{{"action", action},
                                                   {"annotation", {{"id", note}, {"task", task}}},
                                                   {"task", {{"id", task}}}});
    http::Fields fields;
    fields.add("Content-Type", "application/json");
    for (const std::string& url : urls) client_->post(url, fields, body, [](const Result<int>&) {});
    return note;
  }

  boost::json::value note_json(const Note& note) const {
    boost::json::array result;
    if (!note.cancelled) {
      result.push_back({{"from_name", "mood"},
                        {"to_name", "text"},
                        {"type", "choices"},
                        {"value", {{"choices", boost::json::array{note.choice}}}}});
    }
    return {
        {"id", note.id},         {"completed_by", note.person},   {"was_cancelled", note.cancelled},
        {"ground_truth", false}, {"updated_at", note.updated_at}, {"result", std::move(result)}};
  }

  boost::json::value job_json(std::uint64_t number, const Job& job) const {
    boost::json::array notes, guesses;
    for (const Note& one : job.notes) notes.push_back(note_json(one));
    for (const auto& [id, one] : job.predictions) guesses.push_back(one);
    return {{"id", number},           {"data", job.data},
            {"overlap", job.overlap}, {"is_labeled", job.is_labeled},
            {"annotations", notes},   {"predictions", guesses}};
  }

  static http::Response text(int status, const boost::json::value& body) {
    return {.status = status, .body = boost::json::serialize(body)};
  }

  bool allowed(const http::Request& request) {
    const std::string given(request.fields.find("Authorization").value_or(""));
    return given == (refresh_token.empty() ? "Token " : "Bearer ") + token_;
  }

  http::Response answer(const http::Request& request) {
    const std::string& path = request.path;
    if (path == "/api/token/refresh") {
      ++refreshes;
      const auto body = boost::json::parse(request.body);
      if (body.at("refresh").as_string() != refresh_token) return text(401, {{"detail", "no"}});
      token_ = "access-" + std::to_string(refreshes.load());
      return text(200, {{"access", token_}});
    }
    if (!allowed(request)) return text(401, {{"detail", "Invalid token."}});
    if (path == "/api/projects/7/") return project(request);
    if (path == "/api/projects/7/import") return add(request);
    if (path == "/api/tasks") return page(request);
    if (path.starts_with("/api/tasks/")) return task(request);
    if (path.starts_with("/api/predictions/")) return predict(request);
    if (path == "/api/webhooks/") return hook(request);
    return text(404, {{"detail", "Not found."}});
  }

  http::Response project(const http::Request& request) {
    if (request.method == http::Method::patch)
      sampling = boost::json::parse(request.body).at("sampling").as_string();
    return text(200, {{"id", 7},
                      {"title", "Moods"},
                      {"label_config", config},
                      {"sampling", sampling},
                      {"maximum_annotations", 1}});
  }

  http::Response add(const http::Request& request) {
    boost::json::array ids;
    const boost::json::value sent = boost::json::parse(request.body);
    for (const auto& one : sent.as_array()) {
      const std::uint64_t number = jobs.empty() ? 1 : jobs.rbegin()->first + 1;
      jobs[number].data = one.at("data").as_object();
      ids.push_back(number);
    }
    boost::json::object reply{{"task_count", ids.size()}};
    if (tells_task_ids) reply["task_ids"] = ids;
    return text(201, reply);
  }

  http::Response page(const http::Request& request) {
    const auto parameter = [&](const char* name) {
      for (const auto& [key, value] : request.query)
        if (key == name) return std::stoul(value);
      return 1UL;
    };
    const std::size_t size = parameter("page_size"), first = (parameter("page") - 1) * size;
    if (first >= std::max<std::size_t>(jobs.size(), 1))
      return text(404, {{"detail", "Invalid page."}});
    boost::json::array tasks;
    std::size_t n = 0;
    for (const auto& [number, job] : jobs) {
      if (n >= first && n < first + size) tasks.push_back(job_json(number, job));
      ++n;
    }
    return text(200, {{"tasks", tasks}, {"total", jobs.size()}});
  }

  http::Response task(const http::Request& request) {
    const std::uint64_t number = std::stoul(request.path.substr(11));
    const auto found = jobs.find(number);
    if (found == jobs.end()) return text(404, {{"detail", "Not found."}});
    Job& job = found->second;
    if (request.path.ends_with("/annotations/")) {
      boost::json::array notes;
      for (const Note& one : job.notes)
        if (!one.cancelled) notes.push_back(note_json(one));
      return text(200, notes);
    }
    const auto body = boost::json::parse(request.body).as_object();
    if (const auto* overlap = body.if_contains("overlap"))
      job.overlap = overlap->to_number<std::uint64_t>();
    if (const auto* labeled = body.if_contains("is_labeled")) job.is_labeled = labeled->as_bool();
    return text(200, job_json(number, job));
  }

  http::Response predict(const http::Request& request) {
    ++predictions;
    auto body = boost::json::parse(request.body).as_object();
    Job& job = jobs.at(body.at("task").to_number<std::uint64_t>());
    const std::uint64_t id =
        request.method == http::Method::patch ? std::stoul(request.path.substr(17)) : ++last_;
    body["id"] = id;
    job.predictions[id] = body;
    return text(201, body);
  }

  http::Response hook(const http::Request& request) {
    if (request.method == http::Method::get) {
      boost::json::array all;
      for (const std::string& url : webhooks) all.push_back(boost::json::object{{"url", url}});
      return text(200, all);
    }
    webhooks.emplace_back(boost::json::parse(request.body).at("url").as_string());
    return text(201, {{"id", 1}});
  }

  mutable std::mutex mutex_;
  std::string token_;
  std::uint64_t last_ = 100;
  const std::unique_ptr<http::Client> client_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace allot::test
