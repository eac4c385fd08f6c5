#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/help_words.hpp"
#include "cli/manual.hpp"
#include "io/option_value.hpp"

namespace allot::cli {
namespace {

constexpr std::size_t kWidth = 80;
/// Columns where the meanings of options and the summaries of commands start.
constexpr std::size_t kMeaningColumn = 26, kSummaryColumn = 14;

/// Words in lines of at most kWidth columns; `ending` closes every line but the last. The first
/// line starts at column `used`, the others at column `indent`.
std::string fill(const std::string& text, std::size_t used, std::size_t indent,
                 std::string_view ending = "") {
  std::string result;
  std::size_t column = used;
  bool first = true;
  for (const std::string_view word : split(text, ' ')) {
    if (!first && column + 1 + word.size() + ending.size() > kWidth) {
      result += std::string(ending) + "\n" + std::string(indent, ' ');
      column = indent;
      first = true;
    }
    result += (first ? "" : " ") + std::string(word);
    column += word.size() + (first ? 0 : 1);
    first = false;
  }
  return result + "\n";
}

/// One entry of a list: a term, and beside or below it what it means.
std::string entry(const std::string& term, const std::string& meaning, std::size_t column) {
  std::string line = "  " + term;
  if (line.size() + 2 > column) {
    line += "\n" + std::string(column, ' ');
  } else {
    line.resize(column, ' ');
  }
  return line + fill(plain(meaning), column, column);
}

std::string options_text(const Command& command, bool positional) {
  std::string text;
  for (const Option& option : command.options) {
    if (option.is_positional() == positional)
      text += entry(option.usage(), meaning_with_default(option), kMeaningColumn);
  }
  return text;
}

/// " text |": a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string result = text.empty() ? "" : " ";
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result + " |";
}

/// The options of a command, or the commands of a group, as a Markdown table.
std::string markdown_table(const Command& command) {
  if (!command.commands.empty()) {
    std::string text = "| Command | What it does |\n|---|---|\n";
    for (const Command& inner : command.commands)
      text += "|" + cell(fmt::format("`{}`", inner.name)) + cell(inner.summary) + "\n";
    return text;
  }
  std::string text = "| Option | Default | Meaning |\n|---|---|---|\n";
  for (const Option& option : command.options) {
    text += "|" + cell(fmt::format("`{}`", option.usage())) +
            cell(option.required ? "required" : option.default_text) + cell(option.meaning) + "\n";
  }
  return text;
}

struct HelpFlags {
  std::vector<std::string> words;
  bool markdown = false;
  std::optional<std::string> man_pages;
};

Result<Output> show_help(const Command& program, const HelpFlags& flags) {
  if (flags.man_pages) {
    std::error_code wrong;
    std::filesystem::create_directories(*flags.man_pages, wrong);
    if (wrong) {
      return fail(ErrorCode::write_failure, "--man-pages {} cannot be made ({}); expected a folder",
                  in_quotes(*flags.man_pages), wrong.message());
    }
    auto pages = manual_pages(program, *flags.man_pages);
    TRY(io::in_option("--man-pages", io::check_writable(pages.front().path)));
    return Output{"", std::move(pages)};
  }
  const Command* command = &program;
  std::string words = program.name;
  for (const std::string& word : flags.words) {
    command = TRY(command->find(word, words));
    words += " " + word;
  }
  return Output{flags.markdown ? markdown_table(*command) : help_text(*command, words)};
}

}  // namespace

std::string help_text(const Command& command, const std::string& words) {
  std::string text = "Usage: " + fill(usage(command, words), 7, 9) + "\n";
  text += fill(plain(command.summary) + ".", 0, 0);
  if (!command.commands.empty()) {
    text += "\nCommands:\n";
    for (const Command& inner : command.commands)
      text += entry(inner.name, inner.summary, kSummaryColumn);
  }
  const std::string arguments = options_text(command, true);
  if (!arguments.empty()) text += "\nArguments:\n" + arguments;
  text += "\nOptions:\n" + options_text(command, false) +
          entry("--help", "Print this help", kMeaningColumn);
  for (const std::string& note : command.notes) text += "\n" + fill(plain(note), 0, 0);
  if (!command.examples.empty()) {
    text += command.examples.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
    for (const std::string& example : command.examples) text += "  " + fill(example, 2, 6, " \\");
  }
  return text;
}

Command help_command(const Command& program) {
  const auto flags = std::make_shared<HelpFlags>();
  Command command{"help", "Explain a command",
                  [flags, &program] { return show_help(program, *flags); }};
  command.add("COMMAND", &flags->words, "Command to explain, such as `campaign create`");
  command.add("--markdown", &flags->markdown, "Print the options as a Markdown table");
  command.add("--man-pages", &flags->man_pages, "DIR",
              "Write a manual page per command into this folder instead; created if missing");
  return command;
}

}  // namespace allot::cli
