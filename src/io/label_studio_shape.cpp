#include "io/label_studio_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "allot/base/text.hpp"
#include "base/json_text.hpp"
#include "base/try.hpp"
#include "io/exact_json.hpp"
#include "io/json_records.hpp"
#include "io/name_table.hpp"
#include "io/record_reader.hpp"

namespace allot::io {
namespace {

namespace json = boost::json;

/// A kind of control: the member of a result's value that has the label, and its usual type.
struct ControlKind {
  const char* member;
  const char* type;
  bool is_list;
  bool is_number;
};

constexpr ControlKind kChoices{"choices", "choices", true, false};
constexpr ControlKind kRating{"rating", "rating", false, true};
constexpr std::array<ControlKind, 5> kKinds{{
    kChoices,
    kRating,
    {"number", "number", false, true},
    {"selected", "pairwise", false, false},
    {"text", "textarea", true, false},
}};

/// The control that predictions are for, and the object that it is about.
struct PredictionControl {
  std::string from = "label", to = "text", type = kChoices.type;
  ControlKind kind = kChoices;
  bool known = false;
};

/// Takes the control of a result, if its value can be a label.
void take_control(const json::object& result, const LabelColumns& columns,
                  PredictionControl& control) {
  const json::object* value = object_member(result, "value");
  const auto from = scalar_member(result, "from_name");
  if (!value || !from || (columns.label && *from != *columns.label)) return;
  const auto kind = std::ranges::find_if(
      kKinds, [&](const ControlKind& one) { return value->contains(one.member); });
  // A text is a label only where the user names the control.
  if (kind == kKinds.end() || (kind->member == std::string_view("text") && !columns.label)) return;
  const auto part = [&](const char* name, const char* usual) {
    const auto found = scalar_member(result, name);
    return found && !found->empty() ? *found : std::string(usual);
  };
  control = {*from, part("to_name", "text"), part("type", kind->type), *kind, true};
}

/// Takes the control of the first annotation of a task that has a label.
void find_control(const json::object& task, const LabelColumns& columns,
                  PredictionControl& control) {
  const json::array* list = array_member(task, "annotations");
  if (!list) list = array_member(task, "completions");
  if (!list) return;
  for (const json::value& annotation : *list) {
    const auto* object = annotation.if_object();
    const auto* results = object ? array_member(*object, "result") : nullptr;
    if (!results) continue;
    for (const json::value& one : *results) {
      if (control.known) return;
      if (const auto* result = one.if_object()) take_control(*result, columns, control);
    }
  }
}

bool is_json_number(std::string_view text) {
  const ExactJson parsed = parse_exact_json(text);
  return !parsed.wrong && (parsed.value.is_number() || own_text(parsed.value));
}

/// Tasks with predictions, one after the other.
class PredictionWriter {
 public:
  explicit PredictionWriter(const ShapedAnswers& from) : from_(from), items_(from.file.items) {}

  PredictionControl control = {};

  std::optional<std::uint32_t> find(std::string_view item) const { return items_.find(item); }

  /// Adds the task of an item; `head` is its id and its data. An item without an answer is left
  /// out.
  void add(std::uint32_t item, const std::string& head) {
    const auto& answer = from_.answers[item];
    if (!answer) return;
    const std::string score =
        from_.confidence.empty()
            ? ""
            : fmt::format("\"score\": {}, ", number_text(from_.confidence[item]));
    text_ += fmt::format(
        "{}{{{}, \"predictions\": [{{\"model_version\": {}, {}\"result\": [{{\"from_name\": {}, "
        "\"to_name\": {}, \"type\": {}, \"value\": {{\"{}\": {}}}}}]}}]}}",
        text_.size() > 1 ? ",\n " : "", head, json_string("allot " + from_.method), score,
        json_string(control.from), json_string(control.to), json_string(control.type),
        control.kind.member, value_text(from_.file.classes[position(*answer)]));
  }

  std::string finish() && { return std::move(text_) + "]\n"; }

 private:
  std::string value_text(const std::string& answer) const {
    if (control.kind.is_number && is_json_number(answer)) return answer;
    const std::string text = json_string(answer);
    return control.kind.is_list ? fmt::format("[{}]", text) : text;
  }

