#include "io/record_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allot/base/text.hpp"
#include "base/try.hpp"

namespace allot::io {

Result<RecordReader> RecordReader::open(std::string_view text, Arrays arrays) {
  const auto clean = TRY(readable_text(text));
  RecordReader rows;
  const std::size_t begin = clean.find_first_not_of(" \t\r\n");
  if (arrays == Arrays::refused && begin != std::string_view::npos && clean[begin] == '[') {
    return refuse_line(1,
                       "the text is a JSON array; expected CSV or JSON lines, one object per line");
  }
  if (looks_like_json(clean)) {
    rows.json_.emplace(clean);
    return rows;
  }
  rows.csv_ = TRY(TableReader::open(clean, {}));
  rows.line_ = rows.header_line_ = rows.csv_->line();
  for (const std::string_view name : rows.csv_->fields())
    rows.members_.push_back({std::string(name), {}, true});
  return rows;
}

Result<bool> RecordReader::next() {
  if (!csv_) return next_object();
  const auto found = csv_->next();
  if (!found || !*found) return found;
  line_ = csv_->line();
  copied_ = false;
  return true;
}

std::span<const JsonMember> RecordReader::members() const {
  if (!copied_) {
    for (std::size_t i = 0; i < members_.size(); ++i) members_[i].value = csv_->fields()[i];
    copied_ = true;
  }
  return members_;
}

Result<bool> RecordReader::next_object() {
  if (!TRY(json_->next())) return false;
  line_ = json_->line();
  auto members = parse_json_object(trim(json_->text()));
  if (!members) return refuse_line(line_, members.error().message);
  names_stay_ = std::ranges::equal(*members, members_, {}, &JsonMember::name, &JsonMember::name);
  members_ = *std::move(members);
  return true;
}

std::vector<std::string_view> RecordReader::names() const {
  std::vector<std::string_view> names;
  for (const JsonMember& member : members_) names.emplace_back(member.name);
  return names;
}

Result<std::size_t> RecordReader::place(const std::optional<std::string>& named,
                                        const WantedColumn& wanted) const {
  const std::string_view where = is_csv() ? "the first row" : "the object";
  const std::uint64_t line = is_csv() ? header_line_ : line_;
  if (!named) return find_column(line, names(), wanted, where);
  const auto exactly = std::ranges::find(members_, *named, &JsonMember::name);
  if (exactly != members_.end()) return static_cast<std::size_t>(exactly - members_.begin());
  return find_column(line, names(), {wanted.meaning, {{*named}}}, where);
}

Result<std::optional<std::size_t>> RecordReader::place_if_any(
    const std::optional<std::string>& named, const WantedColumn& wanted) const {
  if (!named && places_of(names(), wanted).empty()) return std::nullopt;
  if (named && !is_csv() && places_of(names(), {wanted.meaning, {{*named}}}).empty()) {
    return std::nullopt;  // objects leave out missing values
  }
  return place(named, wanted).map([](std::size_t place) { return std::optional(place); });
}

std::string_view RecordReader::json_value(std::size_t place) const {
  const JsonMember& member = members_[place];
  const bool is_null = !member.is_text && member.value == "null";
  return is_null ? std::string_view() : member.value;
}

}  // namespace allot::io
