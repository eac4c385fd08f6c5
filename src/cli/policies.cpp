#include <fmt/format.h>

#include <algorithm>

#include "allot/policy/registry.hpp"
#include "cli/commands.hpp"

namespace allot::cli {

std::string policies() {
  std::size_t width = 0;
  for (const auto& entry : policy::catalog())
    width = std::max(width, policy::written(entry).size());
  const auto line = [&](std::string_view name, std::string_view workers, std::string_view what) {
    return fmt::format("  {:<{}}  {:<7}  {}\n", name, width, workers, what);
  };
  std::string text = line("policy", "workers", "goes for");
  for (const auto& entry : policy::catalog()) {
    const char* workers = !entry.differing ? "alike" : !entry.alike ? "differ" : "any";
    text += line(policy::written(entry), workers, entry.summary);
  }
  return text;
}

}  // namespace allot::cli
