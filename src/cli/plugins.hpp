// Policies and methods that the caller of an experiment brings along, such as those written in
// Python. Options find them by name, before those of allot.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "allot/aggregate/registry.hpp"
#include "allot/policy/policy.hpp"

namespace allot::cli {

struct Plugins {
  std::vector<std::shared_ptr<const policy::Policy>> policies = {};
  /// Methods by name.
  std::vector<std::pair<std::string, aggregate::SeededMethod>> methods = {};
};

}  // namespace allot::cli
