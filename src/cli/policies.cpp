#include <fmt/format.h>

#include <algorithm>

#include "allot/policy/registry.hpp"
#include "cli/commands.hpp"

namespace allot::cli {

std::string policies() {
  const auto written = [](const policy::PolicyEntry& entry) {
    return entry.parameter.empty() ? std::string(entry.name)
                                   : fmt::format("{}:{}", entry.name, entry.parameter);
  };
  std::size_t width = 0;
  for (const auto& entry : policy::catalog()) width = std::max(width, written(entry).size());
  std::string text;
  for (const auto& entry : policy::catalog()) {
    text += fmt::format("  {:<{}}  {}\n", written(entry), width, entry.summary);
  }
  return text;
}

}  // namespace allot::cli
