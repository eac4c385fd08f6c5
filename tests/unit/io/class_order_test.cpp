#include "io/notation.hpp"

#include <gtest/gtest.h>

namespace allot::io::class_order_test {
namespace {

using Texts = std::vector<std::string>;

Texts ordered(const Texts& texts) {
  Texts result;
  for (const std::uint32_t i : class_order(texts)) result.push_back(texts[i]);
  return result;
}

TEST(ClassOrder, PutsTheNegativeOfAPairFirst) {
  for (const Texts& pair : std::vector<Texts>{{"0", "1"},
                                              {"-1", "1"},
                                              {"-1", "+1"},
                                              {"no", "yes"},
                                              {"No", "yes"},
                                              {"no", "Yes"},
                                              {"NO", "YES"},
                                              {"FALSE", "true"},
                                              {"false", "True"},
                                              {"n", "Y"},
                                              {"N", "y"},
                                              {"negative", "Positive"},
                                              {"0.0", "1.0"}}) {
    EXPECT_EQ(ordered(pair), pair);
    EXPECT_EQ(ordered({pair[1], pair[0]}), pair);
  }
}

TEST(ClassOrder, IsByValueIfAllAreNumbers) {
  EXPECT_EQ(ordered({"10", "9", "-2", "01", "1"}), (Texts{"-2", "01", "1", "9", "10"}));
}

TEST(ClassOrder, IsAlphabeticalOtherwise) {
  EXPECT_EQ(ordered({"10", "9", "x"}), (Texts{"10", "9", "x"}));
  EXPECT_EQ(ordered({"rock", "Jazz", "blues", "jazz"}), (Texts{"blues", "Jazz", "jazz", "rock"}));
}

}  // namespace
}  // namespace allot::io::class_order_test
