// Numbers of labels: of items by their ambiguity, of workers by their reliability [CLZ
// fig:task_cnt, fig:worker_cnt].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/model/label_set.hpp"
#include "allot/policy/desk.hpp"
#include "allot/policy/registry.hpp"
#include "reproduce/contest.hpp"
#include "sim/run_schedule.hpp"
#include "sim/worlds.hpp"

namespace allot::reproduce {
namespace {

constexpr std::uint32_t kGridItems = 21;
constexpr std::uint32_t kBudgets[] = {5, 15, 50};  // labels per item

/// 0, 0.05, ..., 1.
std::vector<double> soft_labels() {
  std::vector<double> thetas;
  for (int i = 0; i <= 20; ++i) thetas.push_back(i / 20.0);
  return thetas;
}

/// 0.1, 0.15, ..., 0.5, 0.505, 0.515, ..., 0.995: 59 workers.
std::vector<double> reliabilities() {
  std::vector<double> result;
  for (int i = 2; i <= 10; ++i) result.push_back(i / 20.0);
  for (int i = 0; i < 50; ++i) result.push_back(0.505 + i / 100.0);
  return result;
}

/// Labels per item or worker at every budget, one such list per run.
using RunCounts = std::vector<std::vector<double>>;  // [budget][member]

sim::SimulatedItems items_of(const Settings& settings, std::uint64_t run) {
  return {{.item_count = kGridItems, .truth = soft_labels()}, settings.seed, run};
}

/// A budget in labels.
std::uint32_t labels_of(std::uint32_t per_item) { return per_item * kGridItems; }

RunCounts item_counts(const Settings& settings, std::uint64_t run) {
  const sim::SimulatedItems items = items_of(settings, run);
  model::Beliefs beliefs(kGridItems, model::Prior::uniform());
  const auto policy = policy::make_policy("opt-kg", policy::TieBreak::random).value();
  const auto chooser = policy->start(beliefs, labels_of(std::ranges::max(kBudgets))).value();
  Rng ties(settings.seed, Rng::Purpose::tie, run);
  RunCounts counts;
  for (const std::uint32_t budget : kBudgets) {
    while (beliefs.stage() < labels_of(budget)) {
      const ItemId item = chooser->choose(ties);
      const std::uint32_t nth = beliefs.counts(item).total();
      beliefs.record(item, model::to_label(items.label(item, nth)));
      chooser->refresh(item);
    }
    auto& now = counts.emplace_back();
    for (std::uint32_t i = 0; i < kGridItems; ++i) now.push_back(beliefs.counts(ItemId{i}).total());
  }
  return counts;
}

RunCounts worker_counts(const Settings& settings, std::uint64_t run) {
  const sim::SimulatedItems items = items_of(settings, run);
  const std::vector<double> rhos = reliabilities();
  const auto workers = static_cast<std::uint32_t>(rhos.size());
  policy::Desk desk(model::make_crowd({model::Prior::uniform(), kUsualWorkers.prior(),
                                       model::Coins::one, model::Refit::off},
                                      kGridItems, workers),
                    policy::make_policy("opt-kg", policy::TieBreak::random).value(),
                    policy::Offers::everyone(kGridItems, workers));
  Rng ties(settings.seed, Rng::Purpose::tie, run);
  RunCounts counts;
  std::uint32_t spent = 0;
  for (const std::uint32_t budget : kBudgets) {
    for (; spent < labels_of(budget); ++spent) {
      const policy::Pair pair = desk.choose(ties).value();
      const std::uint32_t worker = position(pair.worker);
      desk.record(pair, items.label(pair.item, worker, rhos[worker]));
    }
    auto& now = counts.emplace_back();
    for (std::uint32_t j = 0; j < workers; ++j) now.push_back(desk.offers().labels(WorkerId{j}));
  }
  return counts;
}

/// Plays all runs on the threads of the settings.
std::vector<RunCounts> play_all(const Settings& settings, Meter& meter,
                                RunCounts (*play)(const Settings&, std::uint64_t run)) {
  std::vector<RunCounts> runs(settings.runs);
  meter.step(1, [&](Progress* progress) {
    progress->total = settings.runs;
    sim::in_parallel(settings.runs, settings.threads, [&](std::size_t run) {
      runs[run] = play(settings, run);
      ++progress->done;
      return true;
    });
  });
  return runs;
}

/// A comparison of two groups of members, run by run.
struct Contrast {
  std::string name;
  std::function<bool(double)> more, fewer;
};

double group_mean(const std::vector<double>& counts, const std::vector<double>& members,
                  const std::function<bool(double)>& chosen) {
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!chosen(members[i])) continue;
    sum += counts[i];
    ++size;
  }
  return sum / size;
}

