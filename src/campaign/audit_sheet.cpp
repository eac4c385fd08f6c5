#include "campaign/audit_sheet.hpp"

#include <algorithm>
#include <cmath>

#include "allot/audit/fixed_estimate.hpp"
#include "allot/audit/sequential_estimate.hpp"
#include "allot/base/rng.hpp"
#include "allot/model/best_class.hpp"

namespace allot::campaign {

std::uint64_t audit_seed(const State& state) {
  return Rng(state.options().seed, Rng::Purpose::general, state.sequence() + 1)();
}

AuditStarted freeze_answers(Core& core, const AuditPlan& plan) {
  const State& state = core.state();
  const std::size_t classes = state.options().classes.size();
  const std::vector<double> all = core.final_stated();
  AuditStarted start{plan, std::vector<std::uint8_t>(state.item_count()),
                     std::vector<std::uint16_t>(state.item_count())};
  for (std::uint32_t i = 0; i < state.item_count(); ++i) {
    if (state.items().known(ItemId{i}) || state.items().labels(ItemId{i}) == 0) continue;
    const std::span<const double> here(&all[i * classes], classes);
    const std::uint32_t best = position(model::best_class(here));
    start.answers[i] = static_cast<std::uint8_t>(best + 1);
    start.stated[i] = static_cast<std::uint16_t>(std::lround(here[best] * kStatedParts));
  }
  return start;
}

AuditSheet::AuditSheet(const State& state)
    : state_(state), audit_(*state.audit()), items_(audit_.items()), stated_(audit_.stated()) {
  const AuditPlan& plan = audit_.start.plan;
  if (plan.checks > 0) {
    fixed_ = std::make_unique<audit::FixedDesign>(stated_, plan.checks, plan.seed);
  } else {
    sequential_ = std::make_unique<audit::SequentialDesign>(stated_, plan.seed);
  }
}

std::optional<audit::Verdict> AuditSheet::check_of(const audit::Draw& draw) const {
  const ItemId item = items_[position(draw.item)];
  const VerdictRecord* const verdict = state_.verdicts().find(item);
  if (verdict == nullptr) return {};
  return audit::Verdict{draw.item, audit_.answer(item), verdict->answer};
}

std::vector<audit::Verdict> AuditSheet::first_checks() {
  std::vector<audit::Verdict> checks;
  for (std::size_t n = 1; n <= items_.size(); ++n) {
    const auto check = check_of(sequential_->draw(n).back());
    if (!check) break;
    checks.push_back(*check);
  }
  return checks;
}

std::vector<audit::Verdict> AuditSheet::all_checks() const {
  std::vector<audit::Verdict> checks;
  for (const audit::Draw& draw : fixed_->draws()) {
    if (const auto check = check_of(draw)) checks.push_back(*check);
  }
  return checks;
}

std::vector<ItemId> AuditSheet::waiting(std::size_t count) {
  std::vector<ItemId> items;
  const auto add = [&](const audit::Draw& draw) {
    if (!check_of(draw)) items.push_back(items_[position(draw.item)]);
  };
  if (fixed_) {
    for (const audit::Draw& draw : fixed_->draws()) {
      if (items.size() < count) add(draw);
    }
    return items;
  }
  if (is_certified()) return items;
  for (std::size_t n = 1; n <= items_.size() && items.size() < count; ++n) {
    add(sequential_->draw(n).back());
  }
  return items;
}

std::set<ItemId> AuditSheet::drawn(std::size_t verdicts) {
  const auto items = waiting(fixed_ ? items_.size() : verdicts + kDrawsAhead);
  return {items.begin(), items.end()};
}

bool AuditSheet::proves(double target) {
  const double confidence = audit_.start.plan.confidence;
  if (fixed_) {
    return audit::FixedEstimate(*fixed_, all_checks(), confidence).accuracy().lower >= target;
  }
  return audit::SequentialEstimate(*sequential_, first_checks(), confidence)
      .certified_after(target)
      .has_value();
}

bool AuditSheet::is_certified() {
  const double target = audit_.start.plan.target;
  return target > 0 && proves(target);
}

template <typename Estimate, typename Design>
void AuditSheet::fill(AuditReport& report, const Estimate& estimate, const Design& design,
                      std::span<const audit::Verdict> checks) const {
  report.checked = checks.size();
  report.found.resize(state_.options().classes.size());
  for (const audit::Verdict& check : checks) {
    report.right += check.right();
    ++report.found[position(check.truth)];
  }
  report.accuracy = estimate.accuracy();
  report.strata.assign(design.strata().begin(), design.strata().end());
  report.per_stratum = estimate.strata();
}

AuditReport AuditSheet::report() {
  const AuditPlan& plan = audit_.start.plan;
  AuditReport report{
      .number = audit_.number, .started = audit_.started, .plan = plan, .answers = items_.size()};
  const auto classes = static_cast<std::uint32_t>(state_.options().classes.size());
  if (fixed_) {
    const std::vector<audit::Verdict> checks = all_checks();
    const audit::FixedEstimate estimate(*fixed_, checks, plan.confidence);
    fill(report, estimate, *fixed_, checks);
    report.drawn = plan.checks;
    report.shares = estimate.shares(classes);
    if (plan.target > 0 && report.accuracy.lower >= plan.target)
      report.certified_after = plan.checks;
    if (plan.target > 0 && !report.certified_after) {
      report.checks_to_prove = estimate.checks_to_prove(plan.target);
    }
    return report;
  }
  const std::vector<audit::Verdict> checks = first_checks();
  const audit::SequentialEstimate estimate(*sequential_, checks, plan.confidence);
  fill(report, estimate, *sequential_, checks);
  report.drawn = checks.size();
  report.after_gap = checks_after(checks.size());
  std::vector<ClassId> answers;
  for (const ItemId item : items_) answers.push_back(audit_.answer(item));
  report.shares = estimate.shares(answers, classes);
  report.certified_after = estimate.certified_after(plan.target);
  if (!report.certified_after) report.checks_to_prove = estimate.checks_to_prove(plan.target);
  return report;
}

/// Verdicts among the next draws after the first `counted`.
std::uint64_t AuditSheet::checks_after(std::size_t counted) {
  std::uint64_t verdicts = 0;
  const std::size_t end = std::min(items_.size(), counted + kDrawsAhead);
  for (const audit::Draw& draw : sequential_->draw(end).subspan(counted)) {
    verdicts += check_of(draw).has_value();
  }
  return verdicts;
}

}  // namespace allot::campaign
