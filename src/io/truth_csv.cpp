#include "allot/io/truth_csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "io/name_table.hpp"
#include "io/notation.hpp"
#include "io/table_reader.hpp"

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

Result<RawTruth> read_rows(std::string_view text, const LabelFile& labels) {
  auto rows = TRY(TableReader::open(text, {item_column(), truth_column()}));
  RawTruth raw{NameTable(), TruthTexts(labels.classes), {}};
  while (TRY(rows.next())) {
    if (rows.field(0).empty()) return refuse_line(rows.line(), "the item is empty");
    if (rows.field(1).empty()) continue;
    const std::uint32_t item = raw.items.number(rows.field(0));
    const std::uint32_t number = raw.texts.number(rows.field(1));
    if (item == raw.of_item.size()) {
      raw.of_item.push_back({number, rows.line()});
    } else if (raw.texts.class_of(raw.of_item[item].text) != raw.texts.class_of(number)) {
      return refuse_contradiction(rows.line(), raw, item, rows.field(1));
    }
  }
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

Result<Truth> parse_truth(std::string_view text, const LabelFile& labels) {
  const auto raw = TRY(read_rows(text, labels));
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
