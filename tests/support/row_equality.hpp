// Rows of comparisons that should be the same to the last bit.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "allot/sim/row.hpp"

namespace allot::test {

/// The same number, or none in both.
inline void expect_same_number(double one, double other) {
  if (!std::isnan(one) || !std::isnan(other)) {
    EXPECT_EQ(one, other);
  }
}

/// Everything but the name and the time taken.
inline void expect_same_numbers(const sim::Row& one, const sim::Row& other) {
  EXPECT_EQ(one.budget, other.budget);
  EXPECT_EQ(one.accuracy, other.accuracy) << one.policy;
  EXPECT_EQ(one.worst, other.worst) << one.policy;
  expect_same_number(one.standard_error, other.standard_error);
  expect_same_number(one.expected_accuracy, other.expected_accuracy);
  EXPECT_EQ(one.calibration, other.calibration) << one.policy;
}

inline void expect_equal(const sim::Row& one, const sim::Row& other) {
  EXPECT_EQ(one.policy, other.policy);
  expect_same_numbers(one, other);
}

inline void expect_equal(const std::vector<sim::Row>& some, const std::vector<sim::Row>& others) {
  ASSERT_EQ(some.size(), others.size());
  for (std::size_t i = 0; i < some.size(); ++i) expect_equal(some[i], others[i]);
}

}  // namespace allot::test
