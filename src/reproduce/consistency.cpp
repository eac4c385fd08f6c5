// Consistency: with enough labels every answer is right, or not [CLZ thm:opt_KG, prop:det_KG,
// prop:pessimistic_KG].
#include <fmt/format.h>

#include "reproduce/contest.hpp"
#include "reproduce/setups.hpp"

namespace allot::reproduce {
namespace {

constexpr std::uint64_t kMostLabels = 1024;  // per item

/// 0.05, 0.1, ..., 0.95 without 0.5, which has no right answer.
std::vector<double> soft_labels() {
  std::vector<double> thetas;
  for (int i = 1; i < 20; ++i) {
    if (i != 10) thetas.push_back(i * 0.05);
  }
  return thetas;
}

const std::vector<Contender>& contenders() {
  static const std::vector<Contender> kAll{
      {"uniform", "Uniform", "uniform"},
      {"deterministic kg", "KG (first of ties)", "deterministic kg"},
      {"pessimistic-kg", "pessimistic KG (first of ties)", "pessimistic-kg"},
      {"kg", "KG (random)", "kg"},
      {"opt-kg", "Opt-KG", "opt-kg"}};
  return kAll;
}

Result<Tables> tables(const Settings& settings, Meter& meter) {
  sim::Experiment experiment = alike(settings, kUniform, kUniform, {"uniform", "kg", "opt-kg"});
  const std::vector<double> thetas = soft_labels();
  const auto items = static_cast<std::uint32_t>(thetas.size());
  experiment.world = sim::Simulation{.item_count = items, .truth = thetas};
  experiment.budgets.clear();
  for (std::uint64_t labels = 1; labels <= kMostLabels; labels *= 2)
    experiment.budgets.push_back(labels * items);
  Contest contest("", "opt-kg");
  const auto play = [&](const std::vector<std::string>& names, policy::TieBreak ties,
                        const std::string& renamed) -> Result<void> {
    experiment.policies = policies_named(names, ties);
    return meter
        .step(static_cast<double>(names.size()) / 5,
              [&](Progress* progress) { return sim::run_each(experiment, progress); })
        .map([&](const sim::EachRun& runs) { contest.add(runs, renamed); });
  };
  return play({"uniform", "kg", "opt-kg"}, policy::TieBreak::random, "")
      .and_then([&] { return play({"kg"}, policy::TieBreak::first, "deterministic kg"); })
      .and_then([&] { return play({"pessimistic-kg"}, policy::TieBreak::first, ""); })
      .map([&] {
        Data changes = changes_data();
        for (const char* stuck : {"deterministic kg", "pessimistic-kg"})
          tell_change(changes, contest, stuck, 4, kMostLabels);
        return Tables{{"", contest.rows()}, {"changes", changes}};
      });
}

std::vector<Picture> pictures(const Tables& tables) {
  figure::CurvePanel panel =
      accuracy_panel(tables.at(""), "", "All answers right in the end?", contenders());
  panel.x_title = "labels per item (equal steps are equal factors)";
  panel.x_steps = figure::Steps::doubling;
  return {{"", {"Consistency", "", {panel}, 1}}};
}

std::vector<Claim> claims(const Tables& tables) {
  const Data& data = tables.at("");
  const auto accuracy = [&](const std::string& policy, std::uint64_t labels) {
    return accuracy_in(
        data, data.only({{"policy", policy}, {"labels_per_item", fmt::format("{}", labels)}}));
  };
  const auto end = [&](const std::string& policy) { return accuracy(policy, kMostLabels); };
  const auto stuck = [&](const std::string& policy) {
    return within(change_in(tables, policy), 0.01);
  };
  const auto numbers = [&](const std::string& policy) {
    return fmt::format("accuracy {} with 4 labels per item, {} with {}",
                       estimate_text(accuracy(policy, 4)), estimate_text(end(policy)), kMostLabels);
  };
  return {
      {"Opt-KG finds every answer with enough labels.", at_least(end("opt-kg"), 0.999),
       numbers("opt-kg")},
      {"Deterministic KG gets stuck: it asks every item once and then only the first.",
       stuck("deterministic kg"), numbers("deterministic kg")},
      {"Pessimistic KG gets stuck as well.", stuck("pessimistic-kg"), numbers("pessimistic-kg")}};
}

}  // namespace

std::vector<Study> consistency_studies() {
  return {
      {.label = "thm:opt_KG",
       .other_labels = {"prop:det_KG", "prop:pessimistic_KG"},
       .section = "4.1 Optimistic knowledge gradient",
       .title = "Consistency of Opt-KG, and of KG where ties go to the first item",
       .caption =
           "Accuracy as the budget grows. The paper proves that Opt-KG gets every answer right in "
           "the limit and that deterministic and pessimistic KG do not; it has no figure for this.",
       .parameters = {{"items", "18, soft labels 0.05, 0.10, ..., 0.95 without 0.5"},
                      {"prior", kUniform.text()},
                      {"budgets", fmt::format("1, 2, 4, ..., {} labels per item", kMostLabels)},
                      {"policies",
                       "uniform, kg (random and first ties), pessimistic-kg (first "
                       "ties), opt-kg"},
                      ties_parameter()},
       .by_hand = "allot simulate --truth 0.05..0.45:0.05,0.55..0.95:0.05 --budget 1024x "
                  "--policy uniform,kg,opt-kg",
       .random = true,
       .parts = {{"all", 20, 40, tables}},
       .pictures = pictures,
       .claims = claims}};
}

}  // namespace allot::reproduce
