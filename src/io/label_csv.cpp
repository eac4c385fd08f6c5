#include "allot/io/label_csv.hpp"

#include <algorithm>
#include <utility>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "io/name_table.hpp"
#include "io/notation.hpp"
#include "io/table_reader.hpp"

namespace allot::io {
namespace {

using model::GivenLabel;

constexpr std::uint32_t kNone = UINT32_MAX;

/// All rows, with classes numbered in order of appearance.
struct RawLabels {
  NameTable items, workers, classes;
  std::vector<GivenLabel> labels;
  std::vector<std::uint32_t> lines;  // per label
};

Result<RawLabels> read_label_rows(std::string_view text) {
  const std::vector<WantedColumn> wanted{item_column(), worker_column(), label_column()};
  auto rows = TRY(TableReader::open(text, wanted));
  RawLabels raw;
  while (TRY(rows.next())) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (rows.field(i).empty())
        return refuse_line(rows.line(), "the {} is empty", wanted[i].meaning);
    }
    raw.labels.push_back({ItemId{raw.items.number(rows.field(0))},
                          WorkerId{raw.workers.number(rows.field(1))},
                          ClassId{raw.classes.number(rows.field(2))}});
    raw.lines.push_back(static_cast<std::uint32_t>(rows.line()));
  }
  return raw;
}

/// Positions of the labels grouped by item, in their order within an item.
std::vector<std::uint32_t> grouped_by_item(const RawLabels& raw) {
  std::vector<std::uint32_t> next(raw.items.names().size() + 1);
  for (const GivenLabel& label : raw.labels) ++next[position(label.item) + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<std::uint32_t> grouped(raw.labels.size());
  for (std::uint32_t n = 0; n < grouped.size(); ++n)
    grouped[next[position(raw.labels[n].item)]++] = n;
  return grouped;
}

/// For each label the previous one of the same item and worker, or kNone.
std::vector<std::uint32_t> earlier_of_pair(const RawLabels& raw) {
  std::vector<std::uint32_t> earlier(raw.labels.size(), kNone);
  std::vector<std::uint32_t> last(raw.workers.names().size(), kNone);  // label of each worker
  for (const std::uint32_t n : grouped_by_item(raw)) {
    std::uint32_t& before = last[position(raw.labels[n].worker)];
    if (before != kNone && raw.labels[before].item == raw.labels[n].item) earlier[n] = before;
    before = n;
  }
  return earlier;
}

tl::unexpected<Error> refuse_repeated(const RawLabels& raw, std::uint32_t before,
                                      std::uint32_t again) {
  const GivenLabel& label = raw.labels[again];
  return refuse_line(raw.lines[again],
                     "item {} already has a label by worker {}, in line {}; expected one label per "
                     "pair (--duplicates first|last keeps one)",
                     in_quotes(raw.items.names()[position(label.item)]),
                     in_quotes(raw.workers.names()[position(label.worker)]), raw.lines[before]);
}

/// Keeps one label per pair.
Result<std::uint64_t> drop_repeated(RawLabels& raw, Duplicates duplicates) {
  const std::vector<std::uint32_t> earlier = earlier_of_pair(raw);
  std::vector<bool> dropped(earlier.size());
  for (std::uint32_t n = 0; n < earlier.size(); ++n) {
    if (earlier[n] == kNone) continue;
    if (duplicates == Duplicates::error) return refuse_repeated(raw, earlier[n], n);
    dropped[duplicates == Duplicates::first ? n : earlier[n]] = true;
  }
  std::uint32_t n = 0;
  return std::erase_if(raw.labels, [&](const GivenLabel&) { return dropped[n++]; });
}

/// Numbers the classes that occur in labels, and the named ones, in class order; returns the texts
/// by number.
std::vector<std::string> number_classes(RawLabels& raw, const std::vector<std::string>& named) {
  std::vector<std::uint32_t> also;
  for (const std::string& name : named) also.push_back(raw.classes.number(name));
  const std::vector<std::string>& texts = raw.classes.names();
  std::vector<std::uint32_t> number(texts.size(), kNone);
  std::vector<std::string> used;
  const auto use = [&](std::uint32_t text_number) {
    if (number[text_number] != kNone) return;
    number[text_number] = static_cast<std::uint32_t>(used.size());
    used.push_back(texts[text_number]);
  };
  for (const GivenLabel& label : raw.labels) use(position(label.label));
  for (const std::uint32_t text_number : also) use(text_number);
  const std::vector<std::uint32_t> order = class_order(used);
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  for (GivenLabel& label : raw.labels) label.label = ClassId{rank[number[position(label.label)]]};
  std::vector<std::string> sorted;
  for (const std::uint32_t i : order) sorted.push_back(std::move(used[i]));
  return sorted;
}

std::vector<std::vector<std::string>> doubtful_among(const std::vector<std::string>& classes) {
  std::vector<std::vector<std::string>> groups;
  for (const std::vector<std::uint32_t>& group : Notations(classes).doubtful()) {
    groups.emplace_back();
    for (const std::uint32_t i : group) groups.back().push_back(classes[i]);
  }
  return groups;
}

}  // namespace

Result<LabelFile> parse_labels(std::string_view text, Duplicates duplicates,
                               const std::vector<std::string>& named_classes) {
  if (text.size() > kLargestFile) {
    return fail(ErrorCode::too_large, "the text has {} bytes; expected at most {}", text.size(),
                kLargestFile);
  }
  auto raw = TRY(read_label_rows(text));
  if (raw.labels.empty())
    return invalid("line 1: no label follows the first row; expected one row per label");
  const auto dropped = TRY(drop_repeated(raw, duplicates));
  LabelFile file;
  file.dropped = dropped;
  file.classes = number_classes(raw, named_classes);
  file.doubtful = doubtful_among(file.classes);
  file.items = std::move(raw.items).take_names();
  file.workers = std::move(raw.workers).take_names();
  file.set = {static_cast<std::uint32_t>(file.items.size()),
              static_cast<std::uint32_t>(file.workers.size()),
              static_cast<std::uint32_t>(file.classes.size()), std::move(raw.labels)};
  return file;
}

}  // namespace allot::io
