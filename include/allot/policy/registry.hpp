// Policies by name: one spelling in the command line, the API and logs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "allot/base/result.hpp"
#include "allot/policy/pair_policy.hpp"
#include "allot/policy/policy.hpp"

namespace allot::policy {

struct PolicyEntry {
  std::string_view name;       // "cvar"
  std::string_view parameter;  // "ALPHA" or empty
  std::string_view summary;    // one line
  bool alike;                  // for workers who are alike: it chooses items
  bool differing;              // for workers who differ: it chooses pairs, or items for a worker
  bool several_alike;          // the same for items of several classes
  bool several_differing;
};

/// As a user writes it: "cvar:ALPHA".
std::string written(const PolicyEntry& entry);

/// Every policy there is, in the order in which to show them.
std::span<const PolicyEntry> catalog();

/// The policy named "opt-kg", "cvar:0.7", ... for workers who are alike. Unknown names are refused
/// with the nearest known one.
Result<std::shared_ptr<const Policy>> make_policy(std::string_view name, TieBreak ties);

/// The same for workers who differ. With `multiclass`, refused if it has no form for multi-class
/// items or items with features.
Result<std::shared_ptr<const PairPolicy>> make_pair_policy(std::string_view name, TieBreak ties,
                                                           bool multiclass = false);

}  // namespace allot::policy
