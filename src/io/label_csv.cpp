#include "allot/io/label_csv.hpp"

#include <algorithm>
#include <utility>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "io/label_readers.hpp"
#include "io/label_rows.hpp"
#include "io/notation.hpp"

namespace allot::io {
namespace {

using model::GivenLabel;

constexpr std::uint32_t kNone = UINT32_MAX;

/// Positions of the labels grouped by item, in their order within an item.
std::vector<std::uint32_t> grouped_by_item(const LabelSink& raw) {
  std::vector<std::uint32_t> next(raw.items.names().size() + 1);
  for (const GivenLabel& label : raw.labels) ++next[position(label.item) + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<std::uint32_t> grouped(raw.labels.size());
  for (std::uint32_t n = 0; n < grouped.size(); ++n)
    grouped[next[position(raw.labels[n].item)]++] = n;
  return grouped;
}

/// For each label the previous one of the same item and worker, or kNone.
std::vector<std::uint32_t> earlier_of_pair(const LabelSink& raw) {
  std::vector<std::uint32_t> earlier(raw.labels.size(), kNone);
  std::vector<std::uint32_t> last(raw.workers.names().size(), kNone);  // label of each worker
  for (const std::uint32_t n : grouped_by_item(raw)) {
    std::uint32_t& before = last[position(raw.labels[n].worker)];
    if (before != kNone && raw.labels[before].item == raw.labels[n].item) earlier[n] = before;
    before = n;
  }
  return earlier;
}

tl::unexpected<Error> refuse_repeated(const LabelSink& raw, std::uint32_t before,
                                      std::uint32_t again) {
  const GivenLabel& label = raw.labels[again];
  return refuse_line(raw.lines[again],
                     "item {} already has a label by worker {}, in line {}; expected one label per "
                     "pair (--duplicates first|last|majority keeps one, all keeps every one)",
                     in_quotes(raw.items.names()[position(label.item)]),
                     in_quotes(raw.workers.names()[position(label.worker)]), raw.lines[before]);
}

/// The label of a group that is kept: the first with the class that most of the group name; among
/// equal classes, the one that comes first.
std::uint32_t most_frequent(const LabelSink& raw, const std::vector<std::uint32_t>& group) {
  std::vector<std::pair<ClassId, std::uint32_t>> counts;  // in order of appearance
  for (const std::uint32_t n : group) {
    const auto known =
        std::ranges::find(counts, raw.labels[n].label, &std::pair<ClassId, std::uint32_t>::first);
    if (known == counts.end()) {
      counts.emplace_back(raw.labels[n].label, 1);
    } else {
      ++known->second;
    }
  }
  const auto best =
      std::ranges::max_element(counts, {}, &std::pair<ClassId, std::uint32_t>::second);
  return *std::ranges::find_if(group,
                               [&](std::uint32_t n) { return raw.labels[n].label == best->first; });
}

/// Marks all labels of a pair but the one of the commonest class.
void drop_minorities(const LabelSink& raw, const std::vector<std::uint32_t>& earlier,
                     std::vector<bool>& dropped) {
  std::vector<bool> has_later(earlier.size());
  for (const std::uint32_t before : earlier)
    if (before != kNone) has_later[before] = true;
  for (std::uint32_t n = 0; n < earlier.size(); ++n) {
    if (has_later[n] || earlier[n] == kNone) continue;
    std::vector<std::uint32_t> group;
    for (std::uint32_t of_pair = n; of_pair != kNone; of_pair = earlier[of_pair])
      group.push_back(of_pair);
    std::ranges::reverse(group);
    for (const std::uint32_t of_pair : group) dropped[of_pair] = true;
    dropped[most_frequent(raw, group)] = false;
  }
}

/// Keeps one label per pair, or all.
Result<std::uint64_t> drop_repeated(LabelSink& raw, Duplicates duplicates) {
  if (duplicates == Duplicates::all) return 0;
  const std::vector<std::uint32_t> earlier = earlier_of_pair(raw);
  std::vector<bool> dropped(earlier.size());
  if (duplicates == Duplicates::majority) {
    drop_minorities(raw, earlier, dropped);
  } else {
    for (std::uint32_t n = 0; n < earlier.size(); ++n) {
      if (earlier[n] == kNone) continue;
      if (duplicates == Duplicates::error) return refuse_repeated(raw, earlier[n], n);
      dropped[duplicates == Duplicates::first ? n : earlier[n]] = true;
    }
  }
  if (!raw.confidences.empty()) {
    std::uint32_t place = 0;
    std::erase_if(raw.confidences, [&](float) { return dropped[place++]; });
  }
  std::uint32_t n = 0;
  return std::erase_if(raw.labels, [&](const GivenLabel&) { return dropped[n++]; });
}

/// Numbers the named classes in their order, and then the others that occur in labels, in class
/// order; returns the texts by number.
std::vector<std::string> number_classes(LabelSink& raw, const std::vector<std::string>& named) {
  std::vector<std::uint32_t> first;
  for (const std::string& name : named) first.push_back(raw.classes.number(name));
  const std::vector<std::string>& texts = raw.classes.names();
  std::vector<std::uint32_t> number(texts.size(), kNone);
  std::vector<std::string> classes;
  const auto use = [&](std::uint32_t text_number) {
    if (number[text_number] != kNone) return;
    number[text_number] = static_cast<std::uint32_t>(classes.size());
    classes.push_back(texts[text_number]);
  };
  for (const std::uint32_t text_number : first) use(text_number);
  std::vector<std::uint32_t> others;  // text numbers
  std::vector<bool> seen(texts.size());
  for (const GivenLabel& label : raw.labels) {
    const std::uint32_t text_number = position(label.label);
    if (number[text_number] == kNone && !seen[text_number]) others.push_back(text_number);
    seen[text_number] = true;
  }
  std::vector<std::string> other_texts;
  for (const std::uint32_t text_number : others) other_texts.push_back(texts[text_number]);
  for (const std::uint32_t n : class_order(other_texts)) use(others[n]);
  for (GivenLabel& label : raw.labels) label.label = ClassId{number[position(label.label)]};
  return classes;
}

std::vector<std::vector<std::string>> doubtful_among(const std::vector<std::string>& classes) {
  std::vector<std::vector<std::string>> groups;
  for (const std::vector<std::uint32_t>& group : Notations(classes).doubtful()) {
    groups.emplace_back();
    for (const std::uint32_t i : group) groups.back().push_back(classes[i]);
  }
  return groups;
}

/// ", except 3 that do not count"; empty if all rows do.
std::string uncounted(const LabelSink& raw) {
  return raw.left_out.total() > 0
             ? fmt::format(", except {} that do not count", raw.left_out.total())
             : "";
}

/// The labels of a sink that has some.
Result<LabelFile> finish(LabelSink raw, const LabelReading& reading) {
  LabelFile file;
  if (!raw.confidences.empty()) raw.confidences.resize(raw.labels.size(), model::kNoConfidence);
  file.dropped = TRY(drop_repeated(raw, reading.duplicates));
  file.classes = number_classes(raw, reading.classes);
  file.doubtful = doubtful_among(file.classes);
  file.item_column = raw.item_column;
  file.label_column = raw.label_column;
  file.left_out = raw.left_out;
  file.lost_items = raw.lost_items();
  file.items = std::move(raw.items).take_names();
  file.workers = std::move(raw.workers).take_names();
  file.set = {static_cast<std::uint32_t>(file.items.size()),
              static_cast<std::uint32_t>(file.workers.size()),
              static_cast<std::uint32_t>(file.classes.size()), std::move(raw.labels),
              std::move(raw.confidences)};
  return file;
}

}  // namespace

Result<LabelFile> read_label_rows(const LabelRows& rows, const LabelReading& reading) {
  const std::size_t count = rows.items.numbers.size();
  if (count > UINT32_MAX - 1)
    return fail(ErrorCode::too_large, "{} rows are too many; expected at most {}", count,
                UINT32_MAX - 1);
  const auto text = [](const TextColumn& column, std::size_t row) -> std::string_view {
    const std::int64_t number = column.numbers[row];
    return number < 0 ? std::string_view() : column.texts[static_cast<std::size_t>(number)];
  };
  LabelSink raw(reading);
  raw.labels.reserve(count);
  raw.lines.reserve(count);
  for (std::size_t n = 0; n < count; ++n)
    TRY(raw.add(
        n, {text(rows.items, n), text(rows.workers, n), text(rows.labels, n),
            rows.confidences.numbers.empty() ? std::string_view() : text(rows.confidences, n)}));
  if (raw.labels.empty())
    return invalid("no row has a label{}; expected one row per label", uncounted(raw));
  return finish(std::move(raw), reading);
}

Result<LabelFile> parse_labels(std::string_view text, const LabelReading& reading) {
  if (text.size() > kLargestFile) {
    return fail(ErrorCode::too_large, "the text has {} bytes; expected at most {}", text.size(),
                kLargestFile);
  }
  LabelSink raw(reading);
  const std::string_view format = TRY(read_any_labels(text, reading, raw));
  if (raw.labels.empty()) {
    return invalid("line 1: no label follows{}; expected one row per label", uncounted(raw));
  }
  if (reading.columns.confidence && raw.confidences.empty()) {
    return invalid(
        "no label has a confidence in {}; expected a column of numbers in a table with "
        "one row per label",
        in_quotes(*reading.columns.confidence));
  }
  LabelFile file = TRY(finish(std::move(raw), reading));
  file.format = format;
  return file;
}

}  // namespace allot::io
