// Batch results of Amazon Mechanical Turk.
//
// The answers of an assignment are fields: the columns that begin with "Answer.", and the members
// of the JSON list in Answer.taskAnswers, joined by dots. The label is the only field with a value,
// or the one box of several that is ticked. A first pass over the rows finds the fields.
#include <map>
#include <set>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/exact_json.hpp"
#include "io/json_records.hpp"
#include "io/label_readers.hpp"

namespace allot::io {
namespace {

constexpr std::string_view kAnswer = "Answer.";
constexpr std::string_view kTaskAnswers = "Answer.taskAnswers";
constexpr std::string_view kTicked = ".on";

struct AnswerField {
  std::string name, value;
};

bool is_tick(std::string_view value) {
  return same_word(value, "true") || same_word(value, "on") || value == "1";
}
bool is_box_value(std::string_view value) {
  return is_tick(value) || value.empty() || same_word(value, "false") || same_word(value, "off") ||
         value == "0";
}

/// Adds the members of an object as fields; depth is bounded by the parser.
void add_fields(const std::string& name, const boost::json::value& value,
                std::vector<AnswerField>& fields) {
  if (const auto* object = value.if_object()) {
    for (const auto& [key, member] : *object)
      add_fields(name + "." + std::string(key), member, fields);
  } else if (const auto text = scalar_text(value)) {
    fields.push_back({name, *text});
  }
}

/// The answers of an assignment.
class AnswerFields {
 public:
  explicit AnswerFields(const TableReader& rows) {
    for (std::size_t i = 0; i < rows.fields().size(); ++i) {
      if (rows.fields()[i].starts_with(kAnswer)) columns_.emplace_back(rows.fields()[i], i);
    }
  }

  Result<std::vector<AnswerField>> read(const TableReader& rows) const {
    std::vector<AnswerField> fields;
    for (const auto& [name, place] : columns_) {
      const std::string_view value = rows.fields()[place];
      if (name != kTaskAnswers) {
        fields.push_back({name, std::string(value)});
        continue;
      }
      const ExactJson parsed = parse_exact_json(value);
      const auto* list = parsed.value.if_array();
      if (!list) {
        return refuse_line(rows.line(), "{} {} is not a JSON list; expected one such as {}",
                           kTaskAnswers, in_quotes(value), R"([{"class": {"label": "yes"}}])");
      }
      for (const boost::json::value& answer : *list) add_fields("Answer", answer, fields);
    }
    return fields;
  }

