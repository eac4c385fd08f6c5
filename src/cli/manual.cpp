#include "cli/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "allot/base/text.hpp"
#include "cli/help_words.hpp"
#include "cli/version.hpp"

namespace allot::cli {
namespace {

/// Text for roff: no character has a meaning of its own, literals in backticks are bold.
std::string roff(const std::string& text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  bool bold = false;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '`':
        result += (bold = !bold) ? "\\fB" : "\\fR";
        break;
      default:
        result += c;
    }
  }
  return result;
}

/// A term and its explanation, indented.
std::string roff_entry(const std::string& term, const std::string& meaning) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}.\n", roff(term), roff(meaning));
}

std::string roff_options(const Command& command, bool positional) {
  std::string text;
  for (const Option& option : command.options) {
    if (option.is_positional() == positional)
      text += roff_entry(option.usage(), meaning_with_default(option));
  }
  return text;
}

/// "allot campaign create" is on the page "allot-campaign-create".
std::string page_name(std::string words) {
  std::ranges::replace(words, ' ', '-');
  return words;
}

std::string reference(const std::string& words) {
  return fmt::format("\\fB{}\\fR(1)", roff(page_name(words)));
}

/// The command one level up, and the inner commands.
std::string see_also(const Command& command, const std::string& words) {
  std::vector<std::string> pages;
  if (const auto end = words.rfind(' '); end != std::string::npos)
    pages.push_back(reference(words.substr(0, end)));
  for (const Command& inner : command.commands)
    pages.push_back(reference(words + " " + inner.name));
  return fmt::format("{}\n", fmt::join(pages, ",\n"));
}

std::string manual_page(const Command& command, const std::string& words) {
  std::string title = page_name(words);
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string text = fmt::format(
      ".TH {} 1 \"\" \"allot {}\" \"allot manual\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n",
      roff(title), version(), roff(page_name(words)), roff(plain(command.summary)),
      roff(usage(command, words)));
  const auto section = [&](const char* name, const std::string& lines) {
    if (!lines.empty()) text += fmt::format(".SH {}\n{}", name, lines);
  };
  std::string inner_commands, notes, examples;
  for (const Command& inner : command.commands)
    inner_commands += roff_entry(inner.name, inner.summary);
  for (const std::string& note : command.notes) notes += fmt::format(".PP\n{}\n", roff(note));
  for (const std::string& example : command.examples)
    examples += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(example));
  section("COMMANDS", inner_commands);
  section("ARGUMENTS", roff_options(command, true));
  section("OPTIONS", roff_options(command, false) + roff_entry("--help", "Print a short help"));
  section("NOTES", notes);
  section("EXAMPLES", examples);
  section("SEE ALSO", see_also(command, words));
  return text;
}

void add_pages(const Command& command, const std::string& words, const std::string& folder,
               std::vector<File>& pages) {
  pages.push_back({fmt::format("{}/{}.1", folder, page_name(words)), manual_page(command, words)});
  for (const Command& inner : command.commands)
    add_pages(inner, words + " " + inner.name, folder, pages);
}

}  // namespace

std::vector<File> manual_pages(const Command& program, const std::string& folder) {
  std::vector<File> pages;
  add_pages(program, program.name, folder, pages);
  return pages;
}

}  // namespace allot::cli
