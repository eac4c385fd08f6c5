#include "io/table_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/notation.hpp"

namespace allot::io {
namespace {

using Names = std::span<const std::string_view>;

/// The name reduced to what counts: "!amt_worker_ids" becomes amtworker.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ' || (c == '!' && plain.empty())) continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const std::string_view ending : {"ids", "id"}) {
    if (plain.size() > ending.size() && plain.ends_with(ending)) {
      plain.erase(plain.size() - ending.size());
      break;
    }
  }
  return plain;
}

bool goes_by(std::string_view column, std::string_view name) {
  if (!name.ends_with('*')) return plain_name(column) == plain_name(name);
  return plain_name(column).starts_with(plain_name(name.substr(0, name.size() - 1)));
}

std::vector<std::size_t> columns_called(Names header, Names names) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const auto fits = [&](std::string_view name) { return goes_by(header[i], name); };
    if (std::ranges::any_of(names, fits)) places.push_back(i);
  }
  return places;
}

/// Formats that people pass by mistake, by their first bytes.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kBinaryFormats{{
    {"\xd0\xcf\x11\xe0", "an old Excel workbook (.xls)"},
    {"ARROW1", "an Arrow or Feather file"},
    {"\x93NUMPY", "a NumPy file"},
    {"\x89HDF", "an HDF5 file"},
    {"\x80\x04\x95", "a Python pickle"},
    {"SQLite format 3", "an SQLite database"},
    {"BZh", "a bzip2 file"},
    {"\xfd"
     "7zXZ",
     "an xz file"},
    {"\x28\xb5\x2f\xfd", "a Zstandard file"},
}};

/// What kind of zip archive or Parquet file the bytes begin; empty if they begin none. Both are
/// named even if no byte is zero, as in the first bytes of a stream.
std::string_view zip_format(std::string_view bytes) {
  if (bytes.starts_with("PAR1")) return "a Parquet file";
  if (!bytes.starts_with("PK\x03\x04")) return {};
  const std::string_view head = bytes.substr(0, std::size_t{1} << 16);
  if (head.find("[Content_Types].xml") == std::string_view::npos &&
      head.find("xl/") == std::string_view::npos)
    return "a zip archive";
  return "an Excel workbook (.xlsx)";
}

std::string shown(Names columns) {
  constexpr std::size_t kMost = 10;
  std::vector<std::string> texts;
  for (const std::string_view column : columns.subspan(0, std::min(columns.size(), kMost)))
    texts.push_back(in_quotes(column));
  return fmt::format("{}{}", fmt::join(texts, ", "), columns.size() > kMost ? ", ..." : "");
}

std::string accepted(const WantedColumn& wanted) {
  std::vector<std::string_view> all;
  for (const auto& group : wanted.names) {
    for (const std::string_view name : group) {
      if (std::ranges::find(all, name) == all.end()) all.push_back(name);
    }
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string option_hint(const WantedColumn& wanted) {
  return wanted.option.empty() ? "" : fmt::format(" ({} names it)", wanted.option);
}

std::uint64_t line_of(std::string_view text, std::size_t place) {
  std::uint64_t line = 1;
  for (std::size_t i = 0; i < place; ++i)
    line += text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n');
  return line;
}

/// Bytes of the UTF-8 character at the beginning of a text (RFC 3629); 0 if it is malformed.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {  // neither too long nor half of a UTF-16 pair
    const bool second = follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
    return second && follows(2) ? 3 : 0;
  }
  if (first < 0xf0 || first > 0xf4) return 0;
  const bool second = follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
  return second && follows(2) && follows(3) ? 4 : 0;
}

/// Position at which the text stops being UTF-8; npos if it is UTF-8 throughout. ASCII is checked
/// eight bytes at a time.
std::size_t first_stray_byte(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = 0;
    if (at + sizeof eight <= text.size()) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080808080808080U) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const std::size_t size = character_size(text.substr(at));
    if (size == 0) return at;
    at += size;
  }
  return std::string_view::npos;
}

constexpr char kSeparators[] = {',', '\t', ';'};

/// The rows of the text, positioned at the first, with the separator that cuts it into most fields.
Result<CsvReader> best_cut(std::string_view text) {
  std::optional<CsvReader> best;
  for (const char separator : kSeparators) {
    CsvReader rows(text, separator);
    const auto found = rows.next();
    if (!found && separator == ';' && !best) return tl::unexpected(found.error());
    if (!found) continue;
    if (!*found) return invalid("line 1: the text is empty; expected a row that names the columns");
    if (!best || rows.fields().size() > best->fields().size()) best = std::move(rows);
  }
  return *std::move(best);
}

}  // namespace

