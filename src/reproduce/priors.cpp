// Densities of soft labels and reliabilities, and the cost of a wrong prior [CLZ fig:beta_task_pdf,
// fig:prior_task, fig:beta_worker_pdf, fig:prior_worker].
#include <fmt/format.h>

#include <cmath>

#include "allot/math/beta_tail.hpp"
#include "base/try.hpp"
#include "reproduce/contest.hpp"

namespace allot::reproduce {
namespace {

constexpr Shape kItemShapes[] = {{0.5, 0.5}, {2, 2}, {2, 1}, {4, 1}};
constexpr Shape kWorkerShapes[] = {{3, 1}, {8, 1}, {5, 2}, kUsualWorkers};

constexpr const char* kItemSection = "8.1.2 Prior of items";
constexpr const char* kWorkerSection = "8.1.3 Prior of workers";

// Densities.

double density(const Shape& shape, double x) {
  const double log_beta =
      std::lgamma(shape.a) + std::lgamma(shape.b) - std::lgamma(shape.a + shape.b);
  return std::exp((shape.a - 1) * std::log(x) + (shape.b - 1) * std::log1p(-x) - log_beta);
}

constexpr int kCells = 200;

/// Densities at the middle of equal cells, where unbounded ones are finite.
Tables density_tables(std::span<const Shape> shapes) {
  Data curve({"panel", "distribution", "x", "density"});
  Data facts({"panel", "distribution", "mean", "above_half"});
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes[i];
    for (int k = 0; k < kCells; ++k) {
      const double x = (k + 0.5) / kCells;
      curve.add({panel_name(i), shape.text(), x, density(shape, x)});
    }
    facts.add({panel_name(i), shape.text(), shape.a / (shape.a + shape.b),
               math::prob_above_half(shape.a, shape.b)});
  }
  return {{"", curve}, {"facts", facts}};
}

std::vector<Picture> density_pictures(const Tables& tables, const std::string& title,
                                      const std::string& x_title) {
  const Data& data = tables.at("");
  figure::PanelFigure figure{title, "", {}, 2};
  for (const std::string& panel : data.values("panel")) {
    const std::string shape = data.text(data.where({{"panel", panel}}).front(), "distribution");
    figure.panels.push_back(figure::CurvePanel{
        fmt::format("{} {}", panel, shape),
        x_title,
        "density",
        {{"", "opt-kg", points(data, {{"panel", panel}}, "x", "density"), true}}});
  }
  return {{"", figure}};
}

/// The share of a panel's distribution between two values, summed over its cells.
double mass(const Tables& tables, const std::string& panel, double from, double to) {
  const Data& data = tables.at("");
  double inside = 0, all = 0;
  for (const std::size_t row : data.where({{"panel", panel}})) {
    const double x = data.number(row, "x"), part = data.number(row, "density");
    all += part;
    if (x > from && x < to) inside += part;
  }
  return inside / all;
}

double fact_in(const Tables& tables, const char* panel, const char* column = "above_half") {
  const Data& data = tables.at("facts");
  return data.number(data.only({{"panel", panel}}), column);
}

std::vector<Claim> item_density_claims(const Tables& tables) {
  const double easy = mass(tables, "(a)", 0.25, 0.75), hard = mass(tables, "(b)", 0.25, 0.75),
               some = fact_in(tables, "(c)"), most = fact_in(tables, "(d)");
  return {
      {"(a) has more easy items than the uniform distribution, (b) more ambiguous ones.",
       fact(easy < 0.5 && hard > 0.5),
       fmt::format(
           "share of soft labels from 0.25 to 0.75: {:.2f} in (a), {:.2f} in (b), 0.50 if uniform",
           easy, hard)},
      {"(c) and (d) are imbalanced: more items are positive.", fact(some > 0.5 && most > some),
       fmt::format("{:.4f} of the items in (c), {:.4f} in (d)", some, most)}};
}

std::vector<Claim> worker_density_claims(const Tables& tables) {
  bool reliable = true;
  std::string numbers;
  for (const char* panel : {"(a)", "(b)", "(c)", "(d)"}) {
    const double share = fact_in(tables, panel);
    reliable = reliable && share > 0.5;
    numbers += fmt::format("{}{:.3f} {}", numbers.empty() ? "" : ", ", share, panel);
  }
  return {{"All of them have more reliable workers than unreliable ones.", fact(reliable),
           fmt::format("share of workers above 0.5: {}", numbers)},
          {"Under the prior (d) workers are right four times in five.",
           fact(std::abs(fact_in(tables, "(d)", "mean") - 0.8) < 1e-12), "mean 0.8"}};
}

Study density_study(const char* label, std::vector<std::string> panels, const char* section,
                    const std::string& title, const std::string& caption,
                    const std::string& x_title, std::span<const Shape> shapes,
                    std::vector<Claim> (*claims)(const Tables&)) {
  return {
      .label = label,
      .other_labels = std::move(panels),
      .section = section,
      .title = title,
      .caption = caption,
      .parameters = {{"drawn at", fmt::format("the middle of {} cells", kCells)}},
      .parts = {{"all", 1, 0,
                 [=](const Settings&, Meter&) -> Result<Tables> {
                   return density_tables(shapes);
                 }}},
      .pictures = [=](const Tables& tables) { return density_pictures(tables, title, x_title); },
      .claims = claims};
}

// Opt-KG with the usual prior and with the true prior.

/// Two experiments that differ in the prior alone.
Result<Tables> prior_tables(std::size_t panel, const sim::Experiment& usual,
                            const sim::Experiment& true_one, Meter& meter) {
  Contest contest(panel_name(panel), "true prior");
  TRY(contest.play(meter, 0.5, usual, "usual prior"));
  TRY(contest.play(meter, 0.5, true_one, "true prior"));
  contest.tell_lead("true prior", "usual prior");
  return contest.tables();
}

/// `usual` is the prior that is not the true one, in words.
std::vector<Picture> prior_pictures(const Tables& tables, std::span<const Shape> shapes,
                                    const std::string& title, const std::string& usual) {
  figure::PanelFigure figure{title, "bands: ± one standard error", {}, 2};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    figure.panels.push_back(
        accuracy_panel(tables, panel_name(i), fmt::format("{} {}", panel_name(i), shapes[i].text()),
                       {{"usual prior", "Opt-KG with the " + usual, "usual prior"},
                        {"true prior", "Opt-KG with the true prior", "true prior"}}));
  }
  return {{"", figure}};
}

