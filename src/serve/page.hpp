// The page that workers of a campaign see: a question, instructions, how to show each field, and
// the classes as workers read them.
//
// The server stores it with the list of campaigns (vault.hpp). Hidden fields are never sent to
// workers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "serve/body.hpp"

namespace allot::serve {

struct Page {
  enum class Kind : std::uint8_t { text, image, audio, html, hidden };

  std::string question = {};
  /// Markdown as the requester wrote it; the pages sanitise it before they show it.
  std::string instructions = {};
  /// Kinds by field name; fields not named here are text.
  std::map<std::string, Kind> fields = {};
  /// A class as workers see it. `name` is empty if it is shown as it is called.
  struct ShownClass {
    std::string label, name, example;
    bool operator==(const ShownClass&) const = default;
  };
  /// All classes in the order shown; empty for names and order of the campaign.
  std::vector<ShownClass> classes = {};
  /// Whether each worker sees the classes of each item in an order of its own.
  bool shuffle = false;
  /// ISO 4217 code of the currency of all amounts, such as EUR; empty if nobody said.
  std::string currency = {};

  bool hides() const;
  /// The page without hidden fields, not even their names.
  Page for_workers() const;
  bool operator==(const Page&) const = default;
};

/// Reads the members of `body`; missing ones keep the value of `before`.
Page read_page(Body& body, Page before = {});
std::string page_json(const Page& page);
/// Refuses a page that shows other classes than these, or not all of them.
Result<void> check_classes(const Page& page, const std::vector<std::string>& classes);
/// Reads the text that page_json wrote.
Page load_page(std::string_view json);

/// The order in which a worker sees the classes of an item, drawn from the seed: the same whenever
/// it is asked for.
std::vector<std::string> shuffled(std::vector<std::string> classes, std::uint64_t seed,
                                  std::string_view worker, std::string_view item);

/// Removes the fields that the page hides from a JSON object. O(bytes), or O(1) if none is hidden.
std::string shown(const Page& page, std::string fields);

}  // namespace allot::serve
