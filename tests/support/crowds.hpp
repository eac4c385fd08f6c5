// Crowds of a known kind, so that tests can look at the states of items and workers.
#pragma once

#include <memory>

#include "allot/model/binary_crowd.hpp"
#include "allot/model/multiclass_crowd.hpp"

namespace allot::test {

inline std::unique_ptr<model::BinaryCrowd> binary_crowd(const model::CrowdOptions& options,
                                                        std::uint32_t items,
                                                        std::uint32_t workers) {
  return std::unique_ptr<model::BinaryCrowd>(
      dynamic_cast<model::BinaryCrowd*>(model::make_crowd(options, items, workers).release()));
}

inline std::unique_ptr<model::MulticlassCrowd> multiclass_crowd(const model::CrowdOptions& options,
                                                                std::uint32_t items,
                                                                std::uint32_t workers) {
  return std::unique_ptr<model::MulticlassCrowd>(
      dynamic_cast<model::MulticlassCrowd*>(model::make_crowd(options, items, workers).release()));
}

}  // namespace allot::test
