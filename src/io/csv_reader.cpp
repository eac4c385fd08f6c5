#include "io/csv_reader.hpp"

#include "allot/base/text.hpp"

namespace allot::io {
namespace {

std::string_view without_blanks(std::string_view field) {
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
  return field;
}

std::string undoubled(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"') ++i;
  }
  return text;
}

}  // namespace

tl::unexpected<Error> refuse_line(std::uint64_t line, std::string_view why) {
  return invalid("line {}: {}", line, why);
}

Error shift_line(Error error, std::uint64_t lines) {
  constexpr std::string_view kLine = "line ";
  const std::size_t end = error.message.find(':');
  if (lines == 0 || !error.message.starts_with(kLine) || end == std::string::npos) return error;
  const auto line =
      parse_whole(std::string_view(error.message).substr(kLine.size(), end - kLine.size()));
  if (line) error.message = fmt::format("line {}{}", *line + lines, error.message.substr(end));
  return error;
}

std::uint64_t line_ends(std::string_view text) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool ends_with_lf = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    count += text[i] == '\n' || (text[i] == '\r' && !ends_with_lf);
  }
  return count;
}

Result<bool> CsvReader::next() {
  while (!at_end()) {
    fields_.clear();
    undoubled_.clear();
    line_ = lines_begun_;
    do {
      TRY(take_field());
    } while (take_separator());
    if (fields_.size() > 1 || !fields_.front().empty()) return true;
  }
  return false;
}

Result<void> CsvReader::take_field() {
  std::size_t first = at_;
  while (first < text_.size() && is_blank(text_[first])) ++first;
  if (first < text_.size() && text_[first] == '"') {
    at_ = first;
    return take_quoted();
  }
  take_plain();
  return {};
}

void CsvReader::take_plain() {
  const std::size_t begin = at_;
  const auto ends = [this](char c) { return c == separator_ || c == '\n' || c == '\r'; };
  while (!at_end() && !ends(text_[at_])) ++at_;
  fields_.push_back(without_blanks(text_.substr(begin, at_ - begin)));
}

Result<void> CsvReader::take_quoted() {
  const std::size_t begin = ++at_;
  bool doubled = false;
  while (true) {
    at_ = text_.find('"', at_);
    if (at_ == std::string_view::npos) {
      return refuse_line(lines_begun_,
                         "a quote is opened and never closed; expected \" at the end of the field");
    }
    if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') break;
    doubled = true;
    at_ += 2;
  }
  const std::string_view field = text_.substr(begin, at_ - begin);
  fields_.push_back(doubled ? undoubled_.emplace_back(undoubled(field)) : field);
  ++at_;
  while (!at_end() && is_blank(text_[at_])) ++at_;
  if (!at_end() && text_[at_] != separator_ && text_[at_] != '\n' && text_[at_] != '\r') {
    return refuse_line(lines_begun_ + line_ends(field),
                       "text follows a closing quote; expected a separator or the end of the line "
                       "(a quote inside a field is doubled)");
  }
  lines_begun_ += line_ends(field);
  return {};
}

bool CsvReader::take_separator() {
  if (at_end()) return false;
  if (text_[at_] == separator_) {
    ++at_;
    return true;
  }
  take_line_end();
  return false;
}

void CsvReader::take_line_end() {
  if (text_.substr(at_, 2) == "\r\n") ++at_;
  ++at_;
  ++lines_begun_;
}

}  // namespace allot::io
