#include "allot/io/label_formats.hpp"

#include <algorithm>
#include <array>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/label_readers.hpp"

namespace allot::io {
namespace {

using ReadLabels = Result<void> (*)(std::string_view, const LabelReading&, LabelSink&);

/// What a text of a format is.
enum class TextKind { table, json, either };

struct LabelReader {
  ReadLabels read;
  bool (*recognises)(const TextSample&);
  TextKind kind;
  /// The part of the format that is the worker, and the label, whatever the user names; empty if
  /// --worker-column and --label-column can name another.
  std::string_view fixed_worker = {}, fixed_label = {};
};

/// Plain tables first. Recognition goes from the end to the beginning.
constexpr std::array<LabelFormat, 11> kFormats{{
    {"csv", "Table with one row per label, as of crowd-kit or a spreadsheet",
     "Columns item, worker and label under their usual names (docs/reference/file-formats.md), or "
     "those of --item-column, --worker-column and --label-column. Commas, tabs or semicolons.",
     "task,worker,label\nr1,ann,yes\nr1,bob,no\nr2,ann,no\n"},
    {"json", "JSON lines with one object per label, or an array of such objects",
     "Members item, worker and label, found like the columns of a table. An object without a label "
     "counts as missing.",
     "{\"item\": \"r1\", \"worker\": \"ann\", \"label\": \"yes\"}\n"
     "{\"item\": \"r1\", \"worker\": \"bob\", \"label\": \"no\"}\n"},
    {"cleanlab", "Matrix with one row per item and one column per worker",
     "The first column has the item, if it has the name of one or none; else rows are numbered "
     "from 0. Empty cells are no labels, and 1.0 is 1. It is recognised if cells are whole numbers "
     "below 1000 and some are empty.",
     ",ann,bob,cyd\nr1,1,0,\nr2,,0,0\n"},
    {"mturk", "Batch results of Amazon Mechanical Turk",
     "The item is HITId or the Input column of --item-column. The label is the only Answer column "
     "with values, the ticked one of several boxes, or that of --label-column, which can also list "
     "boxes: yes,no. Answer.taskAnswers is taken apart. Rejected assignments are left out.",
     "HITId,WorkerId,AssignmentStatus,Input.text,Answer.yes.on,Answer.no.on\n"
     "h1,ann,Approved,Good.,true,false\n"
     "h1,bob,Submitted,Good.,false,true\n"
     "h1,cyd,Rejected,Good.,true,false\n"},
    {"toloka", "Assignments of Toloka",
     "The item is ASSIGNMENT:task_id or the only INPUT column, the label the only OUTPUT column. "
     "Rejected assignments are left out. GOLDEN columns are truths: give the file to --truth too.",
     "INPUT:text\tOUTPUT:class\tGOLDEN:class\tASSIGNMENT:worker_id\tASSIGNMENT:status\n"
     "Good.\tyes\tyes\tann\tAPPROVED\n"
     "Good.\tno\tyes\tbob\tREJECTED\n"
     "Bad.\tno\t\tann\tAPPROVED\n"},
    {"label-studio-min", "Short exports of Label Studio: JSON_MIN and CSV",
     "The item is id, the worker annotator. The label is the only column between the two, a column "
     "with a usual name, or that of --label-column.",
     "text,id,sentiment,annotator,annotation_id,created_at,updated_at,lead_time\n"
     "Good.,1,yes,ann@example.org,11,,,\n"
     "Good.,1,no,bob@example.org,12,,,\n"},
    {"label-studio", "Tasks of Label Studio with annotations (export JSON)",
     "The item is the id of the task, or the field of its data that --item-column names. The "
     "worker "
     "is completed_by, the label the only choice, rating, number or comparison, or that of the "
     "control that --label-column names. Cancelled annotations are left out, and those marked as "
     "ground truth are truths: give the file to --truth too.",
     "[{\"id\": 1, \"data\": {\"text\": \"Good.\"}, \"annotations\": [\n"
     "  {\"completed_by\": 3, \"result\": [{\"from_name\": \"sentiment\", \"to_name\": \"text\",\n"
     "    \"type\": \"choices\", \"value\": {\"choices\": [\"yes\"]}}]},\n"
     "  {\"completed_by\": 4, \"result\": [{\"from_name\": \"sentiment\", \"to_name\": \"text\",\n"
     "    \"type\": \"choices\", \"value\": {\"choices\": [\"no\"]}}]}]}]\n"},
    {"argilla", "Records of Argilla with responses, nested or flattened",
     "The item is the id of the record, the worker the user_id, the label the value of the only "
     "question or the one that --label-column names. Drafts and discarded responses are left out.",
     "[{\"id\": \"r1\", \"fields\": {\"text\": \"Good.\"}, \"responses\": {\"sentiment\": [\n"
     "  {\"value\": \"yes\", \"user_id\": \"ann\"}, {\"value\": \"no\", \"user_id\": "
     "\"bob\"}]}}]\n"},
    {"prodigy", "Examples of Prodigy (db-out)",
     "The item is _input_hash and the label the only accepted choice; without choices, the item is "
     "_task_hash and the label accept or reject. The worker is _annotator_id, else _session_id. "
     "Ignored examples are left out.",
     "{\"text\": \"Good.\", \"_input_hash\": 5, \"_task_hash\": 7, \"accept\": [\"yes\"], "
     "\"answer\": \"accept\", \"_annotator_id\": \"ann\"}\n"
     "{\"text\": \"Good.\", \"_input_hash\": 5, \"_task_hash\": 7, \"accept\": [\"no\"], "
     "\"answer\": \"accept\", \"_annotator_id\": \"bob\"}\n"},
    {"doccano", "Examples of doccano with labels (JSONL)",
     "The item is the id, the label the only element of label. doccano writes one file per user: "
     "add a member \"user\" to each line and join the files.",
     "{\"id\": 1, \"text\": \"Good.\", \"label\": [\"yes\"], \"user\": \"ann\"}\n"
     "{\"id\": 1, \"text\": \"Good.\", \"label\": [\"no\"], \"user\": \"bob\"}\n"},
    {"snow", "Labels of Snow et al. (2008), with the truth",
     "Tab-separated columns !amt_worker_ids, orig_id, response and gold. The column gold is the "
     "truth: give the file to --truth too.",
     "!amt_annotation_ids\t!amt_worker_ids\torig_id\tresponse\tgold\n"
     "1\tann\tr1\t1\t1\n"
     "2\tbob\tr1\t0\t1\n"},
}};

bool is_table(const TextSample& sample) { return !sample.is_json; }
bool is_json_text(const TextSample& sample) { return sample.is_json; }
bool is_snow(const TextSample& sample) { return sample.has_column("!amt_worker_ids"); }

/// The readers of kFormats, in the same order.
constexpr std::array<LabelReader, kFormats.size()> kReaders{{
    {read_plain_labels, is_table, TextKind::table},
    {read_plain_labels, is_json_text, TextKind::json},
    {read_wide_labels, is_wide, TextKind::table, "each column", "each cell"},
    {read_mturk_labels, is_mturk, TextKind::table},
    {read_toloka_labels, is_toloka, TextKind::table},
    {read_annotation_rows, is_annotation_rows, TextKind::either},
    {read_label_studio, is_label_studio, TextKind::json, "completed_by"},
    {read_argilla, is_argilla, TextKind::json, "user_id"},
    {read_prodigy, is_prodigy, TextKind::json},
    {read_doccano, is_doccano, TextKind::json},
    {read_plain_labels, is_snow, TextKind::table},
}};

/// The beginning of a clean text.
Result<TextSample> sample_of(std::string_view text) {
  TextSample sample{text};
  sample.is_json = looks_like_json(text);
  if (!sample.is_json) {
    const auto rows = TRY(TableReader::open(text, {}));
    for (const std::string_view name : rows.fields()) sample.header.emplace_back(name);
    return sample;
  }
  JsonRecords records(text);
  if (TRY(records.next())) sample.object = TRY(records.object());
  return sample;
}

/// Position of the format of a clean text.
Result<std::size_t> place_of_format(std::string_view text) {
  const TextSample sample = TRY(sample_of(text));
  std::size_t place = kReaders.size() - 1;
  while (place > 0 && !kReaders[place].recognises(sample)) --place;
  return place;
}

Result<std::size_t> place_of_name(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &LabelFormat::name);
  if (found != kFormats.end()) return static_cast<std::size_t>(found - kFormats.begin());
  std::vector<std::string_view> names;
  for (const LabelFormat& format : kFormats) names.push_back(format.name);
  return invalid("unknown format {}{}; expected one of {}", in_quotes(name),
                 suggestion(name, names), fmt::join(names, ", "));
}

/// Refuses a text that cannot be of that format.
Result<void> check_kind(std::string_view text, std::size_t place) {
  const TextKind kind = kReaders[place].kind;
  if (kind == TextKind::either || looks_like_json(text) == (kind == TextKind::json)) return {};
  return refuse_line(1, "the text is {}; expected {} for the format {}",
                     kind == TextKind::json ? "not JSON" : "JSON",
                     kind == TextKind::json ? "JSON" : "a table", kFormats[place].name);
}

/// Refuses one column for two parts of a label.
Result<void> check_different(const LabelColumns& columns) {
  const std::array parts{std::pair{"item", &columns.item}, std::pair{"worker", &columns.worker},
                         std::pair{"label", &columns.label}};
  for (std::size_t a = 0; a < parts.size(); ++a) {
    for (std::size_t b = a + 1; b < parts.size(); ++b) {
      const auto& [part, name] = parts[b];
      if (!*name || *name != *parts[a].second) continue;
      return invalid("--{}-column {} is also --{}-column; expected different columns", part,
                     in_quotes(**name), parts[a].first);
    }
  }
  return {};
}

/// Refuses the name of a column that the format does not read.
Result<void> check_columns(const LabelColumns& columns, std::size_t place) {
  const auto check = [&](std::string_view part, const std::optional<std::string>& named,
                         std::string_view fixed) -> Result<void> {
    if (!named || fixed.empty()) return {};
    return invalid(
        "--{}-column {} has no effect in the format {}, where {} is the {}; expected no such "
        "option",
        part, in_quotes(*named), kFormats[place].name, fixed, part);
  };
  TRY(check_different(columns));
  TRY(check("worker", columns.worker, kReaders[place].fixed_worker));
  return check("label", columns.label, kReaders[place].fixed_label);
}

}  // namespace

bool TextSample::has_column(std::string_view name) const {
  return std::ranges::find(header, name) != header.end() || object.contains(name);
}

bool TextSample::has_prefix(std::string_view beginning) const {
  return std::ranges::any_of(header,
                             [&](std::string_view name) { return name.starts_with(beginning); });
}

std::span<const LabelFormat> label_formats() { return kFormats; }

Result<LabelFormat> label_format(std::string_view name) {
  return kFormats[TRY(place_of_name(name))];
}

Result<LabelFormat> recognise_labels(std::string_view text) {
  return kFormats[TRY(place_of_format(TRY(readable_text(text))))];
}

Result<std::string_view> read_any_labels(std::string_view text, const LabelReading& reading,
                                         LabelSink& sink) {
  const std::string_view clean = TRY(readable_text(text));
  const std::size_t place =
      TRY(reading.format.empty() ? place_of_format(clean) : place_of_name(reading.format));
  TRY(check_kind(clean, place));
  TRY(check_columns(reading.columns, place));
  TRY(kReaders[place].read(clean, reading, sink));
  return kFormats[place].name;
}

}  // namespace allot::io