/// Accuracies this close count as similar.
constexpr double kSimilar = 0.01;

Claim similar_claim(const std::string& text, const Estimate& lead, const char* ahead,
                    const char* remark = "") {
  return {text, within(lead, kSimilar),
          fmt::format("the {} is ahead by {} averaged over the budgets (criterion: at most {})",
                      ahead, estimate_text(lead), kSimilar),
          remark};
}

/// One claim for each of the first three panels.
std::vector<Claim> similar_claims(const Tables& tables, std::span<const Shape> shapes,
                                  const std::string& usual) {
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < 3; ++i) {
    claims.push_back(similar_claim(
        fmt::format("{} With the {} Opt-KG does about as well as with the true prior, {}.",
                    panel_name(i), usual, shapes[i].text()),
        lead_in(tables, panel_name(i), "true prior", "usual prior"), "true prior"));
  }
  return claims;
}

Claim catching_up_claim(const Tables& tables) {
  const Data& data = tables.at("");
  // The paper's "needs at least 16K": behind before that, level from there on.
  Verdict behind = Verdict::holds, level = Verdict::holds;
  double last_behind = 0, last_ahead = 0;
  for (const std::size_t row : data.where({{"panel", "(d)"}, {"policy", "usual prior"}})) {
    const double labels = data.number(row, "labels_per_item");
    const Estimate gap = data.estimate(row, "lead");
    if (gap.low() > 0) last_behind = labels;
    if (gap.mean > kLevel) last_ahead = labels;
    if (labels <= 10) behind = all_of({behind, above(gap)});
    if (labels >= 16) level = all_of({level, within(gap, 2.5 * kLevel)});
  }
  const auto at = [&](const char* labels) {
    return estimate_text(estimate_at(tables, "lead", "(d)", "usual prior", labels));
  };
  return {
      "(d) With the uniform prior and items from Beta(4,1), Opt-KG is behind and needs about 16K "
      "labels to catch up.",
      all_of({behind, level}),
      fmt::format("behind by {} at 2K, {} at 5K, {} at 10K, {} at 16K, {} at 20K; significantly up "
                  "to {:g}K, by more than {} up to {:g}K (criterion: behind from 2K to 10K, within "
                  "{} from 16K on)",
                  at("2"), at("5"), at("10"), at("16"), at("20"), last_behind, kLevel, last_ahead,
                  2.5 * kLevel)};
}

