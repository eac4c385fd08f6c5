// Prompts for language models that label items, and what their replies mean.
//
// A template is a text with places such as {{text}}, which get the fields of an item, {{item}} for
// its id and {{classes}} for the list of classes. The order of classes differs from item to item,
// so that a model that likes the first of a list does not always name the same class. Values are
// put in once: a place that an item's own text contains stays text. Whatever an item says, a reply
// counts only if it is one class and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/base/result.hpp"

namespace allot::bridge {

class PromptTemplate {
 public:
  /// Refuses a text without {{classes}}, and a place that is not closed.
  static Result<PromptTemplate> parse(std::string_view text);

  /// The prompt for an item; `fields` is the JSON object that workers see. Refuses an item without
  /// a field that the template names.
  Result<std::string> fill(const std::string& item, const std::string& fields,
                           const std::vector<std::string>& classes, std::uint64_t seed) const;

  /// The first field that the template names and an item with these fields lacks.
  std::optional<std::string> missing_field(const std::string& fields) const;

 private:
  /// A text, and the name of the place after it; the last has none.
  struct Part {
    std::string text;
    std::optional<std::string> place;
  };
  std::vector<Part> parts_;
};

/// A template to start from: question, instructions, the fields by name, and the classes. Places in
/// the texts themselves are broken up, so that they stay text.
std::string usual_prompt(std::string_view question, std::string_view instructions,
                         const std::vector<std::string>& fields);

/// The classes in the order in which the item's prompt lists them.
std::vector<std::string> shuffled_classes(const std::string& item,
                                          const std::vector<std::string>& classes,
                                          std::uint64_t seed);

/// The class that a reply names: the class alone, in any case, perhaps in quotes, marked or with a
/// full stop. Nothing for any other text.
std::optional<std::string> class_in(std::string_view reply,
                                    const std::vector<std::string>& classes);

}  // namespace allot::bridge
