// An audit of finished answers (src/cli/audit.hpp).
#include <pybind11/stl.h>

#include <memory>

#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "bindings/errors.hpp"
#include "bindings/module.hpp"
#include "bindings/options.hpp"
#include "cli/audit.hpp"
#include "cli/options.hpp"

namespace allot::python {
namespace {

namespace py = pybind11;

/// Answers and the settings of their audit. The draws follow from both, and are made when needed.
class Audit {
 public:
  /// `text` has one row per answer: item, answer, probability.
  Audit(const std::string& text, const py::dict& options) {
    cli::Command command;
    cli::add_audit_options(command, flags_);
    set_options(command, options);
    without_lock([&] {
      answers_ = checked(cli::in_option(
          "answers", io::parse_finished_answers(text, cli::read_names(flags_.classes))));
      checked(plan());
    });
  }

  /// Positions of the answers to check, in order.
  py::array_t<std::uint32_t> draws() const {
    std::vector<ItemId> items;
    without_lock([&] {
      const auto made = checked(plan());
      for (const audit::Draw& draw : made.draws()) items.push_back(draw.item);
    });
    return ids_to_array(items);
  }

  /// What the verdicts of a text (item, truth) prove, as JSON and as a table.
  py::tuple report(const std::string& verdicts) const {
    std::string json, table;
    without_lock([&] {
      auto made = checked(plan());
      const auto truths = checked(cli::read_audit_verdicts(made, verdicts, "verdicts"));
      const auto report = cli::make_audit_report(made, truths);
      json = cli::report_text(report, cli::Format::json);
      table = cli::report_text(report, cli::Format::table);
    });
    return py::make_tuple(json, table);
  }

 private:
  Result<cli::AuditPlan> plan() const { return cli::plan_audit(flags_, answers_); }

  cli::AuditOptions flags_;
  io::FinishedAnswers answers_;
};

}  // namespace

void bind_auditing(py::module_& module) {
  py::class_<Audit>(module, "Audit")
      .def(py::init<const std::string&, const py::dict&>(), py::arg("answers"), py::arg("options"))
      .def("draws", &Audit::draws)
      .def("report", &Audit::report, py::arg("verdicts"));
}

}  // namespace allot::python
