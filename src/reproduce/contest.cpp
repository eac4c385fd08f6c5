#include "reproduce/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace allot::reproduce {

const std::vector<Contender>& alike_contenders() {
  static const std::vector<Contender> kAll{{"uniform", "Uniform", "uniform"},
                                           {"kg", "KG (random)", "kg"},
                                           {"nlu", "NLU", "nlu"},
                                           {"gittins", "Gittins-inf", "gittins"},
                                           {"label-price", "label-price (ours)", "label-price"},
                                           {"opt-kg", "Opt-KG", "opt-kg"}};
  return kAll;
}

void Contest::add(const sim::EachRun& runs, const std::string& renamed) {
  for (std::size_t i = 0; i < runs.rows.size(); ++i) {
    const sim::Row& row = runs.rows[i];
    entries_.push_back({renamed.empty() ? row.policy : renamed, row.budget, row.labels_per_item,
                        row.accuracy, row.standard_error, row.worst, runs.accuracies[i]});
  }
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

void Contest::tell_lead(Data& data, const std::string& policy, const std::string& over, double from,
                        double to) const {
  double first = INFINITY, last = 0;
  for (const Entry* entry : of(policy, from, to)) {
    first = std::min(first, entry->labels_per_item);
    last = std::max(last, entry->labels_per_item);
  }
  const Estimate lead = this->lead(policy, over, from, to);
  data.add({panel_, policy, over, number_text(first), number_text(last), number_text(lead.mean),
            number_text(lead.error)});
}

Data Contest::rows() const {
  Data data({"panel", "policy", "budget", "labels_per_item", "accuracy", "stderr", "worst", "lead",
             "lead_stderr"});
  for (const Entry& entry : entries_) {
    const double place = entry.labels_per_item;
    Estimate ahead{NAN, NAN};
    if (entry.policy != leader_) ahead = lead(leader_, entry.policy, place, place);
    data.add({panel_, entry.policy, fmt::format("{}", entry.budget), number_text(place),
              number_text(entry.accuracy), number_text(entry.standard_error),
              number_text(entry.worst), number_text(ahead.mean), number_text(ahead.error)});
  }
  return data;
}

Data leads_data() { return Data({"panel", "policy", "over", "from", "to", "lead", "stderr"}); }

Estimate lead_in(const Tables& tables, const std::string& panel, const std::string& policy,
                 const std::string& over) {
  const Data& data = tables.at("leads");
  const std::size_t row = data.only({{"panel", panel}, {"policy", policy}, {"over", over}});
  return {data.number(row, "lead"), data.number(row, "stderr")};
}

Data changes_data() { return Data({"policy", "from", "to", "change", "stderr"}); }

void tell_change(Data& data, const Contest& contest, const std::string& policy, double from,
                 double to) {
  const Estimate change = contest.change(policy, from, to);
  data.add({policy, number_text(from), number_text(to), number_text(change.mean),
            number_text(change.error)});
}

Estimate change_in(const Tables& tables, const std::string& policy) {
  const Data& data = tables.at("changes");
  const std::size_t row = data.only({{"policy", policy}});
  return {data.number(row, "change"), data.number(row, "stderr")};
}

Estimate accuracy_in(const Data& data, std::size_t row) {
  return {data.number(row, "accuracy"), data.number(row, "stderr")};
}

Estimate lead_at(const Data& data, std::size_t row) {
  return {data.number(row, "lead"), data.number(row, "lead_stderr")};
}

figure::CurvePanel accuracy_panel(const Data& rows, const std::string& panel,
                                  const std::string& title,
                                  const std::vector<Contender>& contenders) {
  figure::CurvePanel result{title, "labels per item", "accuracy", {}, {0, 1}};
  for (const auto& [policy, name, style] : contenders) {
    figure::Curve curve{name, style, {}};
    for (const std::size_t row : rows.where({{"panel", panel}, {"policy", policy}})) {
      curve.points.push_back({rows.number(row, "labels_per_item"), rows.number(row, "accuracy"),
                              rows.number(row, "stderr")});
    }
    result.curves.push_back(std::move(curve));
  }
  return result;
}

figure::CurvePanel difference_panel(const Data& rows, const std::string& panel,
                                    const std::string& title,
                                    const std::vector<Contender>& contenders,
                                    const std::string& y_title) {
  constexpr double kFarBelow = -0.12;
  figure::CurvePanel result{title, "labels per item", y_title, {}, {kFarBelow, 1}};
  double lowest = 0;
  for (const auto& [policy, name, style] : contenders) {
    figure::Curve curve{name, style, {}};
    for (const std::size_t row : rows.where({{"panel", panel}, {"policy", policy}})) {
      curve.points.push_back({rows.number(row, "labels_per_item"), -rows.number(row, "lead"),
                              rows.number(row, "lead_stderr")});
      lowest = std::fmin(lowest, curve.points.back().y);
    }
    const bool known = std::ranges::any_of(
        curve.points, [](const figure::Point& point) { return !std::isnan(point.y); });
    if (known) result.curves.push_back(std::move(curve));
  }
  if (lowest < kFarBelow) result.y_title += fmt::format(", cut off at {}", kFarBelow);
  return result;
}

std::string panel_name(std::size_t n) {
  return fmt::format("({})", static_cast<char>('a' + static_cast<char>(n)));
}

}  // namespace allot::reproduce