  const ShapedAnswers& from_;
  const NameTable items_;
  std::string text_ = "[";
};

/// The item of a task that was read before.
std::string task_item(const json::object& task, const LabelColumns& columns) {
  const std::string name = columns.item.value_or("id");
  const auto* data = object_member(task, "data");
  const bool in_data = columns.item && data && data->contains(name);
  return scalar_member(in_data ? *data : task, name).value_or("");
}

/// The tasks of Label Studio's JSON.
Result<void> add_tasks(std::string_view text, const LabelColumns& columns,
                       PredictionWriter& writer) {
  JsonRecords tasks(TRY(readable_text(text)));
  while (!writer.control.known && TRY(tasks.next()))
    find_control(TRY(tasks.object()), columns, writer.control);
  tasks = JsonRecords(TRY(readable_text(text)));
  while (TRY(tasks.next())) {
    const auto task = TRY(tasks.object());
    const auto item = writer.find(task_item(task, columns));
    if (!item) continue;
    const auto part = [&](const char* name) {
      const auto* member = task.if_contains(name);
      return member ? exact_json_text(*member) : std::string("{}");
    };
    const std::string head =
        task.contains("id") ? fmt::format("\"id\": {}, ", part("id")) : std::string();
    writer.add(*item, head + "\"data\": " + part("data"));
  }
  return {};
}

/// The columns that Label Studio adds behind the data of a task in JSON_MIN and CSV.
constexpr std::array<std::string_view, 6> kOwnColumns{"id",         "annotator",  "annotation_id",
                                                      "created_at", "updated_at", "lead_time"};

/// The id of the task and its data: the columns before the id.
std::string row_head(const RecordReader& rows) {
  std::string id;
  std::vector<JsonMember> data;
  const auto members = rows.members();
  for (const JsonMember& member : members) {
    if (member.name == "id") {
      const bool bare = member.is_text && is_json_number(member.value);
      id = fmt::format("\"id\": {}, ",
                       !member.is_text || bare ? member.value : json_string(member.value));
      break;
    }
    if (std::ranges::find(kOwnColumns, member.name) == kOwnColumns.end()) data.push_back(member);
  }
  return id + "\"data\": " + json_text(data);
}

/// Whether the first label is a number of JSON, as of a rating. A table does not tell.
Result<bool> has_number_labels(std::string_view text, const std::optional<std::string>& column) {
  auto rows = TRY(RecordReader::open(text, RecordReader::Arrays::accepted));
  while (!rows.is_csv() && TRY(rows.next())) {
    const auto members = rows.members();
    const auto label = std::ranges::find(members, column, &JsonMember::name);
    if (label == members.end() || (!label->is_text && label->value == "null")) continue;
    return !label->is_text && is_json_number(label->value);
  }
  return false;
}

/// The rows of JSON_MIN and CSV, one task each for the first row of an item.
Result<void> add_rows(const ShapedAnswers& from, std::string_view text, PredictionWriter& writer) {
  const LabelFile& file = from.file;
  if (file.label_column) writer.control.from = *file.label_column;
  if (TRY(has_number_labels(text, file.label_column))) {
    writer.control.kind = kRating;
    writer.control.type = kRating.type;
  }
  auto rows = TRY(RecordReader::open(text, RecordReader::Arrays::accepted));
  std::vector<bool> written(file.items.size());
  while (TRY(rows.next())) {
    const auto members = rows.members();
    const auto id = std::ranges::find(members, file.item_column, &JsonMember::name);
    const auto item = id == members.end() ? std::nullopt : writer.find(id->value);
    if (!item || written[*item]) continue;
    written[*item] = true;
    writer.add(*item, row_head(rows));
  }
  return {};
}

}  // namespace

Result<std::string> label_studio_shape(const ShapedAnswers& from, std::string_view text,
                                       const LabelColumns& columns) {
  PredictionWriter writer(from);
  if (from.file.format == "label-studio") {
    TRY(add_tasks(text, columns, writer));
  } else if (from.file.format == "label-studio-min") {
    TRY(add_rows(from, text, writer));
  } else {
    for (std::uint32_t i = 0; i < from.file.items.size(); ++i)
      writer.add(i, fmt::format("\"data\": {{\"item\": {}}}", json_string(from.file.items[i])));
  }
  return std::move(writer).finish();
}

}  // namespace allot::io