Tables count_tables(const std::vector<RunCounts>& runs, const std::vector<double>& members,
                    const std::string& member_name, const std::vector<Contrast>& contrasts) {
  Data counts({"labels_per_item", member_name, "labels", "stderr"});
  for (std::size_t budget = 0; budget < std::size(kBudgets); ++budget) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      std::vector<double> values;
      for (const RunCounts& run : runs) values.push_back(run[budget][i]);
      counts.add({kBudgets[budget], members[i], estimate(values)});
    }
  }
  Data differences({"contrast", "labels_per_item", "difference", "stderr"});
  for (std::size_t budget = 0; budget < std::size(kBudgets); ++budget) {
    for (const auto& [name, more, fewer] : contrasts) {
      std::vector<double> values;
      for (const RunCounts& run : runs) {
        values.push_back(group_mean(run[budget], members, more) -
                         group_mean(run[budget], members, fewer));
      }
      differences.add({name, kBudgets[budget], estimate(values)});
    }
  }
  return {{"", counts}, {"contrasts", differences}};
}

Estimate contrast_in(const Tables& tables, const char* name, std::uint32_t budget) {
  const Data& data = tables.at("contrasts");
  const std::string labels = std::to_string(budget);
  return data.estimate(data.only({{"contrast", name}, {"labels_per_item", labels}}), "difference");
}

/// A contrast at every budget.
std::vector<Named> contrasts_in(const Tables& tables, const char* name) {
  std::vector<Named> all;
  for (const std::uint32_t budget : kBudgets)
    all.push_back({fmt::format("T = {}K", budget), contrast_in(tables, name, budget)});
  return all;
}

std::string panel_title(std::size_t budget) {
  return fmt::format("({}) T = {}K = {}", "abc"[budget], kBudgets[budget],
                     labels_of(kBudgets[budget]));
}

std::vector<figure::Point> points_at(const Tables& tables, std::size_t budget, const char* member) {
  return points(tables.at(""), {{"labels_per_item", std::to_string(kBudgets[budget])}}, member,
                "labels");
}

std::vector<Picture> item_pictures(const Tables& tables) {
  figure::PanelFigure figure{
      "Labels by ambiguity of items", "whiskers: ± one standard error", {}, 3};
  for (std::size_t i = 0; i < std::size(kBudgets); ++i) {
    figure::BarPanel panel{panel_title(i), "soft label of the item", "labels", {}, "opt-kg"};
    for (const auto& [x, y, error] : points_at(tables, i, "theta"))
      panel.bars.push_back({x, y, error});
    figure.panels.push_back(std::move(panel));
  }
  return {{"", figure}};
}

/// Workers are too close together for bars.
std::vector<Picture> worker_pictures(const Tables& tables) {
  figure::PanelFigure figure{
      "Labels by reliability of workers", "bands: ± one standard error", {}, 3};
  for (std::size_t i = 0; i < std::size(kBudgets); ++i) {
    figure.panels.push_back(
        figure::CurvePanel{panel_title(i),
                           "reliability of the worker",
                           "items given to the worker",
                           {{"", "opt-kg", points_at(tables, i, "reliability")}},
                           {0, kGridItems}});
  }
  return {{"", figure}};
}

// Items.

bool near(double value, std::initializer_list<double> places) {
  return std::ranges::any_of(places, [&](double place) { return std::abs(value - place) < 1e-9; });
}

constexpr const char* kRest = "0.25..0.75 over the rest";
constexpr const char* kBeside = "0.35, 0.4, 0.6, 0.65 over 0.45, 0.5, 0.55";
constexpr const char* kNext = "0.45, 0.55 over 0.5";

Result<Tables> item_tables(const Settings& settings, Meter& meter) {
  const auto middle = [](double theta) { return near(theta, {0.45, 0.5, 0.55}); };
  const auto beside = [](double theta) { return near(theta, {0.35, 0.4, 0.6, 0.65}); };
  const auto next = [](double theta) { return near(theta, {0.45, 0.55}); };
  const auto half = [](double theta) { return near(theta, {0.5}); };
  const auto ambiguous = [](double theta) { return std::abs(theta - 0.5) < 0.26; };
  const auto simple = [](double theta) { return std::abs(theta - 0.5) > 0.26; };
  return count_tables(play_all(settings, meter, item_counts), soft_labels(), "theta",
                      {{kRest, ambiguous, simple}, {kBeside, beside, middle}, {kNext, next, half}});
}

/// The sign of a contrast of counts: above 0, not above 0, or too few runs.
Verdict positive(const Estimate& difference) { return at_least(difference, 0); }
Verdict negative(const Estimate& difference) { return positive(-difference); }

