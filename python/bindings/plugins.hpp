// Policies and methods written in Python, for replay and simulate.
//
// A policy is a function of a state (PolicyState) that returns what to ask next. A method is a
// function of labels that returns answers. Both are called with the interpreter lock, from any
// thread; an exception that they raise ends the experiment and reaches the caller as it is.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/plugins.hpp"

namespace allot::python {

/// Functions by name, as Python gives them.
struct PluginArguments {
  std::vector<std::pair<std::string, pybind11::function>> policies = {}, methods = {};

  /// Plugins that call the functions. They must not outlive this object.
  cli::Plugins make() const;
};

}  // namespace allot::python
