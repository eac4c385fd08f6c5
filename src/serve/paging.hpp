// Lists in pages: `limit` rows after a `cursor`, and `next`, the cursor of the next page, or null
// after the last one.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serve/call.hpp"
#include "serve/json.hpp"
#include "serve/schema.hpp"

namespace allot::serve {

/// Parameters of every paged list.
inline std::vector<Parameter> page_parameters() {
  return {{"limit", schema::whole_from(1, Call::kMostRows), "Rows per page; default: 100"},
          {"cursor", schema::text(), "The `next` of the previous page"}};
}

/// A page of numbered rows: the cursor is the number of its first row.
struct Paging {
  std::uint64_t from, limit;

  static Result<Paging> of(const Call& call) {
    return call.limit().and_then([&](std::uint64_t limit) {
      return call.whole("cursor", 0, 0, UINT32_MAX).map([&](std::uint64_t from) {
        return Paging{from, limit};
      });
    });
  }
  /// Writes row(n) for each row of the page, out of `count` rows.
  template <typename Row>
  http::Response response(std::string_view name, std::uint64_t count, Row row) const {
    JsonList list;
    const std::uint64_t end = std::min(from + limit, count);
    for (std::uint64_t n = from; n < end; ++n) list.json(row(n));
    return json_response(JsonObject()
                             .json(name, list.end())
                             .text_or_null("next", end < count ? fmt::format("{}", end) : "")
                             .end());
  }
};

/// A page of rows sorted by id: the cursor is the id of the last row of the previous page.
template <typename Row, typename Json>
void reply_by_id(const Call& call, std::string_view name, const std::vector<Row>& rows, Json json) {
  const auto limit = call.limit();
  if (!limit) return call.refuse(limit.error());
  const std::string after = call.query("cursor").value_or("");
  auto row = std::ranges::upper_bound(rows, after, {}, &Row::id);
  const auto end = rows.end() - row > static_cast<std::ptrdiff_t>(*limit)
                       ? row + static_cast<std::ptrdiff_t>(*limit)
                       : rows.end();
  JsonList list;
  for (; row != end; ++row) list.json(json(*row));
  call.reply(json_response(JsonObject()
                               .json(name, list.end())
                               .text_or_null("next", end == rows.end() ? "" : (end - 1)->id)
                               .end()));
}

}  // namespace allot::serve
