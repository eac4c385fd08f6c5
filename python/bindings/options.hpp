// Keyword arguments of Python as options of a command.
#pragma once

#include <pybind11/pybind11.h>

#include "cli/command.hpp"

namespace allot::python {

/// Stores each value where the command's option of that name wants it: `refit_by` is `--refit-by`.
/// Values are texts, lists of texts or booleans. Throws std::invalid_argument for an unknown name.
void set_options(cli::Command& command, const pybind11::dict& values);

}  // namespace allot::python
