#include "allot/base/rng.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

#include "base/gamma_variate.hpp"

namespace allot {
namespace {

/// A uniform variate on (0, 1], safe to take the logarithm of.
double positive_uniform(Rng& rng) { return 1 - uniform(rng); }

}  // namespace

Rng::Rng(std::uint64_t seed, Purpose purpose, std::uint64_t run, std::uint32_t member)
    : key_{seed, static_cast<std::uint64_t>(purpose)}, name_{run, member} {}

Rng::Block Rng::block_at(std::uint64_t n) const {
  const r123::Philox4x64::ctr_type counter{{n, 0, name_[0], name_[1]}};
  const r123::Philox4x64::key_type key{{key_[0], key_[1]}};
  const auto block = r123::Philox4x64{}(counter, key);
  return {block[0], block[1], block[2], block[3]};
}

std::uint64_t Rng::at(std::uint64_t n) const { return block_at(n / 4)[n % 4]; }

void Rng::refill() {
  block_ = block_at(next_block_++);
  used_ = 0;
}

std::uint64_t below(Rng& rng, std::uint64_t n) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(rng()) * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t short_range = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < short_range)
      product = static_cast<Wide>(rng()) * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double normal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(positive_uniform(rng)));
  return radius * std::cos(2 * std::numbers::pi * uniform(rng));
}

double log_gamma_variate(Rng& rng, double shape) {
  if (shape < 1) {
    const double larger = log_gamma_variate(rng, shape + 1);
    return larger + std::log(positive_uniform(rng)) / shape;
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal(rng);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (std::log(positive_uniform(rng)) < 0.5 * x * x + d - d * v + d * std::log(v))
      return std::log(d) + std::log(v);
  }
}

double beta(Rng& rng, double a, double b) {
  const double x = log_gamma_variate(rng, a);
  const double y = log_gamma_variate(rng, b);
  if (std::isinf(x) && std::isinf(y)) return uniform(rng) < a / (a + b) ? 1 : 0;
  return 1 / (1 + std::exp(y - x));
}

}  // namespace allot
