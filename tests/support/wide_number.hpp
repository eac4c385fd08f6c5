// Numbers of 60 digits, and the quantities of math/beta_tail by roads that the library does not
// take.
#pragma once

#include <boost/math/special_functions/beta.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

namespace allot::test {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>>;

/// Pr(theta < 1/2 | Beta(a,b)) by Boost's incomplete beta function.
inline Wide lower_tail(double a, double b) {
  return boost::math::ibeta(Wide(a), Wide(b), Wide(0.5));
}

/// Pr(theta >= 1/2 | Beta(a,b)).
inline Wide upper_tail(double a, double b) { return lower_tail(b, a); }

inline Wide kernel(double a, double b) {
  return pow(Wide(2), -(Wide(a) + Wide(b))) / boost::math::beta(Wide(a), Wide(b));
}

/// For integers: I(a,b) is the chance of at most a-1 heads in a+b-1 tosses, an exact fraction.
inline Wide upper_tail_by_counting(unsigned a, unsigned b) {
  const unsigned tosses = a + b - 1;
  boost::multiprecision::cpp_int term = 1, sum = 0;
  for (unsigned heads = 0; heads < a; ++heads) {
    sum += term;
    term = term * (tosses - heads) / (heads + 1);
  }
  return Wide(sum) / pow(Wide(2), tosses);
}

inline double relative_error(double value, const Wide& truth) {
  return static_cast<double>(abs((Wide(value) - truth) / truth));
}

}  // namespace allot::test
