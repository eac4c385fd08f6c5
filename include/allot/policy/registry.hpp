// Policies by name: one spelling in the command line, the API and logs, one table of all policies.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"
#include "allot/policy/policy.hpp"

namespace allot::policy {

/// One policy of the catalog: its name, parameter and forms.
struct PolicyEntry {
  std::string_view name;       // "cvar"
  std::string_view parameter;  // "ALPHA" or empty
  std::string_view summary;    // one line
  std::uint32_t forms;         // bit n: the form with number n

  /// Whether the policy can choose in problems of this form.
  bool has(Form form) const { return (forms >> static_cast<unsigned>(form) & 1U) != 0; }
};

/// The name as a user writes it: "cvar:ALPHA".
std::string written(const PolicyEntry& entry);

/// Every policy, in the order in which to show them.
std::span<const PolicyEntry> catalog();

/// The policy "opt-kg", "cvar:0.7", ... in all its forms. Refuses unknown names with the nearest.
Result<std::shared_ptr<const Policy>> make_policy(std::string_view name, TieBreak ties);

/// The policy with that name, refused if it is unknown or lacks the form.
Result<std::shared_ptr<const Policy>> make_policy(std::string_view name, TieBreak ties, Form form);

}  // namespace allot::policy
