// Policies compared on recorded or simulated labels (src/cli/replay.hpp, simulate.hpp).
#include <pybind11/stl.h>

#include "allot/policy/registry.hpp"
#include "bindings/calls.hpp"
#include "bindings/errors.hpp"
#include "bindings/labels.hpp"
#include "bindings/module.hpp"
#include "bindings/options.hpp"
#include "bindings/plugins.hpp"
#include "cli/replay.hpp"
#include "cli/simulate.hpp"

namespace allot::python {
namespace {

namespace py = pybind11;

/// A comparison as JSON, as a table and as a figure.
py::tuple texts(const cli::Comparison& comparison) {
  return py::make_tuple(cli::comparison_text(comparison, cli::Format::json),
                        cli::comparison_text(comparison, cli::Format::table),
                        cli::comparison_figure(comparison));
}

py::tuple replay(const Labels& labels, const std::optional<std::string>& truth,
                 const std::optional<std::string>& prices, const std::optional<std::string>& groups,
                 const py::dict& options, const PluginArguments& plugins) {
  cli::ReplayOptions flags;
  cli::Command command;
  cli::add_replay_options(command, flags);
  set_options(command, options);
  flags.files.labels = "labels";
  if (truth) flags.files.truth = "truth";
  if (prices) flags.run.price = "price";
  if (groups) flags.files.groups = "groups";
  const cli::Plugins own = plugins.make();
  std::vector<std::string> notes;
  const auto comparison = interruptible([&](Progress& progress) {
    cli::ReplayInput input{with_truth(labels, truth), prices};
    if (groups) input.files.groups = checked(io::parse_groups(*groups, input.files.labels.workers));
    notes = notes_of(input.files);
    return checked(cli::replay(flags, std::move(input), own, progress));
  });
  return texts(comparison) + py::make_tuple(notes);
}

py::tuple simulate(const py::dict& options, const PluginArguments& plugins) {
  cli::SimulateOptions flags;
  cli::Command command;
  cli::add_simulate_options(command, flags);
  set_options(command, options);
  const cli::Plugins own = plugins.make();
  const auto comparison = interruptible(
      [&](Progress& progress) { return checked(cli::simulate(flags, own, progress)); });
  return texts(comparison) + py::make_tuple(std::vector<std::string>{});
}

/// Names of the policies as users write them, each with one line about it.
std::vector<std::pair<std::string, std::string>> policies() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const policy::PolicyEntry& entry : policy::catalog())
    all.emplace_back(policy::written(entry), entry.summary);
  return all;
}

}  // namespace

void bind_experiments(py::module_& module) {
  module.def("replay", &replay, py::arg("labels"), py::arg("truth"), py::arg("prices"),
             py::arg("groups"), py::arg("options"), py::arg("plugins"));
  module.def("policies", &policies);
  module.def("simulate", &simulate, py::arg("options"), py::arg("plugins"));
}

}  // namespace allot::python
