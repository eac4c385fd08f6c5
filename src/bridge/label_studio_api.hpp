// The parts of Label Studio's API that the bridge uses.
//
// A legacy token goes into "Authorization: Token". A personal token is a JWT: it is exchanged for
// an access token of a few minutes, which is renewed before it ends and whenever the server refuses
// it. No token is part of an error.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bridge/web_api.hpp"

namespace allot::bridge {

/// What a person said about a task.
struct Annotation {
  std::uint64_t id = 0;
  std::string person = {};      ///< e-mail address if the server gives it, else number
  std::string updated_at = {};  ///< time of the last change, as the server writes it
  bool cancelled = false;       ///< the person skipped the task
  bool ground_truth = false;
  /// Choices by the name of their control.
  std::multimap<std::string, std::string> choices = {};
};

/// A task with its annotations.
struct Task {
  std::uint64_t id = 0;
  /// Members of its data that are texts or numbers.
  std::map<std::string, std::string> data = {};
  bool is_labeled = false;  ///< not offered to anybody
  std::vector<Annotation> annotations = {};
  /// The prediction with the bridge's model version, if there is one.
  std::optional<std::uint64_t> prediction = {};
};

/// Annotations and tasks as the server writes them. What is missing or of another kind is empty.
Annotation annotation_of(const boost::json::value& from);
Task task_of(const boost::json::value& from);

struct Project {
  std::string title, config, sampling;
  std::uint64_t maximum_annotations = 1;
};

/// An answer to show beside a task.
struct TaskPrediction {
  std::uint64_t task;
  std::string control, object, choice;
  double score;
};

inline constexpr const char* kModelVersion = "allot";

class LabelStudioApi {
 public:
  LabelStudioApi(WebApi& web, std::string token, std::uint64_t project)
      : web_(web), token_(std::move(token)), project_(project) {}

  std::uint64_t project_number() const { return project_; }

  Result<Project> project();
  /// Offers tasks in the order of their numbers, one label each at a time.
  Result<void> set_queue();
  /// One page of tasks with annotations and predictions, from 1; empty after the last.
  Result<std::vector<Task>> tasks(std::uint32_t page);
  /// All annotations of a task, cancelled ones apart. `not_found` if the task is gone.
  Result<std::vector<Annotation>> annotations(std::uint64_t task);
  /// Offers the task until it has that many annotations, or to nobody.
  Result<void> open_task(std::uint64_t task, std::uint64_t labels);
  Result<void> close_task(std::uint64_t task);
  /// Adds tasks, each a JSON object; returns their numbers, or none if the server does not tell.
  /// Not repeated if the connection was lost: look for the tasks first.
  Result<std::vector<std::uint64_t>> import(const std::vector<std::string>& data);
  /// Adds a prediction, or replaces one; returns its number.
  Result<std::uint64_t> predict(const TaskPrediction& prediction,
                                std::optional<std::uint64_t> replaced);
  /// Registers the webhook unless the project has one with that URL.
  Result<void> add_webhook(const std::string& url);

 private:
  using Repeat = WebApi::Repeat;
  Result<boost::json::value> call(std::string method, std::string path, std::string body = {},
                                  Repeat repeat = Repeat::safe);
  Result<std::string> authorization(bool renew);

  WebApi& web_;
  const std::string token_;
  const std::uint64_t project_;
  std::mutex mutex_;
  std::string access_ = {};
  std::chrono::steady_clock::time_point access_ends_ = {};
};

}  // namespace allot::bridge
