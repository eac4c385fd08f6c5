// The work of `allot audit` once its answers and verdicts are in memory.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "allot/audit/fixed_design.hpp"
#include "allot/audit/sequential_design.hpp"
#include "cli/audit_report.hpp"

namespace allot::cli {

/// Values as written.
struct AuditOptions {
  std::string answers;
  std::optional<std::string> checks;
  std::optional<std::string> until;
  std::string seed = "1";
  std::string confidence = "0.95";
  std::optional<std::string> draws;
  std::optional<std::string> verdicts;
  bool show_answers = false;
  std::vector<std::string> classes;
  std::string format = "table";
};

void add_audit_options(Command& command, AuditOptions& options);

/// The draws of an audit, by one of the two designs.
struct AuditPlan {
  AuditReport report;  // answers and settings
  std::vector<double> stated;
  std::uint64_t checks = 0;
  std::optional<audit::FixedDesign> fixed = {};
  std::optional<audit::SequentialDesign> sequential = {};

  std::span<const audit::Draw> draws() const {
    return fixed ? fixed->draws() : sequential->draws();
  }
};

/// Draws the answers to check.
Result<AuditPlan> plan_audit(const AuditOptions& options, io::FinishedAnswers answers);

/// Reads verdicts, one row per checked item. Errors call the text `name`.
Result<std::vector<std::optional<ClassId>>> read_audit_verdicts(const AuditPlan& plan,
                                                                std::string_view text,
                                                                const std::string& name);

/// What the verdicts prove. The plan's report moves into the result.
AuditReport make_audit_report(AuditPlan& plan, const std::vector<std::optional<ClassId>>& truths);

}  // namespace allot::cli