const WantedColumn& item_column() {
  static const WantedColumn column{"item",
                                   {{"item", "task", "question", "object", "instance", "example",
                                     "unit", "HITId", "orig_id", "ASSIGNMENT:task_id"},
                                    {"INPUT:*"}}};
  return column;
}

const WantedColumn& worker_column() {
  static const WantedColumn column{"worker",
                                   {{"worker", "annotator", "performer", "user", "rater", "labeler",
                                     "labeller", "amt_worker_ids", "ASSIGNMENT:worker_id"}}};
  return column;
}

const WantedColumn& label_column() {
  static const WantedColumn column{
      "label",
      {{"label", "answer", "response", "annotation", "judgment", "judgement", "vote"},
       {"OUTPUT:*", "Answer.*"}}};
  return column;
}

const WantedColumn& reason_column() {
  static const WantedColumn column{"reason", {{"reason", "comment", "note"}}};
  return column;
}

const WantedColumn& truth_column() {
  static const WantedColumn column{
      "truth",
      {{"truth", "gold", "ground_truth", "gold_label", "true_label", "correct_label"},
       {"label", "answer", "response", "class", "category"},
       {"GOLDEN:*"}}};
  return column;
}

WantedColumn with_option(WantedColumn wanted, std::string_view option) {
  wanted.option = option;
  return wanted;
}

std::vector<std::size_t> places_of(Names header, const WantedColumn& wanted) {
  for (const auto& group : wanted.names) {
    auto places = columns_called(header, group);
    if (!places.empty()) return places;
  }
  return {};
}

tl::unexpected<Error> refuse_rivals(std::uint64_t line, Names header,
                                    std::span<const std::size_t> places,
                                    const WantedColumn& wanted) {
  std::vector<std::string_view> rivals;
  for (const std::size_t place : places) rivals.push_back(header[place]);
  return refuse_line(line, "the columns {} could all be the {}; expected one of them{}",
                     shown(rivals), wanted.meaning, option_hint(wanted));
}

Result<std::size_t> find_column(std::uint64_t line, Names header, const WantedColumn& wanted,
                                std::string_view where) {
  const auto places = places_of(header, wanted);
  if (places.size() == 1) return places.front();
  if (!places.empty()) return refuse_rivals(line, header, places, wanted);
  return refuse_line(line, "no column holds the {}; {} has {}; expected a column named {}{}",
                     wanted.meaning, where, shown(header), accepted(wanted), option_hint(wanted));
}

Result<std::string_view> readable_text(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return invalid("line 1: the text is UTF-16 or UTF-32; expected UTF-8");
  if (const std::string_view format = zip_format(text); !format.empty())
    return invalid("the file is {}; expected text, plain or gzip", format);
  while (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t nul = text.find('\0'), stray = first_stray_byte(text);
  if (nul == std::string_view::npos && stray == std::string_view::npos) return text;
  for (const auto& [beginning, format] : kBinaryFormats) {
    if (text.starts_with(beginning))
      return invalid("the file is {}; expected text, plain or gzip", format);
  }
  if (nul != std::string_view::npos)
    return refuse_line(line_of(text, nul), "a byte is zero; expected UTF-8 text");
  return refuse_line(line_of(text, stray),
                     "byte 0x{:02X} is not UTF-8; expected UTF-8 (if it is Latin-1, 'iconv -f "
                     "LATIN1 -t UTF-8 FILE' converts it)",
                     static_cast<unsigned char>(text[stray]));
}

Result<double> read_feature(std::uint64_t line, std::string_view what, std::string_view name,
                            std::string_view item, std::string_view field) {
  const auto value = class_value(field);
  if (value && std::abs(*value) <= 1e100) return *value;
  return refuse_line(line, "{} {} of item {} is {}; expected {}", what, in_quotes(name),
                     in_quotes(item), field.empty() ? "empty" : in_quotes(field),
                     value ? "at most 1e100 in size" : "a finite number such as 0.25");
}

Result<TableReader> TableReader::open(std::string_view text,
                                      const std::vector<WantedColumn>& wanted) {
  const auto clean = TRY(readable_text(text));
  TableReader rows(TRY(best_cut(clean)));
  rows.width_ = rows.rows_.fields().size();
  for (const WantedColumn& column : wanted)
    rows.places_.push_back(TRY(find_column(rows.line(), rows.fields(), column, "the first row")));
  return rows;
}

bool TableReader::has_whole_head(std::string_view text) {
  return std::ranges::all_of(kSeparators, [&](char separator) {
    CsvReader rows(text, separator);
    static_cast<void>(rows.next());
    return rows.offset() < text.size();
  });
}

Result<bool> TableReader::next() {
  const auto found = rows_.next();
  if (!found || !*found || rows_.fields().size() == width_) return found;
  return refuse_line(line(), "{}; expected {} as in the first row",
                     count_text(rows_.fields().size(), "field"), width_);
}

}  // namespace allot::io
