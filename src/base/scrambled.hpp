// A one-to-one map of 64 bits that leaves no pattern: the finaliser of SplitMix64.
#pragma once

#include <cstdint>

namespace allot {

constexpr std::uint64_t scrambled(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

}  // namespace allot
