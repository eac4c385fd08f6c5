#include "allot/io/feature_csv.hpp"

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/name_table.hpp"
#include "io/table_reader.hpp"

namespace allot::io {
namespace {

/// The columns of the file.
struct Header {
  std::size_t item = 0;  // position of the item's column
  std::string item_name;
  std::vector<std::string> features;
};

Result<std::size_t> item_place(const TableReader& rows) {
  const auto places = places_of(rows.fields(), item_column());
  if (places.empty()) return 0;
  if (places.size() == 1 || places.front() == 0) return places.front();
  return refuse_rivals(rows.line(), rows.fields(), places, item_column());
}

Result<Header> read_header(const TableReader& rows) {
  const auto place = TRY(item_place(rows));
  Header header{place, std::string(rows.fields()[place]), {}};
  NameTable names;
  for (std::size_t i = 0; i < rows.fields().size(); ++i) {
    if (i == place) continue;
    const std::string_view name = rows.fields()[i];
    if (name.empty()) {
      return refuse_line(rows.line(), "column {} has no name; expected one for every feature",
                         i + 1);
    }
    if (names.number(name) < header.features.size() || name == header.item_name) {
      return refuse_line(rows.line(), "two columns are named {}; expected each name once",
                         in_quotes(name));
    }
    header.features.emplace_back(name);
  }
  if (!header.features.empty()) return header;
  return refuse_line(rows.line(),
                     "the only column is {}, which holds the item; expected one column per feature "
                     "besides it (separated by commas, tabs or semicolons)",
                     in_quotes(header.item_name));
}

/// All rows as read.
struct RawFeatures {
  Header header;
  NameTable items;
  std::vector<std::uint64_t> lines;  // per item
  std::vector<double> values;        // row by row
};

Result<void> read_row(const TableReader& rows, RawFeatures& raw) {
  const Header& header = raw.header;
  const std::string_view item = rows.fields()[header.item];
  if (item.empty())
    return refuse_line(rows.line(), "the item is empty, in column {}", in_quotes(header.item_name));
  const std::uint32_t number = raw.items.number(item);
  if (number < raw.lines.size()) {
    return refuse_line(rows.line(), "item {} already has a row, line {}; expected one row per item",
                       in_quotes(item), raw.lines[number]);
  }
  raw.lines.push_back(rows.line());
  for (std::size_t i = 0; i < header.features.size(); ++i) {
    raw.values.push_back(TRY(read_feature(rows.line(), "column", header.features[i], item,
                                          rows.fields()[i + (i >= header.item)])));
  }
  return {};
}

Result<RawFeatures> read_rows(std::string_view text) {
  auto rows = TRY(TableReader::open(text, {}));
  RawFeatures raw{TRY(read_header(rows)), {}, {}, {}};
  while (TRY(rows.next())) TRY(read_row(rows, raw));
  return raw;
}

tl::unexpected<Error> refuse_missing(const std::vector<std::string>& missing,
                                     const RawFeatures& raw) {
  return invalid("column {} lacks {} of the labels: {}; expected one row per item with labels",
                 in_quotes(raw.header.item_name),
                 missing.size() == 1 ? "an item" : fmt::format("{} items", missing.size()),
                 some_in_quotes(missing));
}

}  // namespace

Result<FeatureFile> parse_features(std::string_view text, const LabelFile& labels) {
  auto raw = TRY(read_rows(text));
  std::vector<std::uint32_t> order;  // rows, in the order of the items
  std::vector<bool> labelled(raw.lines.size());
  std::vector<std::string> missing;
  for (const std::string& item : labels.items) {
    const auto row = raw.items.find(item);
    if (!row) {
      missing.push_back(item);
      continue;
    }
    order.push_back(*row);
    labelled[*row] = true;
  }
  if (!missing.empty()) return refuse_missing(missing, raw);
  FeatureFile file;
  for (std::uint32_t row = 0; row < labelled.size(); ++row) {
    if (labelled[row]) continue;
    order.push_back(row);
    file.unlabelled.push_back(raw.items.names()[row]);
  }
  const std::size_t width = raw.header.features.size();
  file.features = {static_cast<std::uint32_t>(order.size()), std::move(raw.header.features), {}};
  file.features.values.reserve(raw.values.size());
  for (const std::uint32_t row : order) {
    const auto first = raw.values.begin() + static_cast<std::ptrdiff_t>(row * width);
    file.features.values.insert(file.features.values.end(), first,
                                first + static_cast<std::ptrdiff_t>(width));
  }
  return file;
}

void append_items(LabelFile& labels, const std::vector<std::string>& items) {
  labels.items.insert(labels.items.end(), items.begin(), items.end());
  labels.set.item_count = static_cast<std::uint32_t>(labels.items.size());
}

}  // namespace allot::io
