// Settings as TOML, with refusals that name file and line.
#pragma once

#include <stdexcept>

/// Takes the place of the parser's assertions: it meets some texts by one, which would end the
/// program.
[[noreturn]] inline void refuse_toml() { throw std::invalid_argument("the parser fails on it"); }
#define TOML_ASSERT(expr) ((expr) ? static_cast<void>(0) : refuse_toml())
#include <toml++/toml.h>

#include <algorithm>
#include <string>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::cli {

/// The text with a question mark for every byte beyond ASCII. TOML allows either in texts and
/// comments only, so a text whose mask can be parsed has no such byte elsewhere. There toml++ must
/// not see it: its test for white space is undefined.
inline std::string mask_of(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

/// The table that the text holds. `path` and a line as an `example` are for the refusal.
inline Result<toml::table> parse_toml(const std::string& path, const std::string& text,
                                      std::string_view example) try {
  static_cast<void>(toml::parse(mask_of(text), path));
  return toml::parse(text, path);
} catch (const toml::parse_error& error) {
  return invalid("{}: line {}: {}; expected lines such as {}, with quotes around texts", path,
                 error.source().begin.line, for_display(error.description(), 200), example);
} catch (const std::invalid_argument& error) {
  return invalid("{}: the text is not TOML ({}); expected lines such as {}", path, error.what(),
                 example);
}

}  // namespace allot::cli
