// The page that workers of a campaign see: a question, instructions, and how to show each field.
//
// The server stores it with the list of campaigns (vault.hpp). Hidden fields are never sent to
// workers.
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
  /// Markdown as the requester wrote it; the pages sanitise it before they show it.
  std::string instructions = {};
  /// Kinds by field name; fields not named here are text.
  std::map<std::string, Kind> fields = {};

  bool hides() const;
  /// The page without hidden fields, not even their names.
  Page for_workers() const;
  bool operator==(const Page&) const = default;
};

/// Reads the members of `body`; missing ones keep the value of `before`.
Page read_page(Body& body, Page before = {});
std::string page_json(const Page& page);
/// Reads the text that page_json wrote.
Page load_page(std::string_view json);

/// Removes the fields that the page hides from a JSON object. O(bytes), or O(1) if none is hidden.
std::string shown(const Page& page, std::string fields);

}  // namespace allot::serve
