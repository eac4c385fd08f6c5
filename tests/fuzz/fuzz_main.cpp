// libFuzzer's way in. scripts/fuzz builds this program and names the target in ALLOT_FUZZ_TARGET.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/targets.hpp"

namespace {

const allot::test::FuzzTarget& chosen() {
  static const allot::test::FuzzTarget& target = []() -> const allot::test::FuzzTarget& {
    const char* name = std::getenv("ALLOT_FUZZ_TARGET");
    const auto targets = allot::test::fuzz_targets();
    const auto found = std::ranges::find(targets, std::string_view(name ? name : ""),
                                         &allot::test::FuzzTarget::name);
    if (found != targets.end()) return *found;
    std::fprintf(stderr, "ALLOT_FUZZ_TARGET '%s' is no target; expected one of:\n",
                 name ? name : "");
    for (const auto& one : targets) std::fprintf(stderr, "  %s\n", one.name.data());
    std::exit(2);
  }();
  return target;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen().check({reinterpret_cast<const char*>(data), size});
  return 0;
}
