// Calls into the library without the interpreter lock.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <future>
#include <utility>

#include "allot/base/progress.hpp"

namespace allot::python {

/// The result of work(), which must not touch Python objects.
template <typename Work>
auto without_lock(Work&& work) {
  const pybind11::gil_scoped_release released;
  return work();
}

/// The result of work(progress), on a thread of its own. Meanwhile this thread looks for signals:
/// on Ctrl-C the progress is cancelled, and once the work has ended the exception of the signal is
/// raised.
template <typename Work>
auto interruptible(Work&& work) {
  constexpr std::chrono::milliseconds kLook(50);
  Progress progress;
  const pybind11::gil_scoped_release released;
  auto result = std::async(std::launch::async, [&] { return work(progress); });
  while (result.wait_for(kLook) == std::future_status::timeout) {
    const pybind11::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() == 0) continue;
    pybind11::error_already_set interrupt;
    progress.cancelled = true;
    {
      const pybind11::gil_scoped_release again;
      result.wait();
    }
    throw interrupt;
  }
  return result.get();
}

}  // namespace allot::python
