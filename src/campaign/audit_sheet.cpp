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

AuditSheet::AuditSheet(const Audit& audit, const VerdictTable& verdicts, std::size_t class_count)
    : audit_(audit),
      verdicts_(verdicts),
      class_count_(class_count),
      items_(audit.items()),
      stated_(audit.stated()) {
  const AuditPlan& plan = audit_.start.plan;
  if (plan.checks > 0) {
    fixed_ = std::make_unique<audit::FixedDesign>(stated_, plan.checks, plan.seed);
  } else {
    sequential_ = std::make_unique<audit::SequentialDesign>(stated_, plan.seed);
  }
}

std::optional<audit::Verdict> AuditSheet::check_of(const audit::Draw& draw) const {
  const ItemId item = items_[position(draw.item)];
  const auto truth = verdicts_.answer(item);
  if (!truth) return {};
  return audit::Verdict{draw.item, audit_.answer(item), *truth};
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

std::uint64_t AuditSheet::verdict_count() const {
  if (fixed_) return all_checks().size();
  return static_cast<std::uint64_t>(
      std::ranges::count_if(items_, [&](ItemId item) { return verdicts_.find(item) != nullptr; }));
}

AuditReport AuditSheet::report() {
  const AuditPlan& plan = audit_.start.plan;
  std::vector<ClassId> answers;
  std::vector<std::optional<ClassId>> truths;
  for (const ItemId item : items_) {
    answers.push_back(audit_.answer(item));
    truths.push_back(verdicts_.answer(item));
  }
  const audit::JudgedAnswers judged{answers, truths, static_cast<std::uint32_t>(class_count_)};
  AuditReport report;
  static_cast<audit::Report&>(report) =
      fixed_ ? audit::make_report(*fixed_, judged, plan.confidence)
             : audit::make_report(*sequential_, judged, plan.confidence, plan.target);
  if (report.next) report.next = items_[position(*report.next)];
  report.number = audit_.number;
  report.started = audit_.started;
  report.plan = plan;
  report.answers = items_.size();
  return report;
}

}  // namespace allot::campaign
