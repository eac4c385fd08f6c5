#include "bridge/label_studio_api.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "base/json_text.hpp"

namespace allot::bridge {
namespace {

namespace json = boost::json;

constexpr int kPageSize = 100;
/// An access token lives for five minutes.
constexpr std::chrono::minutes kAccessTime{4};

/// A JWT has three parts; a legacy token has none.
bool is_jwt(const std::string& token) { return std::ranges::count(token, '.') == 2; }

const json::array& list_member(const json::value& value, std::string_view name) {
  static const json::array kNone;
  const json::value* const found = member(value, name);
  return found && found->is_array() ? found->get_array() : kNone;
}

std::string person_of(const json::value& annotation) {
  const json::value* const person = member(annotation, "completed_by");
  if (!person || !person->is_object()) return scalar_of(annotation, "completed_by");
  const std::string email = text_member(*person, "email");
  return email.empty() ? scalar_of(*person, "id") : email;
}

}  // namespace

Annotation annotation_of(const json::value& from) {
  Annotation result{.id = whole_member(from, "id"),
                    .person = person_of(from),
                    .updated_at = text_member(from, "updated_at"),
                    .cancelled = flag_member(from, "was_cancelled"),
                    .ground_truth = flag_member(from, "ground_truth")};
  for (const json::value& one : list_member(from, "result")) {
    const json::value* const value = member(one, "value");
    if (!value) continue;
    for (const json::value& choice : list_member(*value, "choices")) {
      if (choice.is_string())
        result.choices.emplace(text_member(one, "from_name"), std::string(choice.get_string()));
    }
  }
  return result;
}

Task task_of(const json::value& from) {
  Task task{.id = whole_member(from, "id"), .is_labeled = flag_member(from, "is_labeled")};
  if (const json::value* const data = member(from, "data"); data && data->is_object()) {
    for (const auto& [name, value] : data->get_object())
      task.data[std::string(name)] = scalar_of(*data, name);
  }
  for (const json::value& one : list_member(from, "annotations"))
    task.annotations.push_back(annotation_of(one));
  for (const json::value& one : list_member(from, "predictions")) {
    if (text_member(one, "model_version") == kModelVersion)
      task.prediction = whole_member(one, "id");
  }
  return task;
}

Result<std::string> LabelStudioApi::authorization(bool renew) {
  if (!is_jwt(token_)) return "Token " + token_;
  const std::scoped_lock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (access_.empty() || renew || now >= access_ends_) {
    WebApi::Call call{"POST", "/api/token/refresh"};
    call.fields.add("Content-Type", "application/json");
    call.body = fmt::format("{{\"refresh\": {}}}", json_string(token_));
    const auto answer = TRY(web_.send(call));
    access_ = text_member(TRY(json_of(call, answer)), "access");
    access_ends_ = now + kAccessTime;
  }
  return "Bearer " + access_;
}

Result<json::value> LabelStudioApi::call(std::string method, std::string path, std::string body,
                                         Repeat repeat) {
  for (const bool again : {false, true}) {
    WebApi::Call call{method, path, {}, body, repeat};
    call.fields.add("Authorization", TRY(authorization(again)));
    if (!body.empty()) call.fields.add("Content-Type", "application/json");
    const auto answer = TRY(web_.send(call));
    if (answer.status == 401 && !again && is_jwt(token_)) continue;
    return json_of(call, answer);
  }
  return fail(ErrorCode::forbidden, "the token is refused");
}

Result<Project> LabelStudioApi::project() {
  const json::value found = TRY(call("GET", fmt::format("/api/projects/{}/", project_)));
  return Project{text_member(found, "title"), text_member(found, "label_config"),
                 text_member(found, "sampling"), whole_member(found, "maximum_annotations")};
}

Result<void> LabelStudioApi::set_queue() {
  TRY(call("PATCH", fmt::format("/api/projects/{}/", project_),
           R"({"sampling": "Sequential sampling", "maximum_annotations": 1})"));
  return {};
}

Result<std::vector<Task>> LabelStudioApi::tasks(std::uint32_t page) {
  auto found = call("GET", fmt::format("/api/tasks?project={}&page={}&page_size={}&fields=all",
                                       project_, page, kPageSize));
  std::vector<Task> tasks;
  // A page after the last does not exist; the first always does.
  if (!found && found.error().code == ErrorCode::not_found && page > 1) return tasks;
  if (!found) return tl::unexpected(found.error());
  for (const json::value& one : list_member(*found, "tasks")) tasks.push_back(task_of(one));
  return tasks;
}

Result<std::vector<Annotation>> LabelStudioApi::annotations(std::uint64_t task) {
  const json::value found = TRY(call("GET", fmt::format("/api/tasks/{}/annotations/", task)));
  std::vector<Annotation> all;
  if (const json::array* const list = found.if_array())
    for (const json::value& one : *list) all.push_back(annotation_of(one));
  return all;
}

Result<void> LabelStudioApi::open_task(std::uint64_t task, std::uint64_t labels) {
  TRY(call("PATCH", fmt::format("/api/tasks/{}/", task),
           fmt::format("{{\"overlap\": {}, \"is_labeled\": false}}", labels)));
  return {};
}

Result<void> LabelStudioApi::close_task(std::uint64_t task) {
  TRY(call("PATCH", fmt::format("/api/tasks/{}/", task), R"({"is_labeled": true})"));
  return {};
}

Result<std::vector<std::uint64_t>> LabelStudioApi::import(const std::vector<std::string>& data) {
  const json::value found =
      TRY(call("POST", fmt::format("/api/projects/{}/import?return_task_ids=true", project_),
               fmt::format("[{}]", fmt::join(data, ",\n")), Repeat::unsafe));
  std::vector<std::uint64_t> ids;
  for (const json::value& one : list_member(found, "task_ids")) {
    boost::system::error_code wrong;
    if (one.is_number()) ids.push_back(one.to_number<std::uint64_t>(wrong));
  }
  return ids;
}

Result<std::uint64_t> LabelStudioApi::predict(const TaskPrediction& prediction,
                                              std::optional<std::uint64_t> replaced) {
  const std::string body = fmt::format(
      "{{\"task\": {}, \"model_version\": {}, \"score\": {}, \"result\": [{{\"from_name\": {}, "
      "\"to_name\": {}, \"type\": \"choices\", \"value\": {{\"choices\": [{}]}}}}]}}",
      prediction.task, json_string(kModelVersion), number_text(prediction.score),
      json_string(prediction.control), json_string(prediction.object),
      json_string(prediction.choice));
  if (replaced) {
    TRY(call("PATCH", fmt::format("/api/predictions/{}/", *replaced), body));
    return *replaced;
  }
  return whole_member(TRY(call("POST", "/api/predictions/", body, Repeat::unsafe)), "id");
}

Result<void> LabelStudioApi::add_webhook(const std::string& url) {
  const json::value found = TRY(call("GET", fmt::format("/api/webhooks/?project={}", project_)));
  if (const json::array* const list = found.if_array()) {
    for (const json::value& one : *list)
      if (text_member(one, "url") == url) return {};
  }
  TRY(call("POST", "/api/webhooks/",
           fmt::format("{{\"url\": {}, \"project\": {}, \"send_payload\": true, "
                       "\"send_for_all_actions\": false, \"is_active\": true, \"actions\": "
                       "[\"ANNOTATION_CREATED\", \"ANNOTATION_UPDATED\", \"ANNOTATIONS_DELETED\", "
                       "\"TASKS_DELETED\"]}}",
                       json_string(url), project_),
           Repeat::unsafe));
  return {};
}

}  // namespace allot::bridge
