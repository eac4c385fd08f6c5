// Exports of Argilla, Prodigy and doccano: one JSON object per record.
#include <algorithm>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/json_records.hpp"
#include "io/label_readers.hpp"

namespace allot::io {
namespace {

namespace json = boost::json;

/// One record, and where its labels go.
struct ExportedRecord {
  std::uint64_t line;
  const json::object& object;
  const LabelReading& reading;
  LabelSink& sink;

  /// The item: the field that the user named, looked up in the parts of the record too, else the
  /// first of the usual members.
  Result<std::string> item(std::initializer_list<const char*> usual) const {
    const auto& named = reading.columns.item;
    std::vector<std::string> names(usual.begin(), usual.end());
    if (named) names = {*named};
    for (const std::string& name : names) {
      for (const char* part : {"", "fields", "metadata", "meta", "data"}) {
        const json::object* inside = *part ? object_member(object, part) : &object;
        if (*part && !named) break;
        const auto text = inside ? scalar_member(*inside, name) : std::nullopt;
        if (text && !text->empty()) return *text;
      }
    }
    return refuse_line(line,
                       "the record has no {}; expected one, or --item-column with the name "
                       "of another field",
                       in_quotes(names.front()));
  }

  /// The worker: the member that the user named, else the first usual one, else empty.
  std::string worker(std::initializer_list<const char*> usual) const {
    if (reading.columns.worker) return scalar_member(object, *reading.columns.worker).value_or("");
    for (const char* name : usual) {
      const std::string text = scalar_member(object, name).value_or("");
      if (!text.empty()) return text;
    }
    return "";
  }

