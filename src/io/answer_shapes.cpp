#include "allot/io/answer_shapes.hpp"

#include <algorithm>
#include <array>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/label_readers.hpp"
#include "io/label_studio_shape.hpp"
#include "io/row_text.hpp"

namespace allot::io {
namespace {

using Row = std::vector<std::string>;
using WriteShape = Result<std::string> (*)(const ShapedAnswers&, std::string_view,
                                           const LabelColumns&);

std::string answer_of(const ShapedAnswers& from, std::size_t item) {
  const auto& answer = from.answers[item];
  return answer ? from.file.classes[position(*answer)] : "";
}

std::string confidence_of(const ShapedAnswers& from, std::size_t item) {
  return from.confidence.empty() || !from.answers[item] ? "" : number_text(from.confidence[item]);
}

std::string rank_of(const ShapedAnswers& from, std::size_t item) {
  return from.answers[item] ? number_text(from.expected_rank[item]) : "";
}

Result<std::string> crowd_kit_shape(const ShapedAnswers& from, std::string_view,
                                    const LabelColumns&) {
  std::string text = csv_line({"task", "agg_label", "confidence"});
  for (std::size_t i = 0; i < from.file.items.size(); ++i) {
    if (!from.answers[i]) continue;
    text += csv_line({from.file.items[i], answer_of(from, i), confidence_of(from, i)});
  }
  return text;
}

Result<std::string> cleanlab_shape(const ShapedAnswers& from, std::string_view,
                                   const LabelColumns&) {
  std::vector<std::uint64_t> labels(from.file.items.size()), agreeing(labels.size());
  for (const model::GivenLabel& given : from.file.set.labels) {
    const std::size_t item = position(given.item);
    ++labels[item];
    agreeing[item] += given.label == from.answers[item];
  }
  std::string text = csv_line({"item", "consensus_label", "consensus_quality_score",
                               "annotator_agreement", "num_annotations"});
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double share = static_cast<double>(agreeing[i]) / static_cast<double>(labels[i]);
    text += csv_line({from.file.items[i], answer_of(from, i), confidence_of(from, i),
                      labels[i] == 0 ? "" : number_text(share), fmt::format("{}", labels[i])});
  }
  return text;
}

/// The items by name.
NameTable item_numbers(const ShapedAnswers& from) { return NameTable(from.file.items); }

/// HITId and the Input columns of each item's first row.
Result<std::vector<Row>> first_inputs(const ShapedAnswers& from, std::string_view text,
                                      Row& header) {
  std::vector<Row> inputs(from.file.items.size());
  const NameTable items = item_numbers(from);
  auto rows = TRY(RecordReader::open(text));
  const std::size_t item = TRY(rows.place(from.file.item_column, item_of_labels()));
  std::vector<std::size_t> kept;
  const auto names = rows.names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != "HITId" && !names[i].starts_with("Input.")) continue;
    kept.push_back(i);
    header.emplace_back(names[i]);
  }
  while (TRY(rows.next())) {
    const auto number = items.find(rows.value(item));
    if (!number || !inputs[*number].empty()) continue;
    for (const std::size_t place : kept) inputs[*number].emplace_back(rows.value(place));
  }
  return inputs;
}

Result<std::string> mturk_shape(const ShapedAnswers& from, std::string_view text,
                                const LabelColumns&) {
  Row header;
  std::vector<Row> inputs;
  if (from.file.format == "mturk") {
    inputs = TRY(first_inputs(from, text, header));
  } else {
    header = {"HITId"};
    for (const std::string& item : from.file.items) inputs.push_back({item});
  }
  const std::size_t width = header.size();
  header.insert(header.end(), {"Answer.label", "Confidence"});
  std::string result = csv_line(header);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Row row = std::move(inputs[i]);
    row.resize(width);  // an item that only features name has no input
    row.push_back(answer_of(from, i));
    row.push_back(confidence_of(from, i));
    result += csv_line(row);
  }
  return result;
}

/// Names of the added columns, different from all columns of the file.
Row added_names(const Row& columns, bool ordered) {
  Row names{"answer", "probability"};
  if (ordered) names.emplace_back("expected_rank");
  for (std::string& name : names) {
    while (std::ranges::find(columns, name) != columns.end()) name.insert(0, "allot_");
  }
  return names;
}

/// All names of JSON objects, or the columns of a table.
Result<NameTable> names_in(std::string_view text) {
  NameTable names;
  auto rows = TRY(RecordReader::open(text, RecordReader::Arrays::accepted));
  while (TRY(rows.next())) {
    if (!rows.names_stay() || names.names().empty())
      for (const std::string_view name : rows.names()) names.number(name);
    if (rows.is_csv()) break;
  }
  return names;
}

Result<std::string> rows_shape(const ShapedAnswers& from, std::string_view text,
                               const LabelColumns&) {
  const bool numbered = from.file.format == "cleanlab" && !from.file.item_column;
  if (!from.file.item_column && !numbered) {
    return invalid(
        "--to rows needs a table or flat JSON objects, and a record of {} holds several labels; "
        "expected another shape",
        from.file.format);
  }
  const NameTable items = item_numbers(from), names = TRY(names_in(text));
  auto rows = TRY(RecordReader::open(text, RecordReader::Arrays::accepted));
  Row header = names.names();
  if (const auto columns = rows.names(); rows.is_csv())
    header.assign(columns.begin(), columns.end());
  const bool ordered = !from.expected_rank.empty();
  const Row added = added_names(header, ordered);
  const std::size_t width = header.size();
  header.insert(header.end(), added.begin(), added.end());
  std::string result = csv_line(header);
  for (std::uint64_t n = 0; TRY(rows.next()); ++n) {
    Row row(width);
    const auto columns = rows.names();
    std::string item = fmt::format("{}", n);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      row[rows.is_csv() ? i : *names.find(columns[i])] = rows.value(i);
      if (from.file.item_column == columns[i]) item = rows.value(i);
    }
    const auto number = items.find(item);
    row.push_back(number ? answer_of(from, *number) : "");
    row.push_back(number ? confidence_of(from, *number) : "");
    if (ordered) row.push_back(number ? rank_of(from, *number) : "");
    result += csv_line(row);
  }
  return result;
}

constexpr std::array<AnswerShape, 5> kShapes{{
    {"crowd-kit", "task,agg_label,confidence"},
    {"cleanlab",
     "item,consensus_label,consensus_quality_score,annotator_agreement,num_annotations"},
    {"label-studio", "tasks with the answer as a prediction, as JSON to import"},
    {"mturk", "HITId, Input columns, Answer.label and Confidence, one row per item"},
    {"rows",
     "every row of the label file, with answer, probability and, if ordered, expected_rank"},
}};

constexpr std::array<WriteShape, kShapes.size()> kWriters{
    crowd_kit_shape, cleanlab_shape, label_studio_shape, mturk_shape, rows_shape};

}  // namespace

std::span<const AnswerShape> answer_shapes() { return kShapes; }

Result<std::string> shape_answers(std::string_view shape, const ShapedAnswers& answers,
                                  std::string_view text, const LabelColumns& columns) {
  const auto found = std::ranges::find(kShapes, shape, &AnswerShape::name);
  if (found != kShapes.end())
    return kWriters[static_cast<std::size_t>(found - kShapes.begin())](answers, text, columns);
  std::vector<std::string_view> names;
  for (const AnswerShape& known : kShapes) names.push_back(known.name);
  return invalid("unknown shape {}{}; expected one of {}", in_quotes(shape),
                 suggestion(shape, names), fmt::join(names, ", "));
}

}  // namespace allot::io
