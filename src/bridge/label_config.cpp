#include "bridge/label_config.hpp"

#include <algorithm>
#include <map>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::bridge {
namespace {

using Attributes = std::map<std::string, std::string, std::less<>>;

struct XmlTag {
  std::string name;  // "/Choices" at its end
  Attributes attributes = {};
  bool is_empty = false;  // "<Choice value='a'/>"
};

std::string unescaped(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 6> kEntities{{{"&amp;", '&'},
                                                                        {"&lt;", '<'},
                                                                        {"&gt;", '>'},
                                                                        {"&quot;", '"'},
                                                                        {"&#39;", '\''},
                                                                        {"&apos;", '\''}}};
  std::string plain;
  while (!text.empty()) {
    const auto entity = std::ranges::find_if(
        kEntities, [&](const auto& one) { return text.starts_with(one.first); });
    plain += entity == kEntities.end() ? text.front() : entity->second;
    text.remove_prefix(entity == kEntities.end() ? 1 : entity->first.size());
  }
  return plain;
}

/// Walks over the tags of an XML text; comments are skipped.
class XmlTags {
 public:
  explicit XmlTags(std::string_view text) : text_(text) {}

  std::optional<XmlTag> next() {
    while (true) {
      const std::size_t open = text_.find('<');
      if (open == std::string_view::npos) return {};
      text_.remove_prefix(open + 1);
      if (!text_.starts_with("!--")) break;
      text_.remove_prefix(std::min(text_.find("-->"), text_.size()));
    }
    XmlTag tag{std::string(take_until(" \t\r\n>"))};
    if (tag.name.ends_with('/')) {
      tag.name.pop_back();
      tag.is_empty = true;
    }
    while (read_attribute(tag)) {
    }
    return tag;
  }

 private:
  std::string_view take_until(std::string_view ends) {
    const std::size_t end = std::min(text_.find_first_of(ends), text_.size());
    const std::string_view taken = text_.substr(0, end);
    text_.remove_prefix(end);
    return taken;
  }

  bool read_attribute(XmlTag& tag) {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size()));
    if (text_.empty() || text_.front() == '>') return false;
    if (text_.front() == '/') {
      tag.is_empty = true;
      text_.remove_prefix(1);
      return true;
    }
    const std::string name(trim(take_until("=>")));
    if (text_.empty() || text_.front() == '>') return false;
    text_.remove_prefix(1);
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size()));
    const char quote = text_.empty() ? ' ' : text_.front();
    if (quote != '"' && quote != '\'') return false;
    text_.remove_prefix(1);
    tag.attributes[name] = unescaped(take_until(std::string_view(&quote, 1)));
    if (!text_.empty()) text_.remove_prefix(1);
    return true;
  }

  std::string_view text_;
};

std::string attribute(const XmlTag& tag, std::string_view name) {
  const auto found = tag.attributes.find(name);
  return found == tag.attributes.end() ? "" : found->second;
}

std::vector<std::string> names_of(const std::vector<ChoicesControl>& controls) {
  std::vector<std::string> names;
  for (const ChoicesControl& one : controls) names.push_back(one.name);
  return names;
}

}  // namespace

std::vector<ChoicesControl> choices_in(std::string_view config) {
  std::vector<ChoicesControl> controls;
  XmlTags tags(config);
  bool inside = false;
  while (const auto tag = tags.next()) {
    if (tag->name == "Choices") {
      const std::string choice = attribute(*tag, "choice");
      controls.push_back({attribute(*tag, "name"),
                          attribute(*tag, "toName"),
                          {},
                          choice.empty() || choice.starts_with("single")});
      inside = !tag->is_empty;
    } else if (tag->name == "/Choices") {
      inside = false;
    } else if (tag->name == "Choice" && inside) {
      controls.back().values.push_back(attribute(*tag, "value"));
    }
  }
  return controls;
}

Result<ChoicesControl> control_for(std::string_view config, const std::optional<std::string>& name,
                                   const std::vector<std::string>& classes) {
  const std::vector<ChoicesControl> all = choices_in(config);
  if (all.empty()) {
    return invalid(
        "the labelling interface of the project has no Choices; expected one with the classes {}",
        some_in_quotes(classes, 8));
  }
  if (!name && all.size() > 1) {
    return invalid("the controls {} could all be the label; expected --control with one of them",
                   some_in_quotes(names_of(all), 8));
  }
  const auto found = name ? std::ranges::find(all, *name, &ChoicesControl::name) : all.begin();
  if (found == all.end()) {
    return invalid("--control {} is unknown in the project; expected one of {}", in_quotes(*name),
                   some_in_quotes(names_of(all), 8));
  }
  if (!found->single) {
    return invalid("the control {} takes several choices; expected choice=\"single\"",
                   in_quotes(found->name));
  }
  for (const std::string& one : classes) {
    if (std::ranges::find(found->values, one) != found->values.end()) continue;
    return invalid("the control {} has the choices {} and not the class {}; expected all classes",
                   in_quotes(found->name), some_in_quotes(found->values, 8), in_quotes(one));
  }
  return *found;
}

}  // namespace allot::bridge
