#include "support/places.hpp"

namespace allot::test {

std::string root() { return ALLOT_SOURCE_DIR; }
const char* program() { return ALLOT_PROGRAM; }
const char* clock_shift() { return ALLOT_CLOCK_SHIFT; }

}  // namespace allot::test
