// Output of `allot audit`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "allot/audit/report.hpp"
#include "allot/io/finished_answers.hpp"
#include "cli/formats.hpp"

namespace allot::cli {

/// What an audit proves, and about which answers.
struct AuditReport : audit::Report {
  io::FinishedAnswers answers;
  std::uint64_t seed = 1;
  double confidence = 0.95;
  /// Target of a sequential audit; a fixed one has none.
  std::optional<double> target = {};
  std::uint64_t draws = 0;
  /// The id of `next`.
  std::optional<std::string> next_item = {};
};

std::string report_text(const AuditReport& report, Format format);

}  // namespace allot::cli
