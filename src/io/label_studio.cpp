// Tasks of Label Studio, with the annotations of each.
//
// The label is the value of one control: of a choice, rating, number or pairwise comparison. A file
// with several such controls needs the name of one of them.
#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/json_records.hpp"
#include "io/label_readers.hpp"

namespace allot::io {
namespace {

namespace json = boost::json;

/// The list of annotations of a task; null if there is none. Old exports call them completions.
const json::array* annotations_of(const json::object& task) {
  const json::array* list = array_member(task, "annotations");
  return list ? list : array_member(task, "completions");
}

/// The value of a control as a list of classes; empty if the control is of another kind.
std::vector<std::string> classes_of(const json::object& value, bool named) {
  std::vector<std::string> classes;
  const auto add = [&](const json::value& one) {
    if (auto text = scalar_text(one)) classes.push_back(*std::move(text));
  };
  for (const char* kind : {"choices", "rating", "number", "selected", "text"}) {
    // A text is rarely a class, so it counts only where the user names the control.
    if (kind == std::string_view("text") && !named) continue;
    const json::value* member = value.if_contains(kind);
    if (!member) continue;
    if (const json::array* list = member->if_array()) {
      for (const json::value& one : *list) add(one);
    } else {
      add(*member);
    }
    break;
  }
  return classes;
}

/// Reads the annotations of tasks into a sink.
class TaskReader {
 public:
  TaskReader(const LabelReading& reading, LabelSink& sink) : reading_(reading), sink_(sink) {
    if (reading.columns.label) control_ = *reading.columns.label;
  }

  Result<void> read(std::uint64_t line, const json::object& task) {
    line_ = line;
    const json::array* list = annotations_of(task);
    if (!list) {
      return refuse_line(line, "the task has no list of annotations; expected Label Studio's JSON");
    }
    if (list->empty()) return {};
    const std::string item = TRY(item_of(task));
    for (const json::value& annotation : *list) {
      const json::object* object = annotation.if_object();
      if (!object) {
        return refuse_line(line,
                           "an annotation of task {} is not an object; expected the export "
                           "JSON, which has them in full",
                           in_quotes(item));
      }
      TRY(read_annotation(item, *object));
    }
    return {};
  }

 private:
  Result<std::string> item_of(const json::object& task) const {
    const std::string name = reading_.columns.item.value_or("id");
    const json::object* data = object_member(task, "data");
    const bool in_data = reading_.columns.item && data && data->contains(name);
    const auto item = scalar_member(in_data ? *data : task, name);
    if (item && !item->empty()) return *item;
    return refuse_line(line_,
                       "the task has no {}; expected an id, or --item-column with the name "
                       "of a field of its data",
                       in_quotes(name));
  }

  /// The person's e-mail address or number; empty if the annotation does not say.
  static std::string worker_of(const json::object& annotation) {
    const json::object* person = object_member(annotation, "completed_by");
    if (!person) return scalar_member(annotation, "completed_by").value_or("");
    const std::string email = scalar_member(*person, "email").value_or("");
    return email.empty() ? scalar_member(*person, "id").value_or("") : email;
  }

  Result<void> read_annotation(const std::string& item, const json::object& annotation) {
    const auto is_true = [&](const char* name) {
      const json::value* member = annotation.if_contains(name);
      return member && member->is_bool() && member->get_bool();
    };
    if (is_true("was_cancelled")) {
      sink_.leave_out(&LeftOutLabels::skipped, item);
      return {};
    }
    const std::vector<std::string> labels = TRY(labels_of(annotation));
    if (labels.size() > 1) {
      sink_.leave_out(&LeftOutLabels::ambiguous, item);
      return {};
    }
    const std::string label = labels.empty() ? "" : labels.front();
    if (is_true("ground_truth")) {
      sink_.leave_out(&LeftOutLabels::truths, item);
      sink_.add_truth(line_, item, label);
      return {};
    }
    const std::string worker = worker_of(annotation);
    if (worker.empty() && !reading_.worker) {
      return refuse_line(line_,
                         "an annotation of task {} has no completed_by; expected the person "
                         "who made it",
                         in_quotes(item));
    }
    return sink_.add(line_, {item, worker, label});
  }

  /// The different classes that an annotation names under the control.
  Result<std::vector<std::string>> labels_of(const json::object& annotation) {
    std::vector<std::string> labels;
    const json::array* results = array_member(annotation, "result");
    if (!results) return labels;
    for (const json::value& one : *results) {
      const json::object* result = one.if_object();
      const json::object* value = result ? object_member(*result, "value") : nullptr;
      if (!value) continue;
      const std::string name = scalar_member(*result, "from_name").value_or("");
      if (reading_.columns.label && name != control_) continue;
      const auto classes = classes_of(*value, reading_.columns.label.has_value());
      if (classes.empty()) continue;
      if (!control_) control_ = name;
      if (name != *control_) {
        return refuse_line(line_,
                           "the controls {} and {} could both be the label; expected "
                           "--label-column with one of them",
                           in_quotes(*control_), in_quotes(name));
      }
      for (const std::string& label : classes)
        if (std::ranges::find(labels, label) == labels.end()) labels.push_back(label);
    }
    return labels;
  }

  const LabelReading& reading_;
  LabelSink& sink_;
  std::optional<std::string> control_;
  std::uint64_t line_ = 0;
};

}  // namespace

bool is_label_studio(const TextSample& sample) {
  if (sample.object.contains("completions")) return true;
  const json::array* list = array_member(sample.object, "annotations");
  if (!list) return false;
  if (list->empty()) return sample.object.contains("data");
  const json::object* first = list->front().if_object();
  return first && first->contains("result");
}

Result<void> read_label_studio(std::string_view text, const LabelReading& reading,
                               LabelSink& sink) {
  JsonRecords records(text);
  TaskReader tasks(reading, sink);
  while (TRY(records.next())) TRY(tasks.read(records.line(), TRY(records.object())));
  return {};
}

}  // namespace allot::io