Study item_prior_study() {
  return {.label = "fig:prior_task",
          .other_labels = {"fig:prior_task_05_05", "fig:prior_task_2_2", "fig:prior_task_2_1",
                           "fig:prior_task_4_1_1"},
          .section = kItemSection,
          .title = "The cost of a wrong prior of items",
          .caption =
              "Opt-KG with the uniform prior and Opt-KG with the true distribution of soft labels, "
              "on the same items and labels.",
          .parameters = {{"items", "K = 50"},
                         {"soft labels", "Beta(0.5,0.5), Beta(2,2), Beta(2,1), Beta(4,1)"},
                         {"prior", "Beta(1,1) or the true prior"},
                         {"budgets", "2K, 3K, ..., 20K"},
                         {"policy", "opt-kg"},
                         ties_parameter()},
          .by_hand = "allot simulate --truth beta:4,1 --budget 2x..20x --policy opt-kg",
          .random = true,
          .parts = panel_parts(std::vector<double>(4, 2), 0.9,
                               [](std::size_t panel, const Settings& settings, Meter& meter) {
                                 const Shape& shape = kItemShapes[panel];
                                 return prior_tables(
                                     panel, alike(settings, shape, kUniform, {"opt-kg"}),
                                     alike(settings, shape, shape, {"opt-kg"}), meter);
                               }),
          .pictures =
              [](const Tables& tables) {
                return prior_pictures(tables, kItemShapes,
                                      "The cost of a wrong prior of items for Opt-KG",
                                      "uniform prior");
              },
          .claims =
              [](const Tables& tables) {
                std::vector<Claim> claims = similar_claims(tables, kItemShapes, "uniform prior");
                claims.push_back(catching_up_claim(tables));
                return claims;
              }};
}

Study worker_prior_study() {
  return {
      .label = "fig:prior_worker",
      .other_labels = {"fig:prior_worker_3_1", "fig:prior_worker_8_1", "fig:prior_worker_5_2"},
      .section = kWorkerSection,
      .title = "The cost of a wrong prior of workers",
      .caption =
          "Opt-KG with the prior Beta(4,1) for every worker's reliability and Opt-KG with the true "
          "distribution of reliabilities. (The paper's captions say theta but mean rho.)",
      .parameters = {{"items", "K = 50, soft labels Beta(1,1), prior Beta(1,1)"},
                     {"workers", "M = 100, each asked at most once about an item"},
                     {"reliabilities", "Beta(3,1), Beta(8,1), Beta(5,2)"},
                     {"worker prior", "Beta(4,1) or the true prior"},
                     {"budgets", "2K, 3K, ..., 20K"},
                     {"policy", "opt-kg over pairs, one pass"},
                     ties_parameter()},
      .by_hand =
          "allot simulate --workers 100 --worker-truth beta:3,1 --budget 2x..20x --policy opt-kg",
      .random = true,
      .parts = panel_parts(std::vector<double>(3, 5), 150,
                           [](std::size_t panel, const Settings& settings, Meter& meter) {
                             const Shape& shape = kWorkerShapes[panel];
                             return prior_tables(
                                 panel, differing(settings, shape, kUsualWorkers, {"opt-kg"}),
                                 differing(settings, shape, shape, {"opt-kg"}), meter);
                           }),
      .pictures =
          [](const Tables& tables) {
            return prior_pictures(tables, std::span(kWorkerShapes).first(3),
                                  "The cost of a wrong prior of workers for Opt-KG",
                                  "prior Beta(4,1)");
          },
      .claims =
          [](const Tables& tables) {
            return similar_claims(tables, kWorkerShapes, "prior Beta(4,1)");
          }};
}

