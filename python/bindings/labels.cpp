#include "bindings/labels.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <memory>
#include <stdexcept>

#include "allot/io/label_formats.hpp"
#include "allot/io/truth_csv.hpp"
#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "bindings/errors.hpp"
#include "bindings/module.hpp"
#include "bindings/options.hpp"
#include "cli/options.hpp"
#include "io/label_rows.hpp"
#include "io/label_sink.hpp"

namespace allot::python {
namespace {

namespace py = pybind11;

using Numbers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

/// A column as Python gives it: different texts, and the number of the text in each row.
struct ColumnArgument {
  std::vector<std::string> texts;
  Numbers numbers;

  io::TextColumn column() const {
    return {texts, {numbers.data(), static_cast<std::size_t>(numbers.size())}};
  }
};

/// Flags of the options that say how labels are read.
cli::LabelFlags label_flags(const py::dict& options) {
  cli::LabelFlags flags;
  cli::Command command;
  cli::add_label_options(command, flags);
  cli::add_confidence_option(command, flags);
  set_options(command, options);
  return flags;
}

void check_numbers(const ColumnArgument& column, py::ssize_t rows) {
  if (column.numbers.ndim() != 1 || column.numbers.size() != rows)
    throw std::invalid_argument("columns have different lengths; expected one value per row");
  const auto count = static_cast<std::int64_t>(column.texts.size());
  for (py::ssize_t n = 0; n < rows; ++n) {
    if (column.numbers.data()[n] >= count) throw std::invalid_argument("a number has no text");
  }
}

std::shared_ptr<Labels> from_columns(
    const std::vector<std::pair<std::vector<std::string>, Numbers>>& columns,
    const py::dict& options) {
  if (columns.size() != 3 && columns.size() != 4)
    throw std::invalid_argument("expected three columns, or four with confidences");
  const cli::LabelFlags flags = label_flags(options);
  std::vector<ColumnArgument> given;
  for (const auto& [texts, numbers] : columns) given.push_back({texts, numbers});
  for (const ColumnArgument& column : given) check_numbers(column, given.front().numbers.size());
  io::LabelRows rows{given[0].column(), given[1].column(), given[2].column()};
  if (given.size() == 4) rows.confidences = given[3].column();
  return without_lock([&] {
    const auto rules = checked(cli::read_label_rules(flags));
    auto read = io::read_label_rows(rows, rules);
    if (!read) throw Refusal(in_rows(std::move(read).error()));
    auto labels = std::make_shared<Labels>(Labels{{.labels = *std::move(read)}});
    cli::add_notes("labels", "truth", labels->files);
    return labels;
  });
}

std::shared_ptr<Labels> from_file(const std::string& path, const py::dict& options) {
  cli::LabelFlags flags = label_flags(options);
  flags.labels = path;
  return without_lock([&] {
    const auto rules = checked(cli::read_label_rules(flags));
    return std::make_shared<Labels>(Labels{checked(cli::read_label_files(flags, rules))});
  });
}

py::tuple numbers(const Labels& labels) {
  const auto& given = labels.files.labels.set.labels;
  const auto count = static_cast<py::ssize_t>(given.size());
  py::array_t<std::uint32_t> items(count), workers(count), classes(count);
  for (py::ssize_t n = 0; n < count; ++n) {
    const model::GivenLabel& label = given[static_cast<std::size_t>(n)];
    items.mutable_data()[n] = position(label.item);
    workers.mutable_data()[n] = position(label.worker);
    classes.mutable_data()[n] = position(label.label);
  }
  return py::make_tuple(items, workers, classes);
}

/// Confidences by label, NaN where there is none; None if no label has one.
py::object confidences(const Labels& labels) {
  const std::vector<float>& given = labels.files.labels.set.confidences;
  if (given.empty()) return py::none();
  return py::array_t<float>(static_cast<py::ssize_t>(given.size()), given.data());
}

std::vector<py::tuple> formats() {
  std::vector<py::tuple> all;
  for (const io::LabelFormat& format : io::label_formats())
    all.push_back(py::make_tuple(format.name, format.summary));
  return all;
}

}  // namespace

cli::LabelFiles with_truth(const Labels& labels, const std::optional<std::string>& truth) {
  cli::LabelFiles files{.labels = labels.files.labels};
  if (truth) files.truth = checked(cli::in_option("truth", io::parse_truth(*truth, files.labels)));
  cli::add_notes("labels", "truth", files);
  return files;
}

std::vector<std::string> notes_of(const cli::LabelFiles& files) {
  std::vector<std::string> notes;
  for (const std::string& note : files.notes) notes.push_back(in_python(note));
  return notes;
}

void bind_labels(py::module_& module) {
  py::class_<Labels, std::shared_ptr<Labels>>(module, "Labels")
      .def_static("from_columns", &from_columns, py::arg("columns"), py::arg("options"))
      .def_static("from_file", &from_file, py::arg("path"), py::arg("options"))
      .def_property_readonly("items",
                             [](const Labels& labels) { return labels.files.labels.items; })
      .def_property_readonly("workers",
                             [](const Labels& labels) { return labels.files.labels.workers; })
      .def_property_readonly("classes",
                             [](const Labels& labels) { return labels.files.labels.classes; })
      .def_property_readonly("numbers", &numbers)
      .def_property_readonly("confidences", &confidences)
      .def_property_readonly("notes", [](const Labels& labels) { return notes_of(labels.files); })
      .def("__len__", [](const Labels& labels) { return labels.files.labels.set.labels.size(); });
  module.def("formats", &formats);
  module.def("is_missing_text", &io::is_missing_text, py::arg("text"));
}

}  // namespace allot::python
