#include "allot/model/best_class.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace allot::model::best_class_test {
namespace {

ClassId best(const std::vector<double>& probabilities) { return best_class(probabilities); }

TEST(BestClass, IsTheMostProbableOne) {
  EXPECT_EQ(best({0.2, 0.5, 0.3}), ClassId{1});
  EXPECT_EQ(best({0.1, 0.2, 0.7}), ClassId{2});
  EXPECT_EQ(best({1}), ClassId{0});
}

TEST(BestClass, IsTheFirstOfEqualOnes) {
  EXPECT_EQ(best({0.5, 0.5}), ClassId{0});
  EXPECT_EQ(best({0.2, 0.4, 0.4}), ClassId{1});
  EXPECT_EQ(best({0, 0, 0}), ClassId{0});
}

TEST(BestClass, IsNotDecidedByRounding) {
  EXPECT_EQ(best({0.4, 0.4 * (1 + 5e-10), 0.2}), ClassId{0});
  EXPECT_EQ(best({0.4, 0.4 * (1 + 5e-9), 0.2}), ClassId{1});
  EXPECT_EQ(best({1e-12, 1e-12 * (1 + 5e-9)}), ClassId{1}) << "the tolerance is relative";
}

TEST(BestLabel, IsTheFavouredOneUnlessBothAreEquallyProbable) {
  EXPECT_EQ(best_label(Label::positive, 0.4), Label::positive);
  EXPECT_EQ(best_label(Label::negative, 0.4), Label::negative);
  EXPECT_EQ(best_label(Label::positive, 0.5), Label::negative);
  EXPECT_EQ(best_label(Label::positive, 0.5 - 1e-10), Label::negative);
  EXPECT_EQ(best_label(Label::positive, 0.5 - 1e-8), Label::positive);
}

}  // namespace
}  // namespace allot::model::best_class_test
