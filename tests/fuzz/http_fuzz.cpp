// libFuzzer's way in: cmake -DCMAKE_CXX_COMPILER=clang++-19 -DALLOT_FUZZ=ON, then
// build/.../http_fuzz.
#include <cstddef>
#include <cstdint>

#include "fuzz/http_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  allot::test::check_http_bytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
