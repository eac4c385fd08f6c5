#include "allot/io/refit_text.hpp"

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::io {

using model::Refit;

std::string_view refit_name(Refit refit) {
  switch (refit) {
    case Refit::off:
      return "off";
    case Refit::em:
      return "em";
    case Refit::integrated:
      return "bp";
    case Refit::pooled:
      return "pooled";
  }
  return "";
}

Result<Refit> read_refit(std::string_view option, std::string_view text, bool binary) {
  const Refit usual = binary ? Refit::integrated : Refit::pooled;
  for (const Refit one : {usual, Refit::em}) {
    if (text == refit_name(one)) return one;
  }
  return invalid(
      "{} {} is no method for {}; expected {} or em", option, in_quotes(text),
      binary ? "binary items without features" : "more than two classes, or items with features",
      refit_name(usual));
}

}  // namespace allot::io
