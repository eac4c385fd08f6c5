#include "allot/io/label_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "allot/io/answer_shapes.hpp"
#include "cli/commands.hpp"
#include "cli/formats.hpp"
#include "cli/options.hpp"

namespace allot::cli {
namespace {

struct FormatsOptions {
  std::optional<std::string> name;
};

/// The lines of a text, indented.
std::string indented(std::string_view text) {
  std::string result;
  for (const std::string_view line : split(trim(text), '\n'))
    result += fmt::format("    {}\n", line);
  return result;
}

/// The words of a text in lines of at most 80 characters.
std::string in_lines(std::string_view text) {
  constexpr std::size_t kMostColumns = 80;
  std::string lines;
  std::size_t width = 0;
  for (const std::string_view word : split(text, ' ')) {
    if (width > 0) lines += width + 1 + word.size() > kMostColumns ? '\n' : ' ';
    width = width > 0 && lines.back() == ' ' ? width + 1 + word.size() : word.size();
    lines += word;
  }
  return lines;
}

/// All formats with an example each, and the shapes of answers.
std::string list_text() {
  std::string text = "Labels are read from:\n\n";
  for (const io::LabelFormat& format : io::label_formats())
    text += fmt::format("{}: {}\n{}\n", format.name, format.summary, indented(format.example));
  std::size_t width = 0;
  for (const io::AnswerShape& shape : io::answer_shapes())
    width = std::max(width, shape.name.size());
  text += "Answers are written by `allot aggregate --to`:\n\n";
  for (const io::AnswerShape& shape : io::answer_shapes())
    text += fmt::format("{:<{}}  {}\n", shape.name, width, shape.summary);
  return text;
}

Result<Output> show_formats(const FormatsOptions& options) {
  if (!options.name) return Output{list_text()};
  const auto format = TRY(io::label_format(*options.name));
  return Output{fmt::format("{}: {}\n\n{}\n\n{}", format.name, format.summary,
                            in_lines(format.details), indented(format.example))};
}

void add_options(Command& command, FormatsOptions& options) {
  command.add("NAME", &options.name, "Explain this format only");
}

}  // namespace

Command formats_command() {
  return make_command("formats", "List the formats of labels and answers", show_formats,
                      add_options, {}, {"allot formats", "allot formats mturk"});
}

}  // namespace allot::cli
