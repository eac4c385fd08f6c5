// Where things are on this machine. Known to one file only, so that all others compile to the same
// in every checkout.
#pragma once

#include <string>

namespace allot::test {

/// The root of the repository.
std::string root();
/// The program that was built.
const char* program();

}  // namespace allot::test
