#include "serve/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "allot/base/text.hpp"
#include "io/json_object.hpp"
#include "serve/json.hpp"
#include "serve/secret.hpp"

namespace allot::serve {
namespace {

constexpr std::size_t kLongestQuestion = 500, kLongestInstructions = 64 << 10, kMostFields = 1000;
constexpr std::size_t kMostShownClasses = 250, kLongestShownName = 200, kLongestExample = 2000;
constexpr std::size_t kMostClassesNamed = 8;

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

std::vector<Page::ShownClass> read_classes(Body& body) {
  std::vector<Page::ShownClass> classes;
  for (Body& one : body.objects("classes", kMostShownClasses)) {
    classes.push_back({one.text("class"), one.text_if("name", kLongestShownName).value_or(""),
                       one.text_if("example", kLongestExample).value_or("")});
    static_cast<void>(one.done());
  }
  return classes;
}

bool is_currency(std::string_view text) {
  return text.empty() || (text.size() == 3 && std::ranges::all_of(text, [](char letter) {
                            return letter >= 'A' && letter <= 'Z';
                          }));
}

std::string class_json(const Page::ShownClass& one) {
  return JsonObject().text("class", one.label).text("name", one.name).text("example", one.example);
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
  if (body.has("classes")) before.classes = read_classes(body);
  if (body.has("shuffle")) before.shuffle = body.flag("shuffle");
  if (auto currency = body.text_if("currency")) {
    if (!is_currency(*currency)) {
      body.refuse(fmt::format("currency {} is no code; expected three capital letters such as EUR",
                              in_quotes(*currency)));
    }
    before.currency = *std::move(currency);
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
      .json("fields", fields)
      .list("classes", page.classes, class_json)
      .flag("shuffle", page.shuffle)
      .text_or_null("currency", page.currency);
}

Result<void> check_classes(const Page& page, const std::vector<std::string>& classes) {
  if (page.classes.empty()) return {};
  std::vector<std::string> shown;
  for (const Page::ShownClass& one : page.classes) shown.push_back(one.label);
  if (std::ranges::is_permutation(shown, classes)) return {};
  return fail(ErrorCode::invalid_argument,
              fmt::format("page.classes has {}; expected each of {} once",
                          some_in_quotes(shown, kMostClassesNamed),
                          some_in_quotes(classes, kMostClassesNamed)));
}

/// By digests, which order the classes as if at random.
std::vector<std::string> shuffled(std::vector<std::string> classes, std::uint64_t seed,
                                  std::string_view worker, std::string_view item) {
  std::ranges::sort(classes, {}, [&](const std::string& one) {
    return digest_of(fmt::format("{}\n{}\n{}\n{}", seed, worker, item, one));
  });
  return classes;
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
