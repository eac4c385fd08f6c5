#include "allot/math/dirichlet_match.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace allot::math::dirichlet_match_test {
namespace {

TEST(DirichletMatch, ALabelBeyondDoubtAddsExactlyOneCount) {
  std::vector<double> alpha{0.3, 7, 1e6};
  match_grown(alpha, std::vector{0.0, 1.0, 0.0});
  EXPECT_EQ(alpha, (std::vector{0.3, 8.0, 1e6}));
}

TEST(DirichletMatch, AnUninformativeLabelChangesNothing) {
  std::vector<double> alpha{0.3, 7, 1e6};
  match_grown(alpha, std::vector{0.0, 0.0, 0.0}, 1);
  EXPECT_EQ(alpha, (std::vector{0.3, 7.0, 1e6}));
}

TEST(DirichletMatch, PermutedClassesGiveThePermutedMatch) {
  std::vector<double> alpha{0.3, 7, 20}, permuted{20, 0.3, 7};
  match_grown(alpha, std::vector{0.2, 0.3, 0.1}, 0.4);
  match_grown(permuted, std::vector{0.1, 0.2, 0.3}, 0.4);
  for (const std::size_t c : {0U, 1U, 2U}) EXPECT_NEAR(alpha[c], permuted[(c + 1) % 3], 1e-13);
}

}  // namespace
}  // namespace allot::math::dirichlet_match_test
