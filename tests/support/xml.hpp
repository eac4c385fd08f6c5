// Just enough XML to look into figures: a parser that refuses whatever is not well formed.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace allot::test {

struct Element {
  std::string name, text;
  std::map<std::string, std::string> attributes;
  std::vector<Element> children;

  std::string attribute(const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? "" : found->second;
  }
};

class XmlParser {
 public:
  explicit XmlParser(std::string_view document) : rest_(document) {}

  Element document() {
    Element root = element();
    blanks();
    demand(rest_.empty(), "text after the root");
    return root;
  }

 private:
  static void demand(bool ok, const std::string& complaint) {
    if (!ok) throw std::runtime_error("not well formed: " + complaint);
  }
  void blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
  bool skip(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string_view until(std::string_view ends) {
    const std::size_t end = rest_.find_first_of(ends);
    demand(end != std::string_view::npos, "no end of " + std::string(rest_.substr(0, 20)));
    const std::string_view part = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return part;
  }
  /// Text or the value of an attribute, without its escapes.
  static std::string plain(std::string_view text) {
    static const std::map<std::string_view, char> kNamed{
        {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}};
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
      demand(static_cast<unsigned char>(text[i]) >= 0x20 || text[i] == '\n', "control character");
      if (text[i] != '&') {
        result += text[i];
        continue;
      }
      const std::size_t end = text.find(';', i);
      demand(end != std::string_view::npos, "lone &");
      result += kNamed.at(text.substr(i + 1, end - i - 1));
      i = end;
    }
    return result;
  }
  Element element() {
    blanks();
    demand(skip("<"), "no element");
    Element one;
    one.name = until(" />\n");
    for (blanks(); !rest_.starts_with('/') && !rest_.starts_with('>'); blanks()) {
      const std::string key(until("="));
      demand(skip("=\"") && !one.attributes.contains(key), "attribute " + key);
      one.attributes[key] = plain(until("\"<"));
      demand(skip("\""), "value of " + key);
    }
    if (skip("/>")) return one;
    demand(skip(">"), "tag " + one.name);
    while (true) {
      one.text += plain(until("<"));
      if (skip("</")) break;
      one.children.push_back(element());
    }
    demand(skip(one.name) && skip(">"), "no end of " + one.name);
    return one;
  }

  std::string_view rest_;
};

inline Element parse_xml(std::string_view document) { return XmlParser(document).document(); }

/// All elements of that name below (and at) `root`, in the order of the document.
inline std::vector<Element> elements(const Element& root, const std::string& name) {
  std::vector<Element> found;
  if (root.name == name) found.push_back(root);
  for (const Element& child : root.children) {
    for (Element& one : elements(child, name)) found.push_back(std::move(one));
  }
  return found;
}

/// Those that carry the class, alone or among others.
inline std::vector<Element> of_class(const Element& root, const std::string& name,
                                     const std::string& kind) {
  std::vector<Element> found = elements(root, name);
  std::erase_if(found, [&](const Element& one) {
    return (" " + one.attribute("class") + " ").find(" " + kind + " ") == std::string::npos;
  });
  return found;
}

}  // namespace allot::test
