// Agreement of workers (allot/aggregate/agreement.hpp).
#include "allot/aggregate/agreement.hpp"

#include <pybind11/stl.h>

#include <limits>

#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "bindings/errors.hpp"
#include "bindings/labels.hpp"
#include "bindings/module.hpp"
#include "bindings/options.hpp"
#include "cli/agreement.hpp"

namespace allot::python {
namespace {

namespace py = pybind11;

/// The report as JSON and as a table.
py::tuple agreement(const Labels& labels, bool ordered, std::uint64_t seed,
                    const py::dict& options) {
  cli::AgreementFlags flags;
  cli::Command command;
  cli::add_agreement_options(command, flags);
  set_options(command, options);
  std::string json, table;
  without_lock([&] {
    auto how = checked(cli::read_agreement_options(flags, ordered));
    how.seed = seed;
    const io::LabelFile& file = labels.files.labels;
    cli::AgreementReport report{how, aggregate::measure_agreement(file.set, how), "Agreement", {}};
    report.warning = cli::spread_warning(report.agreement);
    json = cli::agreement_text(report, cli::Format::json);
    table = cli::agreement_text(report, cli::Format::table);
  });
  return py::make_tuple(json, table);
}

/// Columns: both workers by number, shared items, kappa (NaN if undefined).
py::tuple pairs(const Labels& labels, std::uint32_t least_shared) {
  const auto found =
      without_lock([&] { return aggregate::pair_kappas(labels.files.labels.set, least_shared); });
  std::vector<std::uint32_t> first, second, shared;
  std::vector<double> kappa;
  for (const aggregate::PairKappa& pair : found) {
    first.push_back(position(pair.first));
    second.push_back(position(pair.second));
    shared.push_back(pair.shared);
    kappa.push_back(pair.kappa.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return py::make_tuple(to_array(first), to_array(second), to_array(shared), to_array(kappa));
}

}  // namespace

void bind_agreement(py::module_& module) {
  module.def("agreement", &agreement, py::arg("labels"), py::arg("ordered"), py::arg("seed"),
             py::arg("options"));
  module.def("pair_kappas", &pairs, py::arg("labels"), py::arg("least_shared"));
}

}  // namespace allot::python
