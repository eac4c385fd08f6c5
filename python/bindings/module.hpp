// The parts of the compiled module `allot._engine`, one function per source.
//
// The module speaks in numbers, texts and numpy arrays; the Python sources beside it turn tables of
// pandas into these and back. Every call into the library releases the interpreter lock.
#pragma once

#include <pybind11/pybind11.h>

namespace allot::python {

void bind_errors(pybind11::module_& module);
void bind_labels(pybind11::module_& module);
void bind_aggregation(pybind11::module_& module);
void bind_agreement(pybind11::module_& module);
void bind_plugins(pybind11::module_& module);
void bind_experiments(pybind11::module_& module);
void bind_planning(pybind11::module_& module);
void bind_auditing(pybind11::module_& module);
void bind_campaign(pybind11::module_& module);

}  // namespace allot::python
