#include "allot/sim/recording.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace allot::sim::recording_test {
namespace {

TEST(Recording, IsRefusedIfItDoesNotHoldTogether) {
  const Recording good{{2, 1, 2, {{ItemId{1}, WorkerId{0}, ClassId{1}}}}, {{}, ClassId{1}}};
  EXPECT_NO_THROW(check(good));
  const auto refused = [&](auto spoil) {
    Recording bad = good;
    spoil(bad);
    EXPECT_THROW(check(bad), std::invalid_argument);
  };
  refused([](Recording& bad) { bad.labels.class_count = 1; });
  refused([](Recording& bad) { bad.labels.item_count = 1; });
  refused([](Recording& bad) { bad.labels.worker_count = 0; });
  refused([](Recording& bad) { bad.labels.labels[0].label = ClassId{2}; });
  refused([](Recording& bad) { bad.truth.pop_back(); });
  refused([](Recording& bad) { bad.truth[1].reset(); });
}

}  // namespace
}  // namespace allot::sim::recording_test
