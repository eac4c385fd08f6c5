// What the page of a campaign's workers shows beside an item: a question, instructions, and how
// each field is to be read. The server keeps it beside the list of campaigns (vault.hpp); of what
// it says only "hidden" matters to the server, which sends such fields to no worker.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "serve/body.hpp"

namespace allot::serve {

struct Page {
  enum class Kind : std::uint8_t { text, image, audio, html, hidden };

  std::string question = {};
  /// Markdown, as the requester wrote it: whoever shows it makes it harmless.
  std::string instructions = {};
  /// By name; a field that is not here is a text.
  std::map<std::string, Kind> fields = {};

  bool hides() const;
  /// Without so much as the names of what is hidden.
  Page for_workers() const;
  bool operator==(const Page&) const = default;
};

/// The members of `body`, those that are missing as `before` has them.
Page read_page(Body& body, Page before = {});
std::string page_json(const Page& page);
/// What page_json wrote.
Page load_page(std::string_view json);

/// A JSON object without the fields that the page hides. O(its bytes), nothing if none is hidden.
std::string shown(const Page& page, std::string fields);

}  // namespace allot::serve
