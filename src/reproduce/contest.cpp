#include "reproduce/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/policy/registry.hpp"

namespace allot::reproduce {

std::string Shape::text() const { return fmt::format("Beta({:g},{:g})", a, b); }

std::vector<std::shared_ptr<const policy::Policy>> policies_named(
    const std::vector<std::string>& names, policy::TieBreak ties) {
  std::vector<std::shared_ptr<const policy::Policy>> policies;
  for (const std::string& name : names) policies.push_back(policy::make_policy(name, ties).value());
  return policies;
}

sim::Experiment alike(const Settings& settings, const Shape& truth, const Shape& prior,
                      const std::vector<std::string>& policies) {
  std::vector<std::uint64_t> budgets;
  for (std::uint64_t labels = 2; labels <= 20; ++labels) budgets.push_back(labels * kItems);
  return {.world = sim::Simulation{.item_count = kItems, .truth = truth.prior()},
          .workers = sim::AlikeWorkers{.prior = prior.prior()},
          .policies = policies_named(policies, policy::TieBreak::random),
          .budgets = std::move(budgets),
          .runs = settings.runs,
          .seed = settings.seed,
          .threads = settings.threads};
}

sim::Experiment differing(const Settings& settings, const Shape& reliability,
                          const Shape& worker_prior, const std::vector<std::string>& policies) {
  sim::Experiment experiment = alike(settings, kUniform, kUniform, policies);
  experiment.world = sim::Simulation{
      .item_count = kItems, .worker_count = 100, .reliability = reliability.prior()};
  experiment.workers =
      sim::DifferingWorkers{.beliefs = {model::Prior::uniform(), worker_prior.prior(),
                                        model::Coins::one, model::Refit::off}};
  return experiment;
}

Parameter ties_parameter() {
  return {"ties",
          "indices within a relative 1e-12 of the best are tied; one of them is drawn at random"};
}

std::vector<Contender> contenders(const std::vector<std::string>& policies) {
  static const std::map<std::string, std::string> kNames{
      {"bound", "upper bound (ours)"},
      {"uniform", "Uniform"},
      {"kos", "KOS"},
      {"kg", "KG (random)"},
      {"deterministic kg", "KG (first of ties)"},
      {"pessimistic-kg", "pessimistic KG (first of ties)"},
      {"nlu", "NLU"},
      {"gittins", "Gittins-inf"},
      {"label-price", "label-price (ours)"},
      {kIgnored, "Opt-KG, workers ignored"},
      {kFirstTies, "Opt-KG, first of ties"},
      {kRefitted, "Opt-KG, beliefs refitted (ours)"},
      {"opt-kg", "Opt-KG"}};
  std::vector<Contender> result;
  for (const std::string& policy : policies) result.push_back({policy, kNames.at(policy), policy});
  return result;
}

const std::vector<std::string>& alike_policies() {
  static const std::vector<std::string> kAll{"uniform", "kg",          "nlu",
                                             "gittins", "label-price", "opt-kg"};
  return kAll;
}

void Contest::add(const sim::EachRun& runs, const std::string& renamed) {
  for (std::size_t i = 0; i < runs.rows.size(); ++i) {
    const sim::Row& row = runs.rows[i];
    entries_.push_back({renamed.empty() ? row.policy : renamed, row.budget, row.labels_per_item,
                        row.accuracy, row.standard_error, row.worst, runs.accuracies[i]});
  }
}

Result<void> Contest::play(Meter& meter, double share, const sim::Experiment& experiment,
                           const std::string& renamed) {
  return meter.step(share, [&](Progress* progress) { return sim::run_each(experiment, progress); })
      .map([&](const sim::EachRun& runs) { add(runs, renamed); });
}

void Contest::add_limit(const std::string& name, std::uint64_t budget, double labels_per_item,
                        double accuracy, std::uint32_t runs) {
  entries_.push_back(
      {name, budget, labels_per_item, accuracy, NAN, NAN, std::vector<double>(runs, accuracy)});
}

std::vector<const Contest::Entry*> Contest::of(const std::string& policy, double from,
                                               double to) const {
  std::vector<const Entry*> found;
  for (const Entry& entry : entries_) {
    if (entry.policy == policy && entry.labels_per_item >= from && entry.labels_per_item <= to)
      found.push_back(&entry);
  }
  return found;
}

Estimate Contest::lead(const std::string& policy, const std::string& over, double from,
                       double to) const {
  std::vector<double> differences;
  double budgets = 0;
  for (const Entry* entry : of(policy, from, to)) {
    for (const Entry* other : of(over, from, to)) {
      if (entry->budget != other->budget || entry->runs.size() != other->runs.size()) continue;
      differences.resize(entry->runs.size());
      for (std::size_t run = 0; run < differences.size(); ++run)
        differences[run] += entry->runs[run] - other->runs[run];
      ++budgets;
    }
  }
  for (double& difference : differences) difference /= budgets;
  return estimate(differences);
}

Estimate Contest::change(const std::string& policy, double from, double to) const {
  const auto few = of(policy, from, from), many = of(policy, to, to);
  std::vector<double> changes;
  for (std::size_t run = 0; run < few.at(0)->runs.size(); ++run)
    changes.push_back(many.at(0)->runs[run] - few[0]->runs[run]);
  return estimate(changes);
}

void Contest::tell_lead(const std::string& policy, const std::string& over, double from,
                        double to) {
  double first = INFINITY, last = 0;
  for (const Entry* entry : of(policy, from, to)) {
    first = std::min(first, entry->labels_per_item);
    last = std::max(last, entry->labels_per_item);
  }
  told_.try_emplace("leads", Data({"panel", "policy", "over", "from", "to", "lead", "stderr"}))
      .first->second.add({panel_, policy, over, first, last, lead(policy, over, from, to)});
}

void Contest::tell_change(const std::string& policy, double from, double to) {
  told_.try_emplace("changes", Data({"policy", "from", "to", "change", "stderr"}))
      .first->second.add({policy, from, to, change(policy, from, to)});
}

Tables Contest::tables() const {
  Data rows({"panel", "policy", "budget", "labels_per_item", "accuracy", "stderr", "worst", "lead",
             "lead_stderr"});
  for (const Entry& entry : entries_) {
    const double place = entry.labels_per_item;
    rows.add(
        {panel_, entry.policy, entry.budget, place, Estimate{entry.accuracy, entry.standard_error},
         entry.worst,
         entry.policy == leader_ ? Estimate{NAN, NAN} : lead(leader_, entry.policy, place, place)});
  }
  Tables all = told_;
  all.emplace("", std::move(rows));
  return all;
}

Estimate lead_in(const Tables& tables, const std::string& panel, const std::string& policy,
                 const std::string& over) {
  const Data& data = tables.at("leads");
  return data.estimate(data.only({{"panel", panel}, {"policy", policy}, {"over", over}}), "lead");
}

Estimate change_in(const Tables& tables, const std::string& policy) {
  const Data& data = tables.at("changes");
  return data.estimate(data.only({{"policy", policy}}), "change");
}

Estimate estimate_at(const Tables& tables, std::string_view column, const std::string& panel,
                     const std::string& policy, const std::string& labels_per_item) {
  const Data& data = tables.at("");
  return data.estimate(
      data.only({{"panel", panel}, {"policy", policy}, {"labels_per_item", labels_per_item}}),
      column);
}

figure::CurvePanel accuracy_panel(const Tables& tables, const std::string& panel,
                                  const std::string& title,
                                  const std::vector<Contender>& contenders) {
  figure::CurvePanel result{title, "labels per item", "accuracy", {}, {0, 1}};
  for (const auto& [policy, name, style] : contenders) {
    result.curves.push_back({name, style,
                             points(tables.at(""), {{"panel", panel}, {"policy", policy}},
                                    "labels_per_item", "accuracy")});
  }
  return result;
}

figure::CurvePanel difference_panel(const Tables& tables, const std::string& panel,
                                    const std::string& title,
                                    const std::vector<Contender>& contenders) {
  constexpr double kFarBelow = -0.12;
  figure::CurvePanel result{
      title, "labels per item", "accuracy above Opt-KG's", {}, {kFarBelow, 1}};
  double lowest = 0;
  for (const auto& [policy, name, style] : contenders) {
    figure::Curve curve{
        name, style,
        points(tables.at(""), {{"panel", panel}, {"policy", policy}}, "labels_per_item", "lead")};
    for (figure::Point& point : curve.points) {
      point.y = -point.y;
      lowest = std::fmin(lowest, point.y);
    }
    const bool known = std::ranges::any_of(
        curve.points, [](const figure::Point& point) { return !std::isnan(point.y); });
    if (known) result.curves.push_back(std::move(curve));
  }
  if (lowest < kFarBelow) result.y_title += fmt::format(", cut off at {}", kFarBelow);
  return result;
}

}  // namespace allot::reproduce
