#include "allot/math/row_panels.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "allot/base/rng.hpp"
#include "math/positive_definite.hpp"

namespace allot::math::row_panels_test {
namespace {

std::vector<double> normals(std::size_t count, Rng& rng) {
  std::vector<double> result(count);
  for (double& x : result) x = normal(rng);
  return result;
}

TEST(RowPanels, MultiplyInTheOrderOfColumnsBitForBit) {
  Rng rng(1);
  for (const std::size_t rows : {1, 7, 8, 9, 40}) {
    const std::size_t columns = 5;
    const auto values = normals(rows * columns, rng), v = normals(columns, rng);
    const RowPanels panels(rows, columns, values);
    const auto product = panels.multiply(v);
    ASSERT_EQ(product.size(), panels.padded_rows());
    for (std::size_t i = 0; i < rows; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < columns; ++j) sum += values[i * columns + j] * v[j];
      EXPECT_EQ(product[i], sum);
    }
    for (std::size_t i = rows; i < product.size(); ++i) EXPECT_EQ(product[i], 0);
  }
}

TEST(RowPanels, MultiplyFourVectorsLikeSingleOnes) {
  Rng rng(2);
  const RowPanels panels(20, 6, normals(120, rng));
  const auto others = RowPanels(4, 6, normals(24, rng));
  const std::vector<std::uint32_t> rows{0, 1, 2};
  std::vector<double> out(4 * 24);
  panels.multiply(0, 3, others.in_turn(rows), out.data(), 24);
  for (std::size_t v = 0; v < 4; ++v) {
    const auto single = panels.multiply(v < 3 ? others.row(v) : std::vector<double>(6));
    for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(out[v * 24 + i], single[i]);
  }
}

TEST(RowPanels, RefuseValuesThatDoNotFit) {
  EXPECT_THROW(RowPanels(2, 3, std::vector<double>(5)), std::invalid_argument);
}

TEST(PositiveDefinite, InverseMatchesEigen) {
  Rng rng(3);
  for (const Eigen::Index size : {1, 2, 5, 33}) {
    const auto values = normals(static_cast<std::size_t>(size * size), rng);
    const Eigen::MatrixXd a = Eigen::Map<const Eigen::MatrixXd>(values.data(), size, size);
    const Eigen::MatrixXd matrix = a * a.transpose() + 0.1 * Eigen::MatrixXd::Identity(size, size);
    const auto inverse = inverse_positive_definite(
        {matrix.data(), static_cast<std::size_t>(size * size)}, static_cast<std::size_t>(size));
    const Eigen::MatrixXd ours = Eigen::Map<const Eigen::MatrixXd>(inverse.data(), size, size);
    EXPECT_TRUE(ours == ours.transpose());
    EXPECT_LT((ours - matrix.inverse()).norm(), 1e-11 * ours.norm());
  }
}

}  // namespace
}  // namespace allot::math::row_panels_test
