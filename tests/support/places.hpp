// Where things are on this machine. Known to one file only, so that all others compile to the same
// in every checkout.
#pragma once

#include <string>

namespace allot::test {

/// The root of the repository.
std::string root();
/// The program that was built.
const char* program();
/// The library that moves the clock of a program (support/clock_shift.cpp).
const char* clock_shift();

}  // namespace allot::test
