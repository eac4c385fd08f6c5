// Formats with one row per label: plain tables and JSON objects, Toloka, Label Studio's short
// forms.
#include <algorithm>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/label_readers.hpp"
#include "io/notation.hpp"

namespace allot::io {
namespace {

/// Positions of the values of a label in a row. A place that is missing stands for an empty value.
struct LabelPlaces {
  std::size_t item = 0;
  std::optional<std::size_t> worker = {}, label = {};
  /// Column that says whether the assignment was rejected.
  std::optional<std::size_t> status = {};
  std::optional<std::size_t> confidence = {};
};

using FindPlaces = Result<LabelPlaces> (*)(const RecordReader&, const LabelReading&);

/// Prefers a column with exactly this name to all others.
WantedColumn own_first(const char* own, const WantedColumn& usual) {
  WantedColumn wanted = usual;
  wanted.names.insert(wanted.names.begin(), {own});
  return wanted;
}

Result<std::optional<std::size_t>> worker_place(const RecordReader& rows,
                                                const LabelReading& reading,
                                                const WantedColumn& wanted) {
  const auto& named = reading.columns.worker;
  if (reading.worker && !named) return rows.place_if_any({}, wanted);
  return rows.place(named, wanted).map([](std::size_t place) { return std::optional(place); });
}

/// JSON objects leave out missing values, so one without a label is not answered yet.
Result<std::optional<std::size_t>> label_place(const RecordReader& rows,
                                               const LabelReading& reading,
                                               const WantedColumn& wanted) {
  const auto& named = reading.columns.label;
  if (!rows.is_csv()) return rows.place_if_any(named, wanted);
  return rows.place(named, wanted).map([](std::size_t place) { return std::optional(place); });
}

Result<LabelPlaces> plain_places(const RecordReader& rows, const LabelReading& reading) {
  static const WantedColumn kItem = own_first("item", item_of_labels());
  static const WantedColumn kWorker = own_first("worker", worker_of_labels());
  static const WantedColumn kLabel = own_first("label", label_of_labels());
  const bool own = reading.prefer_own_names;
  LabelPlaces places;
  places.item = TRY(rows.place(reading.columns.item, own ? kItem : item_of_labels()));
  places.worker = TRY(worker_place(rows, reading, own ? kWorker : worker_of_labels()));
  places.label = TRY(label_place(rows, reading, own ? kLabel : label_of_labels()));
  const auto& confidence = reading.columns.confidence;
  static const WantedColumn kConfidence{"confidence", {{"confidence"}}, "--confidence-column"};
  if (confidence && rows.is_csv()) places.confidence = TRY(rows.place(confidence, kConfidence));
  if (confidence && !rows.is_csv()) {
    const auto names = rows.names();
    const auto found = std::ranges::find(names, *confidence);
    if (found != names.end()) places.confidence = static_cast<std::size_t>(found - names.begin());
  }
  return places;
}

Result<LabelPlaces> toloka_places(const RecordReader& rows, const LabelReading& reading) {
  LabelPlaces places = TRY(plain_places(rows, reading));
  places.status = TRY(rows.place_if_any({}, {"status", {{"ASSIGNMENT:status"}}}));
  return places;
}

const WantedColumn& label_of_annotations() {
  static const WantedColumn column{
      "label", {{"label", "answer", "choice", "class", "category"}}, "--label-column"};
  return column;
}

Result<LabelPlaces> annotation_places(const RecordReader& rows, const LabelReading& reading) {
  static const WantedColumn kItem{"item", {{"id"}}, "--item-column"};
  LabelPlaces places;
  places.item = TRY(rows.place(reading.columns.item, kItem));
  places.worker = TRY(worker_place(rows, reading, worker_of_labels()));
  places.label = TRY(label_place(rows, reading, label_of_annotations()));
  return places;
}

/// Adds the columns between the task's data and the annotator, where Label Studio puts controls.
void add_controls(std::span<const std::string_view> names, NameTable& controls) {
  const auto id = std::ranges::find(names, "id"), annotator = std::ranges::find(names, "annotator");
  for (auto name = id; name < annotator; ++name)
    if (name != id) controls.number(*name);
}

/// Name of the control that has the label; none if no row has a control in its place. A row of
/// JSON_MIN has only the controls that its annotator used, so all rows have a say.
Result<std::optional<std::string>> control_of(std::string_view text) {
  NameTable controls;
  auto rows = TRY(RecordReader::open(text, RecordReader::Arrays::accepted));
  if (rows.is_csv()) add_controls(rows.names(), controls);
  for (bool first = true; !rows.is_csv() && TRY(rows.next()); first = false)
    if (first || !rows.names_stay()) add_controls(rows.names(), controls);
  const std::vector<std::string>& found = controls.names();
  if (found.size() <= 1) return found.empty() ? std::nullopt : std::optional(found.front());
  const std::vector<std::string_view> names(found.begin(), found.end());
  const auto usual = places_of(names, label_of_annotations());
  if (usual.size() == 1) return found[usual.front()];
  return refuse_line(
      1, "the controls {} could all be the label; expected --label-column with one of them",
      some_in_quotes(found, 10));
}

/// Whether a JSON value that is not a text is a list or an object.
bool is_nested(const JsonMember& member) {
  return !member.is_text && (member.value.starts_with('[') || member.value.starts_with('{'));
}

/// Whether the text is Label Studio's object of several choices.
bool has_choices(std::string_view label) {
  if (!label.starts_with('{')) return false;
  const auto members = parse_json_object(label);
  return members && std::ranges::find(*members, "choices", &JsonMember::name) != members->end();
}

/// Refuses a list or an object where a name is expected.
Result<void> check_flat(const RecordReader& rows, std::string_view what,
                        const std::optional<std::size_t>& place) {
  if (!place || rows.is_csv() || !is_nested(rows.members()[*place])) return {};
  return refuse_line(rows.line(), "the {} {} is a list or an object; expected a text", what,
                     in_quotes(rows.value(*place)));
}

Result<void> add_row(const RecordReader& rows, const LabelPlaces& places,
                     const LabelReading& reading, LabelSink& sink) {
  TRY(check_flat(rows, "item", places.item));
  TRY(check_flat(rows, "worker", places.worker));
  const std::string_view item = rows.value(places.item);
  if (places.status && !reading.keep_rejected &&
      same_word(rows.value(*places.status), "REJECTED")) {
    sink.leave_out(&LeftOutLabels::rejected, item);
    return {};
  }
  const auto value = [&](const std::optional<std::size_t>& place) {
    return place ? rows.value(*place) : std::string_view();
  };
  if (has_choices(value(places.label))) {
    sink.leave_out(&LeftOutLabels::ambiguous, item);
    return {};
  }
  TRY(check_flat(rows, "label", places.label));
  return sink.add(rows.line(),
                  {item, value(places.worker), value(places.label), value(places.confidence)});
}

Result<void> read_rows_of_labels(std::string_view text, const LabelReading& reading,
                                 LabelSink& sink, FindPlaces find) {
  auto rows = TRY(RecordReader::open(text, RecordReader::Arrays::accepted));
  std::optional<LabelPlaces> places;
  if (rows.is_csv()) places = TRY(find(rows, reading));
  while (TRY(rows.next())) {
    if (!places || !rows.names_stay()) places = TRY(find(rows, reading));
    TRY(add_row(rows, *places, reading, sink));
  }
  if (!places) return {};
  sink.item_column = rows.names()[places->item];
  sink.label_column = reading.columns.label;
  if (places->label) sink.label_column = rows.names()[*places->label];
  return {};
}

}  // namespace

const WantedColumn& item_of_labels() {
  static const WantedColumn column = with_option(item_column(), "--item-column");
  return column;
}
const WantedColumn& worker_of_labels() {
  static const WantedColumn column = with_option(worker_column(), "--worker-column");
  return column;
}
const WantedColumn& label_of_labels() {
  static const WantedColumn column = with_option(label_column(), "--label-column");
  return column;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, {}, [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; },
      [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
}

Result<void> read_plain_labels(std::string_view text, const LabelReading& reading,
                               LabelSink& sink) {
  return read_rows_of_labels(text, reading, sink, plain_places);
}

Result<void> read_toloka_labels(std::string_view text, const LabelReading& reading,
                                LabelSink& sink) {
  return read_rows_of_labels(text, reading, sink, toloka_places);
}

bool is_toloka(const TextSample& sample) {
  return sample.has_prefix("OUTPUT:") || sample.has_prefix("ASSIGNMENT:");
}

Result<void> read_annotation_rows(std::string_view text, const LabelReading& reading,
                                  LabelSink& sink) {
  LabelReading of_control = reading;
  if (!reading.columns.label) of_control.columns.label = TRY(control_of(text));
  return read_rows_of_labels(text, of_control, sink, annotation_places);
}

bool is_annotation_rows(const TextSample& sample) {
  return sample.has_column("annotation_id") && sample.has_column("annotator") &&
         sample.has_column("id");
}

}  // namespace allot::io