// The remark that opens the experiments: three uninformative priors are alike.

Result<Tables> neutral_tables(const Settings& settings, Meter& meter) {
  Contest contest("", "uniform prior");
  const std::pair<const char*, Shape> kPriors[] = {
      {"uniform prior", kUniform}, {"Jeffreys", {0.5, 0.5}}, {"Haldane", {0, 0}}};
  for (const auto& [name, prior] : kPriors)
    TRY(contest.play(meter, 1.0 / 3, alike(settings, kUniform, prior, {"opt-kg"}), name));
  contest.tell_lead("uniform prior", "Jeffreys");
  contest.tell_lead("uniform prior", "Haldane");
  return contest.tables();
}

Study neutral_prior_study() {
  return {
      .label = "sec:exp",
      .section = "8 Experiments",
      .title = "Three uninformative priors",
      .caption =
          "Opt-KG with the uniform, Jeffreys' and Haldane's prior where soft labels are uniform. "
          "The paper says that they perform alike, and has no figure for it.",
      .parameters = {{"items", "K = 50, soft labels Beta(1,1)"},
                     {"prior", "Beta(1,1), Beta(0.5,0.5) or Beta(0,0)"},
                     {"budgets", "2K, 3K, ..., 20K"},
                     {"policy", "opt-kg"},
                     ties_parameter()},
      .by_hand = "allot simulate --prior haldane --budget 2x..20x --policy opt-kg",
      .random = true,
      .parts = {{"all", 2, 1.4, neutral_tables}},
      .pictures = [](const Tables& tables) -> std::vector<Picture> {
        return {{"",
                 {"Opt-KG with three uninformative priors",
                  "bands: ± one standard error",
                  {accuracy_panel(tables, "", "Soft labels uniform",
                                  {{"uniform prior", "Beta(1,1), uniform", "opt-kg"},
                                   {"Jeffreys", "Beta(0.5,0.5), Jeffreys", "usual prior"},
                                   {"Haldane", "Beta(0,0), Haldane", "nlu"}})},
                  1}}};
      },
      .claims = [](const Tables& tables) -> std::vector<Claim> {
        return {
            similar_claim("Jeffreys' prior performs like the uniform prior.",
                          lead_in(tables, "", "uniform prior", "Jeffreys"), "uniform prior"),
            similar_claim("Haldane's prior performs like the uniform prior.",
                          lead_in(tables, "", "uniform prior", "Haldane"), "uniform prior",
                          "Under Beta(0,0) one label makes an item certain: I(1,0) = 1. So R+ is 0 "
                          "as long as an item's labels agree, and Opt-KG then draws among such "
                          "items at random. The paper does not say how it took the limit.")};
      }};
}

}  // namespace

std::vector<Study> neutral_prior_studies() { return {neutral_prior_study()}; }

std::vector<Study> prior_studies() {
  return {
      density_study("fig:beta_task_pdf",
                    {"fig:beta_05_05", "fig:beta_2_2", "fig:beta_2_1", "fig:beta_4_1"},
                    kItemSection, "Densities of soft labels",
                    "The distributions from which soft labels of items are drawn.", "soft label",
                    kItemShapes, item_density_claims),
      item_prior_study(),
      density_study(
          "fig:beta_worker_pdf", {"fig:beta_3_1", "fig:beta_8_1", "fig:beta_5_2", "fig:beta_4_1_1"},
          kWorkerSection, "Densities of reliabilities",
          "The distributions from which reliabilities of workers are drawn; (d) is the prior used.",
          "reliability", kWorkerShapes, worker_density_claims),
      worker_prior_study()};
}

}  // namespace allot::reproduce
