#include "allot/model/prior.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "allot/base/check.hpp"

namespace allot::model {
namespace {

constexpr double kLargestParameter = 1e12;

void check_component(const BetaComponent& component, std::string_view function) {
  require(component.a > 0 && component.a <= kLargestParameter, function, "a", component.a,
          "expected more than 0, up to 1e12");
  require(component.b > 0 && component.b <= kLargestParameter, function, "b", component.b,
          "expected more than 0, up to 1e12");
}

/// Whether swapping a and b in every component gives the same components, counting repeated ones.
bool mirrored(std::vector<BetaComponent> components) {
  std::vector<BetaComponent> swapped = components;
  for (BetaComponent& component : swapped) std::swap(component.a, component.b);
  const auto order = [](const BetaComponent& left, const BetaComponent& right) {
    return std::tie(left.a, left.b, left.weight) < std::tie(right.a, right.b, right.weight);
  };
  std::ranges::sort(components, order);
  std::ranges::sort(swapped, order);
  return components == swapped;
}

}  // namespace

Prior Prior::beta(double a, double b) {
  Prior prior;
  prior.single_ = {1, a, b};
  if (a != 0 || b != 0) check_component(prior.single_, "Prior::beta");
  return prior;
}

Prior Prior::mixture(std::vector<BetaComponent> components) {
  constexpr std::string_view kName = "Prior::mixture";
  require(!components.empty(), kName, "number of components", 0, "expected at least 1");
  double total = 0;
  for (const BetaComponent& component : components) {
    check_component(component, kName);
    require(component.weight > 0 && std::isfinite(component.weight), kName, "weight",
            component.weight, "expected a positive number");
    total += component.weight;
  }
  require(std::isfinite(total), kName, "sum of weights", total, "expected a finite number");
  if (components.size() == 1) return beta(components[0].a, components[0].b);
  if (std::abs(total - 1) > 1e-14) {  // weights that sum to 1 already keep every bit
    for (BetaComponent& component : components) component.weight /= total;
  }
  Prior prior;
  const bool symmetric = mirrored(components);
  prior.mixture_ = std::make_shared<const Mixture>(Mixture{std::move(components), symmetric});
  return prior;
}

std::span<const BetaComponent> Prior::components() const {
  return mixture_ ? std::span(mixture_->components) : std::span(&single_, 1);
}

bool Prior::operator==(const Prior& other) const {
  return std::ranges::equal(components(), other.components());
}

math::BetaShape matched(const Prior& prior) {
  if (!prior.is_mixture()) return {prior.components().front().a, prior.components().front().b};
  double mean = 0, not_mean = 0;
  for (const auto& [weight, a, b] : prior.components()) {
    mean += weight * a / (a + b);
    not_mean += weight * b / (a + b);
  }
  double doubt = 0, variance = 0;
  for (const auto& [weight, a, b] : prior.components()) {
    const double n = a + b, off = a / n - mean;
    doubt += weight * (a / n) * (b / (n + 1));
    variance += weight * ((a / n) * (b / n) / (n + 1) + off * off);
  }
  const double strength = doubt / variance;
  return {mean * strength, not_mean * strength};
}

}  // namespace allot::model