std::vector<Claim> item_claims(const Tables& tables) {
  const auto text = [](const Estimate& estimate) {
    return fmt::format("{} labels per item", estimate_text(estimate, 2));
  };
  const std::vector<Named> rest = contrasts_in(tables, kRest);
  const Estimate low = contrast_in(tables, kBeside, 5), middle = contrast_in(tables, kNext, 15),
                 high = contrast_in(tables, kNext, 50),
                 high_beside = contrast_in(tables, kBeside, 50);
  const char* kNoise =
      "Over 20 runs an item's mean count has a standard error of about 1.3 labels with 5K and 8 "
      "with 15K, as large as the differences the paper describes. With 20 runs and seed 1 this "
      "figure looks like the paper's. Breaking ties towards the first item changes nothing.";
  return {
      {"Ambiguous items get more labels than simple ones.", each(rest, positive),
       fmt::format("extra labels for soft labels from 0.25 to 0.75: {}", range_text(rest))},
      {"A low budget (5K) avoids the most ambiguous items (0.45 to 0.55) in favour of their "
       "neighbours (0.35, 0.4, 0.6, 0.65).",
       positive(low), fmt::format("the neighbours get {} more", text(low)), kNoise},
      {"With 15K the items at 0.45 and 0.55 get more labels than the item at 0.5.",
       positive(middle), fmt::format("they get {} more", text(middle)), kNoise},
      {"A large budget (50K) seeks the most ambiguous item: the item at 0.5 gets the most labels.",
       all_of({negative(high), negative(high_beside)}),
       fmt::format("0.45 and 0.55 get {} more than 0.5; the neighbours get {} more than the middle",
                   text(high), text(high_beside))}};
}

// Workers.

constexpr const char* kReliable = "reliability above 0.75 over 0.45..0.75";

Result<Tables> worker_tables(const Settings& settings, Meter& meter) {
  return count_tables(play_all(settings, meter, worker_counts), reliabilities(), "reliability",
                      {{kReliable, [](double rho) { return rho > 0.75; },
                        [](double rho) { return rho > 0.449 && rho < 0.75; }}});
}

std::vector<Claim> worker_claims(const Tables& tables) {
  const std::vector<Named> leads = contrasts_in(tables, kReliable);
  const Estimate sooner = leads[1].estimate - leads[0].estimate,
                 later = leads[2].estimate - leads[1].estimate;
  std::string numbers;
  for (const Named& lead : leads) {
    numbers += fmt::format("{}{} at {}", numbers.empty() ? "" : ", ",
                           estimate_text(lead.estimate, 2), lead.name);
  }
  return {
      {"Reliable workers (above 0.75) get more items than workers near chance (0.45 to 0.75).",
       each(leads, positive), fmt::format("extra items per worker: {}", numbers)},
      {"This difference grows with the budget.", all_of({positive(sooner), positive(later)}),
       fmt::format("growth from 5K to 15K {}, from 15K to 50K {}", estimate_text(sooner, 2),
                   estimate_text(later, 2)),
       "With 50K of at most 59K labels nearly every pair is asked, which limits the last number."}};
}

}  // namespace

std::vector<Study> count_studies() {
  const Parameter items{"items", "K = 21, soft labels 0, 0.05, ..., 1"},
      item_prior{"item prior", kUniform.text()}, budgets{"budgets", "5K, 15K and 50K labels"};
  constexpr const char* kSection = "8.1.1 Labelling frequency";
  return {{.label = "fig:task_cnt",
           .other_labels = {"fig:task_cnt_105", "fig:task_cnt_315", "fig:task_cnt_1050"},
           .section = kSection,
           .title = "Labels by ambiguity of items",
           .caption = "Number of labels Opt-KG gives to items with soft labels from a clear no (0) "
                      "to a clear yes (1), where workers are alike.",
           .parameters = {items, item_prior, budgets, {"policy", "opt-kg"}, ties_parameter()},
           .random = true,
           .parts = {{"all", 1, 1.2, item_tables}},
           .pictures = item_pictures,
           .claims = item_claims},
          {.label = "fig:worker_cnt",
           .other_labels = {"fig:worker_cnt_105", "fig:worker_cnt_315", "fig:worker_cnt_1050"},
           .section = kSection,
           .title = "Labels by reliability of workers",
           .caption = "Number of items Opt-KG gives to workers by reliability, where workers "
                      "differ and the policy learns about them from their labels.",
           .parameters = {items,
                          {"workers",
                           "M = 59, reliabilities 0.1, 0.15, ..., 0.5 and 0.505, 0.515, ..., "
                           "0.995; each is asked at most once about an item"},
                          {"worker prior", kUsualWorkers.text()},
                          item_prior,
                          budgets,
                          {"policy", "opt-kg over pairs, one pass"},
                          ties_parameter()},
           .random = true,
           .parts = {{"all", 5, 45, worker_tables}},
           .pictures = worker_pictures,
           .claims = worker_claims}};
}

}  // namespace allot::reproduce
