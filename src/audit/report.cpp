#include "allot/audit/report.hpp"

#include <algorithm>
#include <array>

#include "allot/audit/fixed_estimate.hpp"
#include "allot/audit/sequential_estimate.hpp"

namespace allot::audit {
namespace {

/// Accuracies of which the report of a fixed audit names the next one to prove.
constexpr std::array kTargets{0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999};

std::optional<double> next_target(const Bounds& accuracy) {
  for (const double target : kTargets) {
    if (target > accuracy.lower && target < accuracy.estimate) return target;
  }
  return {};
}

std::optional<Verdict> verdict_on(const Draw& draw, const JudgedAnswers& judged) {
  const auto& truth = judged.truths[position(draw.item)];
  if (!truth) return {};
  return Verdict{draw.item, judged.answers[position(draw.item)], *truth};
}

void count(std::span<const Verdict> verdicts, const JudgedAnswers& judged, Report& report) {
  report.checked = verdicts.size();
  report.found.resize(judged.class_count);
  for (const Verdict& verdict : verdicts) {
    report.right += verdict.right();
    ++report.found[position(verdict.truth)];
  }
}

/// Verdicts up to the first draw without one. Draws on until every verdict is drawn, and one more.
std::vector<Verdict> in_order(SequentialDesign& design, const JudgedAnswers& judged,
                              Report& report) {
  const auto has_truth = [](const std::optional<ClassId>& truth) { return truth.has_value(); };
  const auto all = static_cast<std::uint64_t>(std::ranges::count_if(judged.truths, has_truth));
  std::vector<Verdict> verdicts;
  for (std::size_t n = 1; n <= judged.answers.size(); ++n) {
    const Draw draw = design.draw(n).back();
    const auto verdict = verdict_on(draw, judged);
    if (!verdict) {
      if (!report.next) report.next = draw.item;
    } else if (report.next) {
      ++report.waiting;
    } else {
      verdicts.push_back(*verdict);
    }
    if (verdict) report.drawn = n;
    if (report.next && verdicts.size() + report.waiting == all) break;
  }
  return verdicts;
}

}  // namespace

Report make_report(const FixedDesign& design, const JudgedAnswers& judged, double confidence) {
  Report report;
  std::vector<Verdict> verdicts;
  for (const Draw& draw : design.draws()) {
    if (const auto verdict = verdict_on(draw, judged)) {
      verdicts.push_back(*verdict);
    } else if (!report.next) {
      report.next = draw.item;
    }
  }
  report.drawn = design.draws().size();
  count(verdicts, judged, report);
  const FixedEstimate estimate(design, verdicts, confidence);
  report.accuracy = estimate.accuracy();
  report.shares = estimate.shares(judged.class_count);
  report.strata.assign(design.strata().begin(), design.strata().end());
  report.per_stratum = estimate.strata();
  if (report.missing() == 0) report.next_target = next_target(report.accuracy);
  if (report.next_target) report.checks_to_prove = estimate.checks_to_prove(*report.next_target);
  return report;
}

Report make_report(SequentialDesign& design, const JudgedAnswers& judged, double confidence,
                   double target) {
  Report report;
  const std::vector<Verdict> verdicts = in_order(design, judged, report);
  count(verdicts, judged, report);
  const SequentialEstimate estimate(design, verdicts, confidence);
  report.accuracy = estimate.accuracy();
  report.shares = estimate.shares(judged.answers, judged.class_count);
  report.strata.assign(design.strata().begin(), design.strata().end());
  report.per_stratum = estimate.strata();
  report.contradiction = estimate.is_contradictory();
  report.certified_after = estimate.certified_after(target);
  if (report.certified_after) {
    report.next.reset();
    return report;
  }
  report.next_target = target;
  if (!report.contradiction) report.checks_to_prove = estimate.checks_to_prove(target);
  return report;
}

}  // namespace allot::audit
