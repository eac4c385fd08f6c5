#include <fmt/format.h>

#include <algorithm>

#include "allot/policy/registry.hpp"
#include "cli/commands.hpp"

namespace allot::cli {

namespace {

using policy::Form;

Result<Output> list_policies() {
  std::size_t width = 0;
  for (const auto& entry : policy::catalog())
    width = std::max(width, policy::written(entry).size());
  const auto line = [&](std::string_view name, std::string_view workers, std::string_view several,
                        std::string_view what) {
    return fmt::format("  {:<{}}  {:<7}  {:<11}  {}\n", name, width, workers, several, what);
  };
  const auto kind = [](bool alike, bool differing) {
    return alike ? (differing ? "any" : "alike") : (differing ? "differ" : "-");
  };
  std::string text = line("policy", "workers", "multi-class", "asks about");
  for (const auto& entry : policy::catalog()) {
    text += line(policy::written(entry), kind(entry.has(Form::items), entry.has(Form::pairs)),
                 kind(entry.has(Form::multiclass_items), entry.has(Form::multiclass_pairs)),
                 entry.summary);
  }
  return Output{text};
}

}  // namespace

Command policies_command() { return {"policies", "List all policies", list_policies}; }

}  // namespace allot::cli
