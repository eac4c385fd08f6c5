// Vectors of numbers as numpy arrays. Each array owns a copy.
#pragma once

#include <pybind11/numpy.h>

#include <cstring>
#include <span>
#include <vector>

namespace allot::python {

/// An array of this shape, filled row by row.
template <typename T>
pybind11::array_t<T> to_array(std::span<const T> values, std::vector<pybind11::ssize_t> shape) {
  pybind11::array_t<T> array(std::move(shape));
  if (!values.empty()) std::memcpy(array.mutable_data(), values.data(), values.size_bytes());
  return array;
}

/// An array of one dimension.
template <typename T>
pybind11::array_t<T> to_array(const std::vector<T>& values) {
  return to_array(std::span<const T>(values), {static_cast<pybind11::ssize_t>(values.size())});
}

/// Identifiers as plain numbers.
template <typename Id>
pybind11::array_t<std::uint32_t> ids_to_array(const std::vector<Id>& ids) {
  pybind11::array_t<std::uint32_t> array(static_cast<pybind11::ssize_t>(ids.size()));
  std::uint32_t* out = array.mutable_data();
  for (const Id id : ids) *out++ = position(id);
  return array;
}

}  // namespace allot::python
