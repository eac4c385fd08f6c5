// Forecasts before the first label: `plan` and `exact`.
#include <pybind11/stl.h>

#include "bindings/calls.hpp"
#include "bindings/errors.hpp"
#include "bindings/labels.hpp"
#include "bindings/module.hpp"
#include "bindings/options.hpp"
#include "cli/commands.hpp"
#include "cli/plan.hpp"

namespace allot::python {
namespace {

namespace py = pybind11;

/// A plan as JSON, as a table and as a figure.
py::tuple plan(const Labels* pilot, const py::dict& options) {
  cli::PlanOptions flags;
  cli::Command command;
  cli::add_plan_options(command, flags);
  set_options(command, options);
  std::optional<cli::LabelFiles> files;
  if (pilot) {
    flags.pilot.labels = "labels";
    files = pilot->files;
  }
  return interruptible([&](Progress&) {
    const auto made = checked(cli::make_plan(flags, files, true));
    std::array texts{cli::plan_text(made, cli::Format::json),
                     cli::plan_text(made, cli::Format::table), cli::plan_figure(made)};
    const py::gil_scoped_acquire locked;
    return py::make_tuple(texts[0], texts[1], texts[2]);
  });
}

/// What `allot exact` prints in this format.
std::string exact(const py::dict& options, const std::string& format) {
  cli::Command command = cli::exact_command();
  set_options(command, options);
  set_options(command, py::dict(py::arg("format") = format));
  return without_lock([&] { return checked(command.run()).text; });
}

}  // namespace

void bind_planning(py::module_& module) {
  module.def("plan", &plan, py::arg("pilot").none(true), py::arg("options"));
  module.def("exact", &exact, py::arg("options"), py::arg("format"));
}

}  // namespace allot::python
