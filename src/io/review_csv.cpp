#include "allot/io/review_csv.hpp"

#include <map>
#include <optional>

#include "allot/base/text.hpp"
#include "base/try.hpp"
#include "io/table_reader.hpp"

namespace allot::io {

Result<ReviewFile> parse_reviews(std::string_view text) {
  const WantedColumn& reason = reason_column();
  auto rows = TRY(TableReader::open(text, {item_column(), truth_column()}));
  const auto places = places_of(rows.fields(), reason);
  if (places.size() > 1) return refuse_rivals(rows.line(), rows.fields(), places, reason);
  ReviewFile file;
  std::map<std::string, std::uint64_t, std::less<>> lines;
  while (TRY(rows.next())) {
    const std::string_view item = rows.field(0);
    if (item.empty()) return refuse_line(rows.line(), "the item is empty");
    if (rows.field(1).empty()) {
      ++file.undecided;
      continue;
    }
    const auto [before, is_new] = lines.emplace(item, rows.line());
    if (!is_new) {
      return refuse_line(rows.line(), "a second verdict on item {}, which has one in line {}",
                         in_quotes(item), before->second);
    }
    file.rows.push_back({std::string(item), std::string(rows.field(1)),
                         places.empty() ? "" : std::string(rows.fields()[places.front()]),
                         rows.line()});
  }
  return file;
}

}  // namespace allot::io
