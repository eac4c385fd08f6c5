// A matrix of labels: one row per item, one column per worker, empty where there is no label.
//
// The first column has the item if its name is empty, an index name of pandas, or a usual name of
// an item. Otherwise all columns are workers, and items are numbered from 0 by row, as in cleanlab.
#include <algorithm>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/label_readers.hpp"

namespace allot::io {
namespace {

/// Position of the column of items, if there is one.
Result<std::optional<std::size_t>> item_place(const RecordReader& rows,
                                              const LabelReading& reading) {
  if (reading.columns.item) {
    return rows.place(reading.columns.item, item_of_labels()).map([](std::size_t place) {
      return std::optional(place);
    });
  }
  const std::vector<std::string_view> names = rows.names();
  const std::string_view first = names.front();
  const bool is_index = first.empty() || first.starts_with("Unnamed") || first == "index" ||
                        same_word(first, "id") ||
                        !places_of(std::span(names).first(1), item_column()).empty();
  return is_index ? std::optional<std::size_t>(0) : std::nullopt;
}

/// Classes are numbers, which pandas writes with a fraction where any is missing: 1.0 is 1.
std::string_view without_fraction(std::string_view label) {
  const std::size_t point = label.find('.');
  if (point == std::string_view::npos || !parse_whole(label.substr(0, point))) return label;
  const bool zeros = label.find_first_not_of('0', point + 1) == std::string_view::npos;
  return zeros ? label.substr(0, point) : label;
}

bool is_small_number(std::string_view label) {
  const auto value = parse_whole(without_fraction(label));
  return value && *value < 1000;
}

}  // namespace

bool is_wide(const TextSample& sample) {
  constexpr std::size_t kLeastColumns = 3, kMostRows = 100;
  if (sample.is_json || sample.header.size() < kLeastColumns) return false;
  const std::vector<std::string_view> names(sample.header.begin(), sample.header.end());
  if (!places_of(names, worker_column()).empty() || !places_of(names, label_column()).empty())
    return false;
  const LabelReading reading;
  const LabelSink sink(reading);
  auto rows = RecordReader::open(sample.text);
  if (!rows || !rows->is_csv()) return false;
  const auto item = item_place(*rows, reading);
  if (!item) return false;
  std::size_t missing = 0;
  for (std::size_t n = 0; n < kMostRows; ++n) {
    const auto found = rows->next();
    if (!found) return false;
    if (!*found) break;
    for (std::size_t i = *item ? 1 : 0; i < sample.header.size(); ++i) {
      const std::string_view label = rows->value(i);
      if (sink.is_missing(label)) {
        ++missing;
      } else if (!is_small_number(label)) {
        return false;
      }
    }
  }
  return missing > 0;
}

Result<void> read_wide_labels(std::string_view text, const LabelReading& reading, LabelSink& sink) {
  auto rows = TRY(RecordReader::open(text));
  if (!rows.is_csv())
    return refuse_line(1, "the text is JSON; expected a table with one column per worker");
  const auto item = TRY(item_place(rows, reading));
  std::vector<std::string> workers;
  for (const std::string_view name : rows.names()) workers.emplace_back(name);
  if (item) sink.item_column = workers[*item];
  std::string number;
  for (std::uint64_t row = 0; TRY(rows.next()); ++row) {
    number = fmt::format("{}", row);
    const std::string_view name = item ? rows.value(*item) : std::string_view(number);
    const std::size_t before = sink.labels.size();
    for (std::size_t i = 0; i < workers.size(); ++i) {
      if (item == i) continue;
      const std::string_view label = rows.value(i);
      // An empty cell is how the matrix says that a worker was not asked.
      if (sink.is_missing(label)) continue;
      TRY(sink.add(rows.line(), {name, workers[i], without_fraction(label)}));
    }
    if (sink.labels.size() == before && !name.empty()) sink.meet(name);
  }
  return {};
}

}  // namespace allot::io
