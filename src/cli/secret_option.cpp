#include "cli/secret_option.hpp"

#include <algorithm>
#include <cstdlib>

#include "allot/base/text.hpp"
#include "allot/io/text_file.hpp"
#include "base/errors.hpp"
#include "cli/options.hpp"

namespace allot::cli {

Result<std::string> read_secret(const std::string& option, const std::optional<std::string>& file,
                                const std::string& variable) {
  std::string text;
  if (file) {
    text = TRY(in_option(option, io::read_text_file(*file)));
  } else if (const char* const value = std::getenv(variable.c_str())) {
    text = value;
  } else {
    return invalid("{} is not set; expected the secret in it, or a file by {}", variable, option);
  }
  const std::string secret(trim(text));
  const bool fine =
      !secret.empty() && std::ranges::all_of(secret, [](char c) { return c > ' ' && c < 0x7f; });
  if (fine) return secret;
  return invalid("{} holds no secret; expected one line of visible characters",
                 file ? in_quotes(*file) : variable);
}

}  // namespace allot::cli
