#include "allot/io/truth_csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "allot/io/label_formats.hpp"
#include "base/try.hpp"
#include "io/label_readers.hpp"
#include "io/notation.hpp"

namespace allot::io {
namespace {

/// Texts of a truth file as classes of the labels.
class TruthTexts {
 public:
  explicit TruthTexts(const std::vector<std::string>& classes)
      : class_count_(static_cast<std::uint32_t>(classes.size())),
        texts_(classes),
        notations_(classes) {
    for (std::uint32_t i = 0; i < class_count_; ++i) classes_.push_back(i);
  }

  /// The number of a text; the classes have the first numbers.
  std::uint32_t number(std::string_view text) {
    const std::uint32_t number = texts_.number(text);
    if (number == classes_.size()) {
      const auto& same = notations_.of(text);
      classes_.push_back(same.size() == 1 ? same.front() : number);
    }
    return number;
  }
  const std::string& text(std::uint32_t number) const { return texts_.names()[number]; }
  /// The class of a text; the text's own number if it is not a class of the labels.
  std::uint32_t class_of(std::uint32_t number) const { return classes_[number]; }
  bool is_foreign(std::uint32_t number) const { return classes_[number] >= class_count_; }
  std::size_t size() const { return classes_.size(); }

 private:
  std::uint32_t class_count_;
  NameTable texts_;
  Notations notations_;
  std::vector<std::uint32_t> classes_;  // per text
};

struct TruthRow {
  std::uint32_t text;
  std::uint64_t line;
};

/// The truth of every item in the file.
struct RawTruth {
  NameTable items;
  TruthTexts texts;
  std::vector<TruthRow> of_item;
};

tl::unexpected<Error> refuse_contradiction(std::uint64_t line, const RawTruth& raw,
                                           std::uint32_t item, std::string_view text) {
  const TruthRow& before = raw.of_item[item];
  return refuse_line(line, "the truth of item {} is {}, but {} in line {}; expected one truth",
                     in_quotes(raw.items.names()[item]), in_quotes(text),
                     in_quotes(raw.texts.text(before.text)), before.line);
}

Result<void> add_truth(RawTruth& raw, std::uint64_t line, std::string_view item_name,
                       std::string_view text) {
  const std::uint32_t item = raw.items.number(item_name);
  const std::uint32_t number = raw.texts.number(text);
  if (item == raw.of_item.size()) {
    raw.of_item.push_back({number, line});
  } else if (raw.texts.class_of(raw.of_item[item].text) != raw.texts.class_of(number)) {
    return refuse_contradiction(line, raw, item, text);
  }
  return {};
}

struct TruthPlaces {
  std::size_t item;
  std::optional<std::size_t> truth;
};

Result<TruthPlaces> truth_places(const RecordReader& rows, const TruthColumns& columns) {
  // --item-column is about the labels first.
  const auto names = rows.names();
  const bool has = columns.item && std::ranges::find(names, *columns.item) != names.end();
  TruthPlaces places{TRY(rows.place(has ? columns.item : std::nullopt, item_column())), {}};
  if (rows.is_csv()) {
    places.truth = TRY(rows.place(columns.truth, truth_column()));
  } else {
    places.truth = TRY(rows.place_if_any(columns.truth, truth_column()));
  }
  return places;
}

/// Reads one row per item.
Result<void> read_truth_rows(std::string_view text, const LabelFile& labels,
                             const TruthColumns& columns, RawTruth& raw) {
  auto rows = TRY(RecordReader::open(text, RecordReader::Arrays::accepted));
  std::optional<TruthPlaces> places;
  if (rows.is_csv()) places = TRY(truth_places(rows, columns));
  while (TRY(rows.next())) {
    if (!places || !rows.names_stay()) places = TRY(truth_places(rows, columns));
    const std::string_view item = rows.value(places->item);
    if (item.empty()) return refuse_line(rows.line(), "the item is empty");
    const std::string_view truth = places->truth ? rows.value(*places->truth) : "";
    const bool is_class = std::ranges::find(labels.classes, truth) != labels.classes.end();
    if (is_missing_text(truth) && !is_class) continue;
    TRY(add_truth(raw, rows.line(), item, truth));
  }
  return {};
}

/// Reads the annotations that are marked as ground truth.
Result<void> read_marked_truths(std::string_view text, const TruthColumns& columns, RawTruth& raw) {
  LabelReading reading;
  reading.columns = {columns.item, {}, columns.truth};
  LabelSink sink(reading);
  TRY(read_label_studio(text, reading, sink));
  if (sink.truths.empty()) {
    return refuse_line(1,
                       "no annotation is marked as ground truth; expected some, or a file with "
                       "the columns item and truth");
  }
  for (const FoundTruth& truth : sink.truths)
    TRY(add_truth(raw, truth.line, truth.item, truth.text));
  return {};
}

Result<RawTruth> read_truths(std::string_view text, const LabelFile& labels,
                             const TruthColumns& columns) {
  RawTruth raw{NameTable(), TruthTexts(labels.classes), {}};
  const std::string_view clean = TRY(readable_text(text));
  const bool tasks = looks_like_json(clean) && TRY(recognise_labels(clean)).name == "label-studio";
  TRY(tasks ? read_marked_truths(clean, columns, raw)
            : read_truth_rows(clean, labels, columns, raw));
  return raw;
}

/// Lists the texts that were matched in another notation or not at all.
void tell_apart(const RawTruth& raw, const std::vector<bool>& used, Truth& truth) {
  for (std::uint32_t i = 0; i < used.size(); ++i) {
    if (!used[i] || (raw.texts.class_of(i) == i && !raw.texts.is_foreign(i))) continue;
    if (raw.texts.is_foreign(i)) {
      truth.foreign.push_back(raw.texts.text(i));
    } else {
      truth.matched.emplace_back(raw.texts.text(i), raw.texts.text(raw.texts.class_of(i)));
    }
  }
}

tl::unexpected<Error> refuse_foreign(const Truth& truth, const LabelFile& labels,
                                     std::uint64_t line) {
  return refuse_line(line,
                     "no truth is a class of the labels: the truths are {}, the labels are {}; "
                     "expected the same classes",
                     some_in_quotes(truth.foreign), some_in_quotes(labels.classes));
}

}  // namespace

Result<Truth> parse_truth(std::string_view text, const LabelFile& labels,
                          const TruthColumns& columns) {
  const auto raw = TRY(read_truths(text, labels, columns));
  Truth truth{std::vector<std::optional<ClassId>>(labels.items.size())};
  std::vector<bool> used(raw.texts.size());
  std::uint64_t first_line = UINT64_MAX;
  for (std::uint32_t i = 0; i < labels.items.size(); ++i) {
    const auto item = raw.items.find(labels.items[i]);
    if (!item) continue;
    const TruthRow& row = raw.of_item[*item];
    truth.of_item[i] = ClassId{raw.texts.class_of(row.text)};
    truth.foreign_items += raw.texts.is_foreign(row.text);
    used[row.text] = true;
    first_line = std::min(first_line, row.line);
    ++truth.known;
  }
  truth.elsewhere = raw.items.names().size() - truth.known;
  tell_apart(raw, used, truth);
  if (truth.known > 0 && truth.foreign_items == truth.known)
    return refuse_foreign(truth, labels, first_line);
  return truth;
}

}  // namespace allot::io
