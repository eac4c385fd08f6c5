#include "serve/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "allot/base/text.hpp"
#include "io/json_object.hpp"
#include "serve/json.hpp"

namespace allot::serve {
namespace {

constexpr std::size_t kLongestQuestion = 500, kLongestInstructions = 64 << 10, kMostFields = 1000;

constexpr std::array<std::pair<std::string_view, Page::Kind>, 5> kKinds{
    {{"text", Page::Kind::text},
     {"image", Page::Kind::image},
     {"audio", Page::Kind::audio},
     {"html", Page::Kind::html},
     {"hidden", Page::Kind::hidden}}};

std::string_view name_of(Page::Kind kind) {
  return std::ranges::find(kKinds, kind, &std::pair<std::string_view, Page::Kind>::second)->first;
}

bool is_hidden(const std::pair<const std::string, Page::Kind>& field) {
  return field.second == Page::Kind::hidden;
}

}  // namespace

bool Page::hides() const { return std::ranges::any_of(fields, is_hidden); }

Page Page::for_workers() const {
  Page page = *this;
  std::erase_if(page.fields, is_hidden);
  return page;
}

Page read_page(Body& body, Page before) {
  if (auto question = body.text_if("question", kLongestQuestion)) {
    before.question = *std::move(question);
  }
  if (auto instructions = body.text_if("instructions", kLongestInstructions)) {
    before.instructions = *std::move(instructions);
  }
  if (auto fields = body.object("fields")) {
    before.fields.clear();
    const auto names = fields->members();
    if (names.size() > kMostFields) {
      body.refuse(
          fmt::format("page.fields has {} members; expected at most {}", names.size(), kMostFields),
          ErrorCode::too_large);
      return before;
    }
    for (const std::string& name : names) {
      const std::string text = fields->text(name);
      const auto kind =
          std::ranges::find(kKinds, text, &std::pair<std::string_view, Page::Kind>::first);
      if (kind == kKinds.end()) {
        body.refuse(fmt::format("page.fields.{} is {}; expected text, image, audio, html or hidden",
                                name, in_quotes(text)));
      } else {
        before.fields[name] = kind->second;
      }
    }
    static_cast<void>(fields->done());
  }
  static_cast<void>(body.done());
  return before;
}

std::string page_json(const Page& page) {
  JsonObject fields;
  for (const auto& [name, kind] : page.fields) fields.text(name, name_of(kind));
  return JsonObject()
      .text("question", page.question)
      .text("instructions", page.instructions)
      .json("fields", fields);
}

Page load_page(std::string_view json) {
  Body body = Body::parse(json);
  return read_page(body);
}

std::string shown(const Page& page, std::string fields) {
  if (!page.hides()) return fields;
  auto members = io::parse_json_object(fields.empty() ? "{}" : fields);
  if (!members) return "{}";
  std::erase_if(*members, [&](const io::JsonMember& member) {
    const auto known = page.fields.find(member.name);
    return known != page.fields.end() && is_hidden(*known);
  });
  return io::json_text(*members);
}

}  // namespace allot::serve
