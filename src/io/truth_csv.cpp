#include "allot/io/truth_csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "io/class_order.hpp"
#include "io/name_table.hpp"
#include "io/named_rows.hpp"

namespace allot::io {
namespace {

struct TruthRow {
  std::uint32_t label;
  std::uint64_t line;
};

/// The truth of every item named; classes are numbered as in the label file, new ones after them.
struct RawTruth {
  NameTable items;
  NameTable classes;
  std::vector<TruthRow> of_item;
};

tl::unexpected<Error> refuse_contradiction(std::uint64_t line, const RawTruth& raw,
                                           std::uint32_t item, std::string_view text) {
  const TruthRow& before = raw.of_item[item];
  return refuse_line(line, fmt::format("the truth of item {} is {}, but {} in line {}",
                                       in_quotes(raw.items.names()[item]), in_quotes(text),
                                       in_quotes(raw.classes.names()[before.label]), before.line));
}

Result<RawTruth> read_rows(std::string_view text, const LabelFile& labels) {
  auto rows = NamedRows::open(text, {item_column(), truth_column()});
  if (!rows) return tl::unexpected(rows.error());
  RawTruth raw{NameTable(), NameTable(labels.classes), {}};
  while (true) {
    const auto found = rows->next();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return raw;
    if (rows->field(0).empty()) return refuse_line(rows->line(), "the item is empty");
    if (rows->field(1).empty()) continue;
    const std::uint32_t item = raw.items.number(rows->field(0));
    const std::uint32_t label = raw.classes.number(rows->field(1));
    if (item == raw.of_item.size()) {
      raw.of_item.push_back({label, rows->line()});
    } else if (raw.of_item[item].label != label) {
      return refuse_contradiction(rows->line(), raw, item, rows->field(1));
    }
  }
}

/// Numbers the classes of the file and those of its items' truth in their order.
void number_classes(LabelFile& labels, Truth& truth, const std::vector<std::string>& texts) {
  std::vector<std::uint32_t> kept;  // numbers in `texts` of the classes that stay
  std::vector<bool> used(texts.size());
  std::fill_n(used.begin(), labels.classes.size(), true);
  for (const auto& one : truth.of_item) {
    if (one) used[position(*one)] = true;
  }
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    if (!used[i]) continue;
    kept.push_back(i);
    names.push_back(texts[i]);
  }
  std::vector<ClassId> number(texts.size());
  labels.classes.clear();
  for (const std::uint32_t i : class_order(names)) {
    number[kept[i]] = ClassId{static_cast<std::uint32_t>(labels.classes.size())};
    labels.classes.push_back(names[i]);
  }
  for (model::GivenLabel& label : labels.set.labels) label.label = number[position(label.label)];
  for (auto& one : truth.of_item) {
    if (one) one = number[position(*one)];
  }
  labels.set.class_count = static_cast<std::uint32_t>(labels.classes.size());
}

}  // namespace

Result<Truth> parse_truth(std::string_view text, LabelFile& labels) {
  const auto raw = read_rows(text, labels);
  if (!raw) return tl::unexpected(raw.error());
  Truth truth{std::vector<std::optional<ClassId>>(labels.items.size())};
  for (std::uint32_t i = 0; i < labels.items.size(); ++i) {
    if (const auto item = raw->items.find(labels.items[i])) {
      truth.of_item[i] = ClassId{raw->of_item[*item].label};
      ++truth.known;
    }
  }
  truth.elsewhere = raw->items.names().size() - truth.known;
  number_classes(labels, truth, raw->classes.names());
  return truth;
}

}  // namespace allot::io
