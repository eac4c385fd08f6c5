// Laws of the calibration map, for any belief and any known answers.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "allot/model/best_class.hpp"
#include "allot/model/calibration_map.hpp"

namespace allot::model::calibration_map_laws_test {
namespace {

/// Probabilities, some of them equal, tiny or 0.
std::vector<double> belief(std::uint32_t classes) {
  std::vector<double> p;
  for (std::uint32_t c = 0; c < classes; ++c) {
    const int kind = *rc::gen::inRange(0, 4);
    p.push_back(kind == 0   ? 0.0
                : kind == 1 ? std::exp2(-*rc::gen::inRange(0, 600))
                            : *rc::gen::inRange(1, 100));
  }
  p[*rc::gen::inRange<std::size_t>(0, classes)] += 1;
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& one : p) one /= sum;
  return p;
}

struct Known {
  std::vector<std::vector<double>> beliefs;
  std::vector<KnownAnswer> answers;
};

Known known(std::uint32_t classes) {
  Known result;
  const std::size_t count = *rc::gen::inRange<std::size_t>(0, 20);
  for (std::size_t i = 0; i < count; ++i) result.beliefs.push_back(belief(classes));
  for (const auto& p : result.beliefs)
    result.answers.push_back({p, *rc::gen::inRange(0U, 50U), *rc::gen::arbitrary<bool>(),
                              *rc::gen::inRange(1, 100) / 10.0});
  return result;
}

RC_GTEST_PROP(CalibrationMapLaws, KeepsTheOrderOfClassesAndTheSum, ()) {
  const std::uint32_t classes = *rc::gen::inRange(2U, 8U);
  const Known some = known(classes);
  const CalibrationMap map(classes, some.answers);
  const std::vector<double> p = belief(classes);
  const std::uint32_t labels = *rc::gen::inRange(0U, 100U);
  std::vector<double> out(classes);
  map.apply(p, labels, out);
  RC_ASSERT(std::abs(std::accumulate(out.begin(), out.end(), 0.0) - 1) < 1e-12);
  for (std::uint32_t c = 0; c < classes; ++c) {
    RC_ASSERT(out[c] > 0);
    for (std::uint32_t d = 0; d < classes; ++d)
      if (p[c] >= p[d]) RC_ASSERT(out[c] >= out[d]);
  }
  const std::uint32_t answer = position(best_class(p));
  RC_ASSERT(std::abs(map.answer_probability(p, labels) - out[answer]) < 1e-8);
  std::vector<double> in_place = p;
  map.apply(in_place, labels, in_place);
  RC_ASSERT(in_place == out);
}

RC_GTEST_PROP(CalibrationMapLaws, GrowsWithTheStatedProbability, ()) {
  const Known some = known(2);
  const CalibrationMap map(2, some.answers);
  const double low = *rc::gen::inRange(500, 1000) / 1000.0;
  const double high = low + (1 - low) * *rc::gen::inRange(0, 1001) / 1000.0;
  const std::uint32_t labels = *rc::gen::inRange(1U, 60U);
  const auto mapped = [&](double p) {
    return map.answer_probability(std::vector{1 - p, p}, labels);
  };
  RC_ASSERT(mapped(high) >= mapped(low) - 1e-15);
  RC_ASSERT(mapped(low) >= 0.5 - 1e-15);
}

RC_GTEST_PROP(CalibrationMapLaws, ExpectsTheMeanOfTheCalibratedProbabilities, ()) {
  const std::uint32_t classes = *rc::gen::inRange(2U, 5U);
  const Known some = known(classes);
  const CalibrationMap map(classes, some.answers);
  std::vector<double> flat;
  std::vector<std::uint32_t> labels;
  double sum = 0;
  for (int i = 0; i < 5; ++i) {
    const auto p = belief(classes);
    flat.insert(flat.end(), p.begin(), p.end());
    labels.push_back(*rc::gen::inRange(0U, 9U));
    sum += map.answer_probability(p, labels.back());
  }
  const AccuracyRange range = map.accuracy(flat, labels);
  RC_ASSERT(std::abs(range.mean - sum / 5) < 1e-12);
  RC_ASSERT(range.low <= range.high);
}

}  // namespace
}  // namespace allot::model::calibration_map_laws_test
