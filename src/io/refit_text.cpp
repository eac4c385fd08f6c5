#include "allot/io/refit_text.hpp"

#include <fmt/ranges.h>

#include <array>
#include <vector>

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

std::span<const Refit> suited_refits(bool binary, bool features) {
  static constexpr std::array kBinary{Refit::integrated, Refit::em, Refit::pooled};
  static constexpr std::array kOther{Refit::pooled, Refit::em};
  if (!binary) return kOther;
  return std::span(kBinary).first(features ? 3 : 2);
}

Result<Refit> read_refit(std::string_view option, const std::optional<std::string>& text,
                         std::span<const Refit> suited) {
  if (!text) return suited.front();
  std::vector<std::string_view> names;
  for (const Refit one : suited) {
    if (*text == refit_name(one)) return one;
    names.push_back(refit_name(one));
  }
  return invalid("{} {} is no method for these items; expected {}", option, in_quotes(*text),
                 fmt::join(names, " or "));
}

}  // namespace allot::io
