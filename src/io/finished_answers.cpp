#include "allot/io/finished_answers.hpp"

#include <algorithm>
#include <optional>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/name_table.hpp"
#include "io/notation.hpp"
#include "io/table_reader.hpp"

namespace allot::io {
namespace {

const WantedColumn& answer_column() {
  static const WantedColumn column{"answer",
                                   {{"answer"}, {"label", "agg_label", "class", "category"}}};
  return column;
}

const WantedColumn& probability_column() {
  static const WantedColumn column{"probability", {{"probability"}, {"confidence"}}};
  return column;
}

/// All rows as read; classes are numbered in order of appearance.
struct RawAnswers {
  NameTable items, classes;
  std::vector<std::uint64_t> lines;  // per item
  std::vector<std::uint32_t> answers;
  std::vector<std::optional<double>> stated;
  std::uint64_t unanswered = 0;
};

Result<std::optional<std::size_t>> probability_place(const TableReader& rows) {
  const auto places = places_of(rows.fields(), probability_column());
  if (places.size() > 1)
    return refuse_rivals(rows.line(), rows.fields(), places, probability_column());
  return places.empty() ? std::nullopt : std::optional(places.front());
}

Result<std::optional<double>> read_probability(std::uint64_t line, std::string_view item,
                                               std::string_view field) {
  if (field.empty()) return std::nullopt;
  const auto number = parse_number(field);
  if (number && *number >= 0 && *number <= 1) return number;
  return refuse_line(line, "the probability of item {} is {}; expected a number from 0 to 1",
                     in_quotes(item), in_quotes(field));
}

Result<void> read_row(const TableReader& rows, std::optional<std::size_t> probability,
                      RawAnswers& raw) {
  const std::string_view item = rows.field(0), answer = rows.field(1);
  if (item.empty()) return refuse_line(rows.line(), "the item is empty");
  if (answer.empty()) {
    ++raw.unanswered;
    return {};
  }
  const std::uint32_t number = raw.items.number(item);
  if (number < raw.lines.size())
    return refuse_line(rows.line(), "item {} already has an answer, in line {}; expected one",
                       in_quotes(item), raw.lines[number]);
  raw.lines.push_back(rows.line());
  raw.answers.push_back(raw.classes.number(answer));
  const auto field = probability ? rows.fields()[*probability] : std::string_view();
  raw.stated.push_back(TRY(read_probability(rows.line(), item, field)));
  return {};
}

/// The probabilities; none if no row has one.
Result<std::vector<double>> stated_of(const RawAnswers& raw) {
  const auto known = [](const auto& probability) { return probability.has_value(); };
  std::vector<double> stated;
  if (std::ranges::none_of(raw.stated, known)) return stated;
  for (std::size_t i = 0; i < raw.stated.size(); ++i) {
    if (!raw.stated[i])
      return refuse_line(raw.lines[i], "item {} has no probability, but others do; expected one",
                         in_quotes(raw.items.names()[i]));
    stated.push_back(*raw.stated[i]);
  }
  return stated;
}

}  // namespace

Result<FinishedAnswers> parse_finished_answers(std::string_view text,
                                               const std::vector<std::string>& more_classes) {
  auto rows = TRY(TableReader::open(text, {item_column(), answer_column()}));
  const auto probability = TRY(probability_place(rows));
  RawAnswers raw;
  while (TRY(rows.next())) TRY(read_row(rows, probability, raw));
  if (raw.answers.empty())
    return refuse_line(rows.line(), "there are no answers below the first row");
  for (const std::string& name : more_classes) raw.classes.number(name);
  FinishedAnswers file;
  file.stated = TRY(stated_of(raw));
  file.unanswered = raw.unanswered;
  const std::vector<std::uint32_t> order = class_order(raw.classes.names());
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    rank[order[i]] = i;
    file.classes.push_back(raw.classes.names()[order[i]]);
  }
  for (const std::uint32_t answer : raw.answers) file.answers.push_back(ClassId{rank[answer]});
  file.items = std::move(raw.items).take_names();
  return file;
}

}  // namespace allot::io
