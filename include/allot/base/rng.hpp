// Random numbers that do not depend on who asks first.
//
// A stream is named by a seed and a few numbers (which run, which item, what for); its values
// follow from that name alone (Philox 4x64-10 [SMDS11], counter-based). So a simulation gives the
// same numbers on one thread or twenty, and two policies can be shown the very same labels. The
// samplers are ours: those of the standard library differ between implementations.
#pragma once

#include <array>
#include <cstdint>

namespace allot {

/// A stream of 64-bit values; 2^64 blocks of four before it repeats. Copying a stream copies its
/// position.
class Rng {
 public:
  /// What a stream is for, so that streams of one run never meet.
  enum class Purpose : std::uint32_t {
    general,
    soft_label,
    label,
    tie,
    reliability,
    arrival,
    messages,
    candidates
  };

  explicit Rng(std::uint64_t seed, Purpose purpose = Purpose::general, std::uint64_t run = 0,
               std::uint32_t member = 0);

  std::uint64_t operator()() {
    if (used_ == block_.size()) refill();
    return block_[used_++];
  }

  /// The n-th value of the stream, from 0, without moving it.
  std::uint64_t at(std::uint64_t n) const;

 private:
  using Block = std::array<std::uint64_t, 4>;
  Block block_at(std::uint64_t n) const;
  void refill();

  std::array<std::uint64_t, 2> key_;
  std::array<std::uint64_t, 2> name_;
  std::uint64_t next_block_ = 0;
  Block block_{};
  std::size_t used_ = block_.size();
};

/// The 53 high bits of a random word as a number in [0, 1).
inline double unit_interval(std::uint64_t word) {
  return static_cast<double>(word >> 11) * 0x1p-53;
}

/// Uniform on [0, 1).
inline double uniform(Rng& rng) { return unit_interval(rng()); }

/// Uniform on {0, ..., n-1}; n > 0. Exactly uniform [Lem19].
std::uint64_t below(Rng& rng, std::uint64_t n);

/// Standard normal.
double normal(Rng& rng);

/// theta ~ Beta(a,b), a and b positive. Works for parameters so small that a gamma variate would
/// underflow.
double beta(Rng& rng, double a, double b);

}  // namespace allot
