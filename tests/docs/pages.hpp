// The Markdown pages of the repository and what tests read from them.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/folder.hpp"
#include "support/places.hpp"

namespace allot::test {

/// Paths relative to the root: README.md, CHANGELOG.md, CONTRIBUTING.md, the README of the Python
/// client and every page under docs/, in order.
inline std::vector<std::string> all_pages() {
  namespace fs = std::filesystem;
  std::vector<std::string> pages{"README.md", "CHANGELOG.md", "CONTRIBUTING.md",
                                 "python/README.md"};
  for (const auto& file : fs::recursive_directory_iterator(root() + "/docs")) {
    if (file.path().extension() == ".md") pages.push_back(fs::relative(file.path(), root()));
  }
  std::ranges::sort(pages);
  return pages;
}

/// Pages whose commands are run: README.md and everything under docs/guide and docs/reference.
inline std::vector<std::string> pages_with_commands() {
  std::vector<std::string> pages;
  for (const std::string& page : all_pages()) {
    if (page == "README.md" || page.starts_with("docs/guide/") ||
        page.starts_with("docs/reference/")) {
      pages.push_back(page);
    }
  }
  return pages;
}

/// The text between two lines of ```.
struct Fence {
  /// Position of the text in the page.
  std::size_t begin = 0;
  std::string text;
};

inline std::vector<Fence> fences(const std::string& page) {
  std::vector<Fence> found;
  std::size_t at = 0;
  bool inside = false;
  while (at < page.size()) {
    const std::size_t end = std::min(page.find('\n', at), page.size() - 1) + 1;
    const std::string line = page.substr(at, end - at);
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) found.push_back({end, ""});
    } else if (inside) {
      found.back().text += line;
    }
    at = end;
  }
  return found;
}

/// The page without fenced blocks.
inline std::string prose(const std::string& page) {
  std::string text;
  std::istringstream lines(page);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
    } else if (!inside) {
      text += line + "\n";
    }
  }
  return text;
}

/// Targets of links and pictures, as written.
inline std::vector<std::string> links(const std::string& page) {
  static const std::regex link("[^\\[]\\]\\(([^)\\s]+)\\)");  // no lambda in code
  const std::string text = prose(page);
  std::vector<std::string> targets;
  for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
    targets.push_back((*match)[1]);
  }
  return targets;
}

/// The anchor that GitHub gives a heading: lower case, hyphens for blanks, no punctuation.
inline std::string anchor(const std::string& heading) {
  std::string name;
  for (const char letter : heading) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == ' ') name += '-';
    if (std::isalnum(code) != 0 || code >= 0x80 || letter == '-' || letter == '_') {
      name += static_cast<char>(std::tolower(code));
    }
  }
  return name;
}

/// Anchors of all headings of a page.
inline std::vector<std::string> anchors(const std::string& page) {
  std::vector<std::string> names;
  std::istringstream lines(prose(page));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t level = line.find_first_not_of('#');
    if (level == 0 || level == std::string::npos || line[level] != ' ') continue;
    names.push_back(anchor(line.substr(level + 1)));
  }
  return names;
}

}  // namespace allot::test
