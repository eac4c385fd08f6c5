// What the verdicts on the draws of an audit prove, for all places that report it.
//
// Verdicts on a fixed design count as they are. Those on a sequential design count in the order of
// the draws: verdicts after a draw without one wait until that draw has a verdict.
//
// Cost: that of the estimates; a sequential design draws on up to the last answer with a verdict.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "allot/audit/fixed_design.hpp"
#include "allot/audit/sequential_design.hpp"
#include "allot/audit/strata.hpp"
#include "allot/audit/verdict.hpp"

namespace allot::audit {

/// The answers that an audit judges, in the order of the design, and what an expert said of them.
struct JudgedAnswers {
  std::span<const ClassId> answers;                ///< by item of the design
  std::span<const std::optional<ClassId>> truths;  ///< by item; not set without a verdict
  std::uint32_t class_count;                       ///< number of classes
};

/// What the verdicts prove so far.
struct Report {
  std::uint64_t drawn = 0,  ///< draws; of a sequential design up to the last one with a verdict
      checked = 0,          ///< verdicts that count
      right = 0,            ///< of these, verdicts that say "right"
      waiting = 0;          ///< verdicts after a draw without one, which do not count yet
  /// The first draw without a verdict. Not set if there is none, or the target is proven.
  std::optional<ItemId> next = {};
  std::vector<std::uint64_t> found = {};           ///< by class: verdicts that count and found it
  Bounds accuracy = {};                            ///< accuracy of all judged answers
  std::vector<Bounds> shares = {};                 ///< by class: share of the judged items
  std::vector<Stratum> strata = {};                ///< from the highest stated probability down
  std::vector<StratumEstimate> per_stratum = {};   ///< accuracy of each stratum
  bool contradiction = false;                      ///< SequentialEstimate::is_contradictory
  std::optional<std::uint64_t> certified_after{};  ///< checks after which the target was proven
  /// An accuracy that is not proven yet: the target, or the next one that a larger fixed audit
  /// could prove. Not set if it is proven, or while checks of a fixed audit are missing.
  std::optional<double> next_target = {};
  /// Checks that are expected to prove it: further ones, or those of a new audit if their number is
  /// fixed. Not set if no number will do.
  std::optional<std::uint64_t> checks_to_prove = {};

  /// Draws without a verdict, among those counted in `drawn`.
  std::uint64_t missing() const { return drawn - checked - waiting; }
};

/// The report of an audit with a fixed number of checks.
Report make_report(const FixedDesign& design, const JudgedAnswers& judged, double confidence);
/// The report of an audit that checks until the target is proven.
Report make_report(SequentialDesign& design, const JudgedAnswers& judged, double confidence,
                   double target);

}  // namespace allot::audit
