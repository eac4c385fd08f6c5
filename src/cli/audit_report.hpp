// Output of `allot audit`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allot/audit/strata.hpp"
#include "allot/audit/verdict.hpp"
#include "allot/io/finished_answers.hpp"
#include "cli/formats.hpp"

namespace allot::cli {

/// What an audit proves.
struct AuditReport {
  io::FinishedAnswers answers;
  std::uint64_t seed = 1;
  double confidence = 0.95;
  /// Target of a sequential audit; a fixed one has none.
  std::optional<double> target = {};
  std::uint64_t draws = 0;
  /// Verdicts that count, how many of them say "right", and the truths they found per class.
  std::uint64_t checked = 0, right = 0;
  std::vector<std::uint64_t> found = {};
  /// Verdicts of a sequential audit that come after a draw without one.
  std::uint64_t after_gap = 0;

  audit::Bounds accuracy = {};
  std::vector<audit::Stratum> strata = {};
  std::vector<audit::StratumEstimate> per_stratum = {};
  std::vector<audit::Bounds> shares = {};

  std::optional<std::uint64_t> certified_after = {};
  /// An accuracy that is not proven yet, and the checks that would prove it: further ones in a
  /// sequential audit, those of a new audit in a fixed one.
  std::optional<double> next_target = {};
  std::optional<std::uint64_t> next_checks = {};
};

std::string report_text(const AuditReport& report, Format format);

}  // namespace allot::cli