  /// Adds the classes that a worker named: none is a missing label, several are ambiguous.
  Result<void> add(std::string_view item_name, std::string_view worker_name,
                   const json::value* value) const {
    std::string label;
    if (const json::array* list = value ? value->if_array() : nullptr) {
      if (list->size() > 1) {
        sink.leave_out(&LeftOutLabels::ambiguous, item_name);
        return {};
      }
      value = list->empty() ? nullptr : &list->front();
    }
    if (value) {
      const auto text = scalar_text(*value);
      if (!text) {
        return refuse_line(line,
                           "the label of item {} is a list or an object, not a class; "
                           "expected a text",
                           in_quotes(item_name));
      }
      label = *text;
    }
    return sink.add(line, {item_name, worker_name, label});
  }
};

using ReadRecord = Result<void> (*)(const ExportedRecord&);

Result<void> read_records(std::string_view text, const LabelReading& reading, LabelSink& sink,
                          ReadRecord read) {
  JsonRecords records(text);
  while (TRY(records.next())) {
    const json::object object = TRY(records.object());
    TRY(read({records.line(), object, reading, sink}));
  }
  return {};
}

/// "label.responses" and its users, as Argilla flattens them.
constexpr std::string_view kResponses = ".responses";

/// Whether the value is a list of responses, each by a user.
bool is_response_list(const json::value& value) {
  const json::array* list = value.if_array();
  const json::object* first = list && !list->empty() ? list->front().if_object() : nullptr;
  return first && first->contains("value") && first->contains("user_id");
}

/// Names of the questions that a record has responses to.
std::vector<std::string> questions_of(const json::object& record) {
  std::vector<std::string> names;
  if (const json::object* responses = object_member(record, "responses")) {
    for (const auto& [name, list] : *responses) names.emplace_back(name);
  }
  for (const auto& [name, value] : record) {
    const std::string_view key = name;
    if (key.ends_with(kResponses))
      names.emplace_back(key.substr(0, key.size() - kResponses.size()));
    if (is_response_list(value)) names.emplace_back(key);
  }
  if (const json::array* list = array_member(record, "responses")) {
    for (const json::value& response : *list) {
      const json::object* object = response.if_object();
      const json::object* values = object ? object_member(*object, "values") : nullptr;
      if (!values) continue;
      for (const auto& [name, value] : *values)
        if (std::ranges::find(names, std::string_view(name)) == names.end())
          names.emplace_back(name);
    }
  }
  return names;
}

bool is_submitted(std::string_view status) { return status.empty() || status == "submitted"; }

Result<void> add_response(const ExportedRecord& record, const std::string& item,
                          std::string_view worker, std::string_view status,
                          const json::value* value) {
  if (!is_submitted(status)) {
    record.sink.leave_out(&LeftOutLabels::skipped, item);
    return {};
  }
  return record.add(item, worker, value);
}

/// Responses to one question as a list of objects.
Result<void> add_response_objects(const ExportedRecord& record, const std::string& item,
                                  const json::array& list, const std::string& question) {
  for (const json::value& response : list) {
    const json::object* object = response.if_object();
    if (!object) continue;
    const json::value* value = object->if_contains("value");
    if (const json::object* values = object_member(*object, "values")) {
      const json::object* answer = object_member(*values, question);
      value = answer ? answer->if_contains("value") : nullptr;
    }
    TRY(add_response(record, item, scalar_member(*object, "user_id").value_or(""),
                     scalar_member(*object, "status").value_or(""), value));
  }
  return {};
}

/// Responses to one question as lists of values, users and states.
Result<void> add_response_lists(const ExportedRecord& record, const std::string& item,
                                const std::string& question) {
  const std::string key = question + std::string(kResponses);
  const json::array* values = array_member(record.object, key);
  const json::array* users = array_member(record.object, key + ".users");
  const json::array* states = array_member(record.object, key + ".status");
  if (!values) return {};
  for (std::size_t n = 0; n < values->size(); ++n) {
    const auto text = [&](const json::array* list) {
      return list && n < list->size() ? scalar_text((*list)[n]).value_or("") : "";
    };
    TRY(add_response(record, item, text(users), text(states), &(*values)[n]));
  }
  return {};
}

Result<void> read_argilla_record(const ExportedRecord& record) {
  const std::vector<std::string> questions = questions_of(record.object);
  const auto& named = record.reading.columns.label;
  if (questions.empty()) return {};
  if (!named && questions.size() > 1) {
    return refuse_line(record.line,
                       "the questions {} could all be the label; expected "
                       "--label-column with one of them",
                       some_in_quotes(questions));
  }
  const std::string question = named.value_or(questions.front());
  const std::string item = TRY(record.item({"id", "external_id", "_server_id"}));
  const json::object* nested = object_member(record.object, "responses");
  const json::array* list = nested ? array_member(*nested, question) : nullptr;
  if (!list) list = array_member(record.object, question);
  if (!list) list = array_member(record.object, "responses");
  if (list) return add_response_objects(record, item, *list, question);
  return add_response_lists(record, item, question);
}

/// The choice among options, or whether the example was accepted.
Result<void> read_prodigy_example(const ExportedRecord& record) {
  const json::object& example = record.object;
  const std::string answer = scalar_member(example, "answer").value_or("");
  const json::value* choice = example.if_contains("accept");
  if (record.reading.columns.label) choice = example.if_contains(*record.reading.columns.label);
  if (answer == "ignore" || (choice && answer == "reject")) {
    record.sink.leave_out(&LeftOutLabels::skipped, TRY(record.item({"_input_hash", "_task_hash"})));
    return {};
  }
  const std::string worker = record.worker({"_annotator_id", "_session_id"});
  if (worker.empty() && !record.reading.worker) {
    return refuse_line(record.line,
                       "the example has no _annotator_id and no _session_id; expected "
                       "one of them, or --worker-column");
  }
  if (choice || record.reading.columns.label)
    return record.add(TRY(record.item({"_input_hash", "_task_hash"})), worker, choice);
  return record.add(TRY(record.item({"_task_hash", "_input_hash"})), worker,
                    example.if_contains("answer"));
}

/// Old exports of doccano: one annotation per user and class.
Result<void> read_doccano_annotations(const ExportedRecord& record, const std::string& item,
                                      const json::array& list) {
  const auto& [item_name, worker, label, confidence] = record.reading.columns;
  if (const auto& named = worker ? worker : label) {
    return refuse_line(record.line,
                       "--{}-column {} has no effect on a list of annotations, where user is the "
                       "worker and label the label; expected no such option",
                       worker ? "worker" : "label", in_quotes(*named));
  }
  for (const json::value& one : list) {
    const json::object* annotation = one.if_object();
    if (!annotation) continue;
    TRY(record.add(item, scalar_member(*annotation, "user").value_or(""),
                   annotation->if_contains("label")));
  }
  return {};
}

Result<void> read_doccano_example(const ExportedRecord& record) {
  const std::string item = TRY(record.item({"id"}));
  if (const json::array* list = array_member(record.object, "annotations"))
    return read_doccano_annotations(record, item, *list);
  const std::string worker = record.worker({"user", "username", "annotator", "worker"});
  if (worker.empty() && !record.reading.worker) {
    return refuse_line(record.line,
                       "the example does not say who labelled it, since doccano writes one file "
                       "per user; expected a member \"user\" in every line of the joined files");
  }
  const std::string named = record.reading.columns.label.value_or("label");
  const json::value* label = record.object.if_contains(named);
  return record.add(item, worker, label ? label : record.object.if_contains("labels"));
}

}  // namespace

bool is_argilla(const TextSample& sample) {
  if (sample.object.contains("responses") &&
      (sample.object.contains("fields") || sample.object.contains("suggestions")))
    return true;
  return std::ranges::any_of(sample.object, [](const auto& member) {
    return std::string_view(member.key()).ends_with(kResponses) || is_response_list(member.value());
  });
}

Result<void> read_argilla(std::string_view text, const LabelReading& reading, LabelSink& sink) {
  return read_records(text, reading, sink, read_argilla_record);
}

bool is_prodigy(const TextSample& sample) {
  return sample.object.contains("_input_hash") || sample.object.contains("_task_hash");
}

Result<void> read_prodigy(std::string_view text, const LabelReading& reading, LabelSink& sink) {
  return read_records(text, reading, sink, read_prodigy_example);
}

bool is_doccano(const TextSample& sample) {
  const json::object& example = sample.object;
  if (!example.contains("id") || !(example.contains("text") || example.contains("data")))
    return false;
  if (array_member(example, "label")) return true;
  const json::array* list = array_member(example, "annotations");
  const json::object* first = list && !list->empty() ? list->front().if_object() : nullptr;
  return first && first->contains("label");
}

Result<void> read_doccano(std::string_view text, const LabelReading& reading, LabelSink& sink) {
  return read_records(text, reading, sink, read_doccano_example);
}

}  // namespace allot::io
