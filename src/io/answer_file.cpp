#include "allot/io/answer_file.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "io/record_reader.hpp"

namespace allot::io {
namespace {

/// Prefers a column with exactly this name to all others. The rows that campaigns hand out have
/// one, besides the columns of the items.
WantedColumn own_first(const char* own, const WantedColumn& usual) {
  WantedColumn wanted = usual;
  wanted.names.insert(wanted.names.begin(), {own});
  return wanted;
}

struct Places {
  std::size_t item = 0;
  std::optional<std::size_t> label, worker;
};

Result<Places> places_in(const RecordReader& rows, const AnswerColumns& columns,
                         const std::optional<std::string>& worker) {
  static const WantedColumn kItem = own_first("item", item_column());
  static const WantedColumn kWorker = own_first("worker", worker_column());
  static const WantedColumn kLabel = own_first("label", label_column());
  Places places{TRY(rows.place(columns.item, kItem)), {}, {}};
  // JSON objects leave out missing values, so an object without a label is not answered yet.
  if (rows.is_csv()) {
    places.label = TRY(rows.place(columns.label, kLabel));
  } else {
    places.label = TRY(rows.place_if_any(columns.label, kLabel));
  }
  if (worker && !columns.worker) {
    places.worker = TRY(rows.place_if_any({}, kWorker));
  } else {
    places.worker = TRY(rows.place(columns.worker, kWorker));
  }
  return places;
}

Result<AnswerRow> answer_of(const RecordReader& rows, const Places& places,
                            const std::optional<std::string>& worker) {
  AnswerRow row{std::string(rows.value(places.item)), worker.value_or(""),
                std::string(places.label ? rows.value(*places.label) : ""), rows.line()};
  if (places.worker) {
    const std::string_view written = rows.value(*places.worker);
    if (worker && !written.empty() && written != *worker) {
      return refuse_line(rows.line(), "worker {} is not the worker of --worker; expected {}",
                         in_quotes(written), in_quotes(*worker));
    }
    if (!written.empty()) row.worker = written;
  }
  if (row.item.empty()) return refuse_line(rows.line(), "the item is empty");
  if (row.worker.empty()) return refuse_line(rows.line(), "the worker is empty");
  return row;
}

}  // namespace

Result<AnswerFile> parse_answers(std::string_view text, const AnswerColumns& columns,
                                 const std::optional<std::string>& worker) {
  auto rows = TRY(RecordReader::open(text));
  AnswerFile file;
  std::optional<Places> places;
  while (TRY(rows.next())) {
    if (!places || !rows.names_stay()) places = TRY(places_in(rows, columns, worker));
    auto row = TRY(answer_of(rows, *places, worker));
    if (row.label.empty()) {
      ++file.unanswered;
    } else {
      file.rows.push_back(std::move(row));
    }
  }
  return file;
}

}  // namespace allot::io
