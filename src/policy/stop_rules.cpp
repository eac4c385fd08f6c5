#include "allot/policy/stop_rules.hpp"

#include <cmath>

#include "allot/base/check.hpp"

namespace allot::policy {

std::string_view name(StopReason reason) {
  constexpr std::array<std::string_view, 6> kNames{"accuracy", "settled",   "worth",
                                                   "budget",   "exhausted", "certified"};
  return kNames[static_cast<std::size_t>(reason)];
}

void check(const StopRules& rules) {
  constexpr std::string_view kName = "policy::StopRules";
  const double accuracy = rules.accuracy.value_or(1), settled = rules.settled.value_or(1);
  require(accuracy > 0 && accuracy <= 1, kName, "accuracy", accuracy,
          "expected above 0, at most 1");
  require(settled > 0.5 && settled <= 1, kName, "settled", settled,
          "expected above 0.5, at most 1");
  const Money worth = rules.worth.value_or(kUnitPrice);
  require(worth > Money(), kName, "worth", worth.value(), "expected more than 0");
  require(!rules.certified, kName, "certified", rules.certified.value_or(0),
          "expected none: only a campaign has audits");
}

Certainty::Certainty(const StopRules& rules, std::uint32_t item_count)
    : rules_(rules), error_(item_count, 1), settled_(item_count), sum_(item_count) {
  check(rules);
}

/// Neumaier's sum: its error is about the square of a rounding error, times the number of sums.
void Certainty::add(double error) {
  const double sum = sum_ + error;
  lost_ += std::abs(sum_) >= std::abs(error) ? (sum_ - sum) + error : (error - sum) + sum_;
  sum_ = sum;
}

bool Certainty::set(ItemId item, double error) {
  double& known = error_[position(item)];
  add(-known);
  add(error);
  known = error;
  if (!rules_.settled || is_settled(item) || error > 1 - *rules_.settled) return false;
  settled_[position(item)] = true;
  ++settled_count_;
  return true;
}

double Certainty::expected_accuracy() const {
  if (error_.empty()) return 1;
  return 1 - (sum_ + lost_) / static_cast<double>(error_.size());
}

std::optional<StopReason> Certainty::reason() const {
  if (rules_.accuracy && expected_accuracy() >= *rules_.accuracy) return StopReason::accuracy;
  if (rules_.settled && settled_count_ == settled_.size()) return StopReason::settled;
  return {};
}

}  // namespace allot::policy
