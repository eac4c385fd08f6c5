#include "bindings/module.hpp"

PYBIND11_MODULE(_engine, module) {
  module.doc() = "The compiled part of allot; use the package allot instead.";
  allot::python::bind_errors(module);
  allot::python::bind_labels(module);
  allot::python::bind_aggregation(module);
  allot::python::bind_agreement(module);
  allot::python::bind_plugins(module);
  allot::python::bind_experiments(module);
  allot::python::bind_planning(module);
  allot::python::bind_auditing(module);
  allot::python::bind_campaign(module);
}
