#include "bindings/options.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <stdexcept>

namespace allot::python {
namespace {

namespace py = pybind11;

/// "--refit-by" of "refit_by".
std::string option_name(std::string name) {
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

struct Store {
  const py::handle& value;

  void operator()(bool* target) const { *target = value.cast<bool>(); }
  void operator()(std::string* target) const { *target = value.cast<std::string>(); }
  void operator()(std::optional<std::string>* target) const { *target = value.cast<std::string>(); }
  void operator()(std::vector<std::string>* target) const {
    *target = value.cast<std::vector<std::string>>();
  }
};

}  // namespace

void set_options(cli::Command& command, const py::dict& values) {
  for (const auto& [key, value] : values) {
    const std::string name = option_name(key.cast<std::string>());
    const auto option = std::ranges::find(command.options, name, &cli::Option::name);
    if (option == command.options.end())
      throw std::invalid_argument("unknown option '" + name + "'");
    std::visit(Store{value}, option->target);
  }
}

}  // namespace allot::python
