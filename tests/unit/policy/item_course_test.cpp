#include "policy/item_course.hpp"

#include <gtest/gtest.h>

namespace allot::policy::item_course_test {
namespace {

TEST(ItemCourse, StepsStayWhereTheyAreWhenMoreAreTaken) {
  const auto prior = model::Prior::uniform();
  ItemCourse course(prior, level_rule("opt-kg", prior), 50);
  const CourseStep* const first = course.step(0);
  ASSERT_NE(first, nullptr);
  const double gain = first->gain;
  std::size_t last = 0;
  while (course.step(last + 1) != nullptr) ++last;
  EXPECT_GT(last, 20U);
  EXPECT_EQ(course.step(0), first);
  EXPECT_EQ(first->gain, gain);
}

}  // namespace
}  // namespace allot::policy::item_course_test
