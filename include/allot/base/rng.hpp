// Random numbers that do not depend on the order in which callers ask for them.
//
// A stream is named by a seed and a few numbers (its purpose, the run, the item). The name alone
// determines its values (Philox 4x64-10 [SMDS11], counter-based). So a simulation gives the same
// numbers on one thread or twenty, and two policies can see the very same labels. The samplers are
// our own, because those of the standard library differ between implementations.
#pragma once

#include <array>
#include <cstdint>

namespace allot {

/// A stream of 64-bit values; it repeats after 2^64 blocks of four. A copy continues from the same
/// position.
class Rng {
 public:
  /// Purpose of a stream. Streams of one run with different purposes never overlap.
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

  /// The stream with this name; `member` is the item or worker it belongs to.
  explicit Rng(std::uint64_t seed, Purpose purpose = Purpose::general, std::uint64_t run = 0,
               std::uint32_t member = 0);

  /// The next value.
  std::uint64_t operator()() {
    if (used_ == block_.size()) refill();
    return block_[used_++];
  }

  /// Value number n of the stream, from 0. The position of the stream does not change.
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

/// A uniform variate on [0, 1).
inline double uniform(Rng& rng) { return unit_interval(rng()); }

/// A uniform variate on {0, ..., n-1}, n > 0. Exactly uniform [Lem19].
std::uint64_t below(Rng& rng, std::uint64_t n);

/// A standard normal variate.
double normal(Rng& rng);

/// A variate theta ~ Beta(a,b), a and b positive. Works even for parameters so small that a gamma
/// variate would underflow.
double beta(Rng& rng, double a, double b);

}  // namespace allot
