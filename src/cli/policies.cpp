#include <fmt/format.h>

#include <algorithm>

#include "allot/policy/registry.hpp"
#include "cli/commands.hpp"

namespace allot::cli {

std::string policies() {
  std::size_t width = 0;
  for (const auto& entry : policy::catalog())
    width = std::max(width, policy::written(entry).size());
  std::string text;
  for (const auto& entry : policy::catalog()) {
    text += fmt::format("  {:<{}}  {}\n", policy::written(entry), width, entry.summary);
  }
  return text;
}

}  // namespace allot::cli
