// Answers with stated probabilities, and how often they are really right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "allot/audit/verdict.hpp"
#include "allot/base/rng.hpp"

namespace allot::test {

/// A kind of answers: what is stated and the chance that it is right.
struct AuditWorld {
  std::string name;
  std::vector<double> stated, chance;

  std::size_t size() const { return stated.size(); }
  /// The right answers of one run.
  std::vector<bool> right(std::uint64_t run) const {
    Rng rng(11, Rng::Purpose::label, run);
    std::vector<bool> answers;
    for (const double p : chance) answers.push_back(uniform(rng) < p);
    return answers;
  }
};

inline double share_of(const std::vector<bool>& right) {
  return static_cast<double>(std::ranges::count(right, true)) / static_cast<double>(right.size());
}

/// A verdict in two classes: the answer is always the second.
inline audit::Verdict verdict_on(ItemId item, bool right) {
  return {item, ClassId{1}, ClassId{right ? 1U : 0U}};
}

/// 1,000 answers as an adaptive policy leaves them: most are stated at .99 and more, few lie in the
/// middle, and a fifth stays in doubt.
inline std::vector<double> crowd_like() {
  Rng rng(5);
  std::vector<double> stated;
  for (int i = 0; i < 1000; ++i) {
    const double u = uniform(rng);
    stated.push_back(i < 670   ? 0.99 + 0.01 * u
                     : i < 790 ? 0.95 + 0.04 * u
                     : i < 820 ? 0.80 + 0.15 * u
                               : 0.50 + 0.15 * u);
  }
  return stated;
}

template <typename Chance>
AuditWorld audit_world(std::string name, const std::vector<double>& stated, Chance chance) {
  AuditWorld world{std::move(name), stated, {}};
  for (const double p : stated) world.chance.push_back(chance(p));
  return world;
}

/// Worlds in which bounds must hold.
inline std::vector<AuditWorld> audit_worlds() {
  const std::vector<double> crowd = crowd_like();
  std::vector<double> sure;
  for (int i = 0; i < 1000; ++i) sure.push_back(0.98 + 0.02 * (i % 100) / 100.0);
  return {
      audit_world("calibrated", crowd, [](double p) { return p; }),
      audit_world("overconfident by 5 points", crowd, [](double p) { return p - 0.05; }),
      audit_world("overconfident by 18 points", crowd, [](double p) { return p - 0.18; }),
      audit_world("nearly perfect", sure, [](double p) { return 0.5 + 0.5 * p; }),
      audit_world("underconfident", crowd, [](double p) { return p + 0.6 * (1 - p); }),
      audit_world("one stratum wrong", crowd, [](double p) { return p >= 0.99 ? 0.0 : p; }),
      audit_world("nothing known", std::vector<double>(1000, 0.5), [](double) { return 0.98; })};
}

}  // namespace allot::test
