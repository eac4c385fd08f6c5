// Labels into answers: the methods of allot/aggregate/registry.hpp.
#include <pybind11/stl.h>

#include <limits>
#include <memory>

#include "allot/aggregate/registry.hpp"
#include "allot/io/distribution_text.hpp"
#include "allot/io/feature_csv.hpp"
#include "base/errors.hpp"
#include "bindings/arrays.hpp"
#include "bindings/calls.hpp"
#include "bindings/errors.hpp"
#include "bindings/labels.hpp"
#include "bindings/module.hpp"
#include "cli/learned_notes.hpp"
#include "cli/options.hpp"

namespace allot::python {
namespace {

namespace py = pybind11;

using Matrix = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Features of all items: those of the labels in their order, then items without a label.
struct FeatureArgument {
  std::vector<std::string> names, unlabelled;
  Matrix values;
  bool standardise = true, intercept = true;
};

/// Settings as Python gives them; those not given keep the default of the method.
struct MethodArguments {
  std::optional<std::string> iterations, tolerance, seed, prior, variance;
  std::vector<double> shares;
  bool ordered = false;
};

Result<aggregate::MethodOptions> read_settings(const MethodArguments& given,
                                               std::uint32_t class_count) {
  aggregate::MethodOptions options;
  if (given.iterations) {
    options.em.most_iterations =
        TRY(cli::read_whole<std::uint32_t>("n_iter", *given.iterations, 1, 1'000'000));
    options.kos.rounds = options.em.most_iterations;
  }
  if (given.tolerance) {
    options.em.tolerance = TRY(cli::read_number(
        "tol", *given.tolerance, 0, std::numeric_limits<double>::max(), "a number from 0 on"));
  }
  if (given.seed)
    options.kos.seed = TRY(cli::read_whole("random_state", *given.seed, 0, UINT64_MAX));
  if (given.prior && class_count == 2)
    options.prior = TRY(cli::in_option("prior", io::parse_prior(*given.prior)));
  if (given.prior && class_count > 2) {
    options.class_prior =
        TRY(cli::in_option("prior", io::parse_dirichlet_prior(*given.prior, class_count)));
  }
  if (given.variance) {
    options.pooled.weight_variance = TRY(cli::read_number("feature_variance", *given.variance, 1e-9,
                                                          1e9, "a number from 1e-9 to 1e9"));
    options.contextual.weight_variance = *options.pooled.weight_variance;
  }
  options.pooled.shares = given.shares;
  options.contextual.most_iterations = options.em.most_iterations;
  options.contextual.tolerance = options.em.tolerance;
  options.pooled.ordered = given.ordered;
  return options;
}

Result<std::shared_ptr<const model::Design>> make_design(const model::Features& features,
                                                         const FeatureArgument& given) {
  auto design = TRY(
      cli::in_option("features", model::prepare(features, {given.standardise, given.intercept})));
  return std::make_shared<const model::Design>(std::move(design));
}

/// `made_by` names the method; `by_features` counts answers (cli::decided_by_features).
py::dict to_dict(const aggregate::Aggregation& found, const std::string& made_by,
                 const io::LabelFile& file, std::optional<std::uint32_t> by_features) {
  const auto items = static_cast<py::ssize_t>(file.items.size()),
             workers = static_cast<py::ssize_t>(file.workers.size()),
             classes = static_cast<py::ssize_t>(file.classes.size());
  py::dict result;
  result["answers"] = ids_to_array(found.answers.answers);
  result["probabilities"] = py::none();
  if (!found.answers.probabilities.empty())
    result["probabilities"] =
        to_array(std::span<const double>(found.answers.probabilities), {items, classes});
  result["reliability"] = to_array(found.workers.reliability);
  result["confusion"] = py::none();
  if (!found.workers.confusion.empty())
    result["confusion"] =
        to_array(std::span<const double>(found.workers.confusion), {workers, classes, classes});
  result["fit"] = py::none();
  if (found.fit) {
    result["fit"] = py::make_tuple(found.fit->iterations, found.fit->converged,
                                   found.fit->log_likelihood, found.fit->objective);
  }
  py::list notes;
  for (const std::string& note : cli::learned_notes(file, made_by, found, by_features))
    notes.append(in_python(note));
  result["notes"] = notes;
  result["contradicts_itself"] = aggregate::contradicts_itself(file.set, found);
  return result;
}

py::dict aggregate_labels(const Labels& labels, const std::string& method,
                          const MethodArguments& given,
                          const std::optional<FeatureArgument>& features) {
  std::optional<model::Features> raw;
  if (features) {
    const auto rows = static_cast<std::uint32_t>(features->values.shape(0));
    raw = model::Features{
        rows,
        features->names,
        {features->values.data(), features->values.data() + features->values.size()}};
  }
  std::optional<io::LabelFile> more;
  std::optional<std::uint32_t> by_features;
  const auto found = without_lock([&] {
    const io::LabelFile* file = &labels.files.labels;
    auto options = checked(read_settings(given, file->set.class_count));
    if (raw) {
      options.design = checked(make_design(*raw, *features));
      more = *file;
      io::append_items(*more, features->unlabelled);
      file = &*more;
    }
    auto made = checked(checked(aggregate::make_method(method, options))(file->set));
    by_features = checked(cli::decided_by_features(file->set, method, options, made));
    return made;
  });
  return to_dict(found, method, more ? *more : labels.files.labels, by_features);
}

}  // namespace

void bind_aggregation(py::module_& module) {
  py::class_<MethodArguments>(module, "MethodOptions")
      .def(py::init<>())
      .def_readwrite("iterations", &MethodArguments::iterations)
      .def_readwrite("tolerance", &MethodArguments::tolerance)
      .def_readwrite("seed", &MethodArguments::seed)
      .def_readwrite("prior", &MethodArguments::prior)
      .def_readwrite("variance", &MethodArguments::variance)
      .def_readwrite("shares", &MethodArguments::shares)
      .def_readwrite("ordered", &MethodArguments::ordered);
  py::class_<FeatureArgument>(module, "Features")
      .def(py::init([](std::vector<std::string> names, std::vector<std::string> unlabelled,
                       Matrix values, bool standardise, bool intercept) {
             return FeatureArgument{std::move(names), std::move(unlabelled), std::move(values),
                                    standardise, intercept};
           }),
           py::arg("names"), py::arg("unlabelled"), py::arg("values"), py::arg("standardise"),
           py::arg("intercept"));
  module.def("aggregate", &aggregate_labels, py::arg("labels"), py::arg("method"),
             py::arg("options"), py::arg("features") = py::none());
}

}  // namespace allot::python