 private:
  std::vector<std::pair<std::string, std::size_t>> columns_;
};

/// The fields that make the label.
struct LabelFields {
  std::vector<std::string> names;
  /// Whether the label is the name of the box that is ticked.
  bool boxes = false;
};

/// The class behind a box: Answer.sentiment.yes.on and Answer.yes are both yes.
std::string box_class(std::string_view name) {
  name.remove_prefix(std::min(kAnswer.size(), name.size()));
  if (name.ends_with(kTicked)) name.remove_suffix(kTicked.size());
  const std::size_t dot = name.rfind('.');
  return std::string(dot == std::string_view::npos ? name : name.substr(dot + 1));
}

/// Fields with a value in any row, and whether all values are those of a box.
Result<std::map<std::string, bool>> fields_in_use(std::string_view text) {
  auto rows = TRY(TableReader::open(text, {}));
  const AnswerFields answers(rows);
  std::map<std::string, bool> used;
  while (TRY(rows.next())) {
    for (const auto& [name, value] : TRY(answers.read(rows))) {
      if (value.empty()) continue;
      const auto [field, is_new] = used.emplace(name, true);
      field->second = field->second && is_box_value(value);
    }
  }
  return used;
}

/// Whether the field goes by a name that the user gave: in full, without "Answer." or its ending.
bool goes_by_name(std::string_view field, std::string_view named) {
  if (field == named) return true;
  if (!field.starts_with(kAnswer)) return false;
  field.remove_prefix(kAnswer.size());
  return field == named || (field.starts_with(named) && (field.substr(named.size()) == ".label" ||
                                                         field.substr(named.size()) == kTicked));
}

Result<LabelFields> named_fields(const std::map<std::string, bool>& used,
                                 const std::string& named) {
  LabelFields label;
  std::vector<std::string> known;
  for (const auto& [name, is_box] : used) known.push_back(name);
  for (const auto& [name, is_box] : used)
    if (goes_by_name(name, named)) label.names.push_back(name);
  if (label.names.size() == 1) return label;
  label.names.clear();
  for (const std::string_view part : split(named, ',')) {
    for (const std::string& name : known)
      if (goes_by_name(name, trim(part))) label.names.push_back(name);
  }
  label.boxes = label.names.size() > 1;
  if (label.names.size() != split(named, ',').size()) {
    return refuse_line(1, "--label-column {} is no answer of the file; expected one of {}",
                       in_quotes(named), some_in_quotes(known, 10));
  }
  return label;
}

Result<LabelFields> fields_of_label(std::string_view text, const LabelReading& reading) {
  const auto used = TRY(fields_in_use(text));
  if (reading.columns.label) return named_fields(used, *reading.columns.label);
  LabelFields boxes{{}, true}, others;
  for (const auto& [name, is_box] : used) (is_box ? boxes : others).names.push_back(name);
  if (others.names.empty() && boxes.names.size() > 1) return boxes;
  if (others.names.size() + boxes.names.size() == 1) {
    others.names.insert(others.names.end(), boxes.names.begin(), boxes.names.end());
    return others;
  }
  if (others.names.empty()) {
    return refuse_line(1, "no assignment has an answer; expected a column such as Answer.label");
  }
  others.names.insert(others.names.end(), boxes.names.begin(), boxes.names.end());
  return refuse_line(1,
                     "the answers {} could all be the label; expected --label-column with one of "
                     "them, or with a list of check boxes such as yes,no",
                     some_in_quotes(others.names, 10));
}

/// Adds the label of an assignment.
Result<void> add_answer(const std::vector<AnswerField>& answers, const LabelFields& fields,
                        FoundLabel found, std::uint64_t line, LabelSink& sink) {
  std::set<std::string> labels;
  for (const auto& [name, value] : answers) {
    if (std::ranges::find(fields.names, name) == fields.names.end()) continue;
    if (!fields.boxes) labels.insert(value);
    if (fields.boxes && is_tick(value)) labels.insert(box_class(name));
  }
  if (labels.size() > 1) {
    sink.leave_out(&LeftOutLabels::ambiguous, found.item);
    return {};
  }
  if (!labels.empty()) found.label = *labels.begin();
  return sink.add(line, found);
}

}  // namespace

bool is_mturk(const TextSample& sample) {
  return sample.has_column("WorkerId") &&
         (sample.has_prefix(kAnswer) || sample.has_column("AssignmentStatus"));
}

Result<void> read_mturk_labels(std::string_view text, const LabelReading& reading,
                               LabelSink& sink) {
  const auto fields = TRY(fields_of_label(text, reading));
  auto records = TRY(RecordReader::open(text));
  const std::size_t item = TRY(records.place(reading.columns.item, item_of_labels()));
  const std::size_t worker = TRY(records.place(reading.columns.worker, worker_of_labels()));
  const auto status = TRY(records.place_if_any({}, {"status", {{"AssignmentStatus"}}}));
  const auto reason = TRY(records.place_if_any({}, {"reason", {{"Reject"}}}));
  sink.item_column = records.names()[item];
  auto rows = TRY(TableReader::open(text, {}));
  const AnswerFields answers(rows);
  while (TRY(rows.next())) {
    const auto& row = rows.fields();
    const bool rejected =
        (status && same_word(row[*status], "Rejected")) || (reason && !row[*reason].empty());
    if (rejected && !reading.keep_rejected) {
      sink.leave_out(&LeftOutLabels::rejected, row[item]);
      continue;
    }
    TRY(add_answer(TRY(answers.read(rows)), fields, {row[item], row[worker], {}}, rows.line(),
                   sink));
  }
  return {};
}

}  // namespace allot::io
