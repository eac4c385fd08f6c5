// The draws and checks of an audit, and what they prove.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "allot/audit/fixed_design.hpp"
#include "allot/audit/sequential_design.hpp"
#include "allot/campaign/types.hpp"
#include "campaign/core.hpp"

namespace allot::campaign {

/// Draws of a sequential audit that are shown ahead. More would let a reviewer choose among them.
inline constexpr std::uint32_t kDrawsAhead = 10;

/// The seed of an audit that starts with the next event.
std::uint64_t audit_seed(const State& state);

/// The answers by labels, as they stand after a last refit.
AuditStarted freeze_answers(Core& core, const AuditPlan& plan);

/// An audit and the verdicts on its answers, which must not change meanwhile. Cost: O(items), and
/// O(log items) per draw.
class AuditSheet {
 public:
  /// The latest audit of a state, which must have one.
  explicit AuditSheet(const State& state)
      : AuditSheet(*state.audit(), state.verdicts(), state.options().classes.size()) {}
  AuditSheet(const Audit& audit, const VerdictTable& verdicts, std::size_t class_count);

  /// Items that count as drawn in a review of that many: all draws that wait, and of a sequential
  /// audit as many as are shown ahead.
  std::set<ItemId> drawn(std::size_t verdicts);
  /// Drawn items without a verdict, in order, at most `count`.
  std::vector<ItemId> waiting(std::size_t count);
  /// The same, as far as reviewers see them: all draws of a fixed number, else the next few.
  std::vector<ItemId> blind() { return waiting(fixed_ ? SIZE_MAX : kDrawsAhead); }
  /// Verdicts on answers that are drawn, or can be.
  std::uint64_t verdict_count() const;
  AuditReport report();
  /// Whether the checks prove that accuracy.
  bool proves(double target);

 private:
  /// The check of a draw, if there is a verdict.
  std::optional<audit::Verdict> check_of(const audit::Draw& draw) const;
  /// Checks in the order of the draws, up to the first draw without one.
  std::vector<audit::Verdict> first_checks();
  std::vector<audit::Verdict> all_checks() const;
  /// Whether the target of the audit is proven.
  bool is_certified();

  const Audit& audit_;
  const VerdictTable& verdicts_;
  const std::size_t class_count_;
  const std::vector<ItemId> items_;            // that are judged; designs number them from 0
  const std::vector<double> stated_;           // by the same number
  std::unique_ptr<audit::FixedDesign> fixed_;  // one of the two
  std::unique_ptr<audit::SequentialDesign> sequential_;
};

}  // namespace allot::campaign
