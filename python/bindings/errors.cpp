#include "bindings/errors.hpp"

#include <new>
#include <string_view>

#include "bindings/module.hpp"

namespace allot::python {
namespace {

namespace py = pybind11;

/// The exception class Refused; lives as long as the interpreter.
PyObject* refused = nullptr;

constexpr bool is_name(char c) { return (c >= 'a' && c <= 'z') || c == '-'; }

/// Rewrites the parts of a text that are not in quotes.
template <typename Rewrite>
std::string outside_quotes(std::string_view text, Rewrite rewrite) {
  std::string result;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\'') quoted = !quoted;
    const std::size_t used = quoted ? 0 : rewrite(text.substr(at), result);
    if (used == 0) result += text[at];
    at += used == 0 ? 1 : used;
  }
  return result;
}

/// "--refit-by" becomes "refit_by".
std::size_t rewrite_option(std::string_view text, std::string& result) {
  if (!text.starts_with("--") || text.size() < 3 || text[2] < 'a' || text[2] > 'z') return 0;
  std::size_t end = 2;
  for (; end < text.size() && is_name(text[end]); ++end)
    result += text[end] == '-' ? '_' : text[end];
  return end;
}

std::size_t rewrite_line(std::string_view text, std::string& result) {
  constexpr std::string_view kLine = "line ";
  if (!text.starts_with(kLine) || text.size() <= kLine.size()) return 0;
  if (text[kLine.size()] < '0' || text[kLine.size()] > '9') return 0;
  result += "row ";
  return kLine.size();
}

std::string_view code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::conflict:
      return "conflict";
    case ErrorCode::key_reused:
      return "key_reused";
    case ErrorCode::forbidden:
      return "forbidden";
    case ErrorCode::budget_exhausted:
      return "budget_exhausted";
    default:
      return "";
  }
}

void raise_refused(ErrorCode code, const std::string& message) {
  const py::object type = py::reinterpret_borrow<py::object>(refused);
  const py::object exception = type(message);
  exception.attr("code") = code_name(code);
  PyErr_SetObject(refused, exception.ptr());
}

void raise(const Error& error) {
  const std::string message = in_python(error.message);
  switch (error.code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::too_large:
      return PyErr_SetString(PyExc_ValueError, message.c_str());
    case ErrorCode::write_failure:
    case ErrorCode::store_failure:
    case ErrorCode::outcome_unknown:
      return PyErr_SetString(PyExc_OSError, message.c_str());
    case ErrorCode::internal:
      return PyErr_SetString(PyExc_RuntimeError, message.c_str());
    default:
      return raise_refused(error.code, message);
  }
}

}  // namespace

Error in_rows(Error error) {
  error.message = outside_quotes(error.message, rewrite_line);
  return error;
}

std::string in_python(const std::string& sentence) {
  const std::string text = outside_quotes(sentence, rewrite_option);
  // "budget: budget 'abc' ..." says it once.
  const std::size_t name = text.find(": ");
  const bool twice =
      name != std::string::npos && text.substr(name + 2, name) == text.substr(0, name);
  return twice ? text.substr(name + 2) : text;
}

void bind_errors(py::module_& module) {
  // The class is Python's, because the clients of a server raise it without this module.
  refused = py::object(py::module_::import("allot.refusal").attr("Refused")).release().ptr();
  module.attr("Refused") = py::reinterpret_borrow<py::object>(refused);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Refusal& refusal) {
      raise(refusal.error());
    }
  });
}

}  // namespace allot::python
