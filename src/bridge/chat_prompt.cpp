#include "bridge/chat_prompt.hpp"

#include <algorithm>

#include "allot/base/rng.hpp"
#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "io/json_object.hpp"

namespace allot::bridge {
namespace {

constexpr std::string_view kOpen = "{{", kClose = "}}";
constexpr std::string_view kItemPlace = "item", kClassesPlace = "classes";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// FNV-1a: the same order of classes on every machine.
std::uint64_t number_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

}  // namespace

Result<PromptTemplate> PromptTemplate::parse(std::string_view text) {
  PromptTemplate result;
  bool has_classes = false;
  while (true) {
    const std::size_t open = text.find(kOpen);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find(kClose, open);
    if (close == std::string_view::npos)
      return invalid("the prompt has {{{{ without }}}}; expected a place such as {{{{text}}}}");
    const std::string name(trim(text.substr(open + kOpen.size(), close - open - kOpen.size())));
    if (name.empty())
      return invalid("the prompt has a place without a name; expected one such as {{{{text}}}}");
    has_classes = has_classes || name == kClassesPlace;
    result.parts_.push_back({std::string(text.substr(0, open)), name});
    text.remove_prefix(close + kClose.size());
  }
  if (!has_classes)
    return invalid("the prompt does not list the classes; expected {{{{classes}}}} in it");
  result.parts_.push_back({std::string(text), {}});
  return result;
}

std::optional<std::string> PromptTemplate::missing_field(const std::string& fields) const {
  const auto members = io::parse_json_object(fields.empty() ? "{}" : fields);
  for (const Part& part : parts_) {
    if (!part.place || *part.place == kItemPlace || *part.place == kClassesPlace) continue;
    if (!members ||
        std::ranges::find(*members, *part.place, &io::JsonMember::name) == members->end())
      return part.place;
  }
  return {};
}

Result<std::string> PromptTemplate::fill(const std::string& item, const std::string& fields,
                                         const std::vector<std::string>& classes,
                                         std::uint64_t seed) const {
  const auto members = TRY(io::parse_json_object(fields.empty() ? "{}" : fields));
  std::string prompt;
  for (const Part& part : parts_) {
    prompt += part.text;
    if (!part.place) continue;
    const auto field = std::ranges::find(members, *part.place, &io::JsonMember::name);
    if (*part.place == kItemPlace) {
      prompt += item;
    } else if (*part.place == kClassesPlace) {
      for (const std::string& one : shuffled_classes(item, classes, seed))
        prompt += fmt::format("- {}\n", one);
    } else if (field != members.end()) {
      prompt += field->value;
    } else {
      return invalid("item {} has no field {}; expected the fields that the prompt names",
                     in_quotes(item), in_quotes(*part.place));
    }
  }
  return prompt;
}

std::string usual_prompt(std::string_view question, std::string_view instructions,
                         const std::vector<std::string>& fields) {
  std::string prompt(question.empty() ? "Which class does this item belong to?" : question);
  prompt += "\n\n";
  if (!trim(instructions).empty()) prompt += fmt::format("{}\n\n", trim(instructions));
  for (std::size_t at = 0; (at = prompt.find(kOpen, at)) != std::string::npos;)
    prompt.insert(++at, 1, ' ');
  for (const std::string& field : fields) {
    if (field.find(kOpen) != std::string::npos || field.find(kClose) != std::string::npos) continue;
    prompt += fmt::format("{0}: {{{{{0}}}}}\n", field);
  }
  return prompt + "\nClasses:\n{{classes}}";
}

std::vector<std::string> shuffled_classes(const std::string& item,
                                          const std::vector<std::string>& classes,
                                          std::uint64_t seed) {
  std::vector<std::string> order = classes;
  Rng rng(seed, Rng::Purpose::general, number_of(item));
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[below(rng, left)]);
  return order;
}

std::optional<std::string> class_in(std::string_view reply,
                                    const std::vector<std::string>& classes) {
  const auto found = [&](std::string_view text) -> std::optional<std::string> {
    if (const auto same = std::ranges::find(classes, text); same != classes.end()) return *same;
    std::optional<std::string> only;
    for (const std::string& one : classes) {
      if (!same_ignoring_case(one, text)) continue;
      if (only) return {};  // classes that differ in case alone must be named exactly
      only = one;
    }
    return only;
  };
  reply = trim(reply);
  if (const auto whole = found(reply)) return whole;
  constexpr std::string_view kMarks = "\"'`*_.- \t\r\n";
  const std::size_t first = reply.find_first_not_of(kMarks);
  if (first == std::string_view::npos) return {};
  return found(reply.substr(first, reply.find_last_not_of(kMarks) + 1 - first));
}

}  // namespace allot::bridge
