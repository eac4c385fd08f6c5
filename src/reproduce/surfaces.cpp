// The surfaces of R+ and R-, and conditional value at risk between them and the mean [CLZ
// fig:cvar_right, fig:cvar, fig:cvar_left].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/index/knowledge_gradient.hpp"
#include "allot/model/belief.hpp"
#include "reproduce/study.hpp"

namespace allot::reproduce {
namespace {

constexpr const char* kSurfaceSection = "4.1 Optimistic knowledge gradient";
constexpr int kLargest = 15;

index::Reward reward_of(int a, int b) { return index::reward(model::beta_outlook(a, b)); }

template <double (*index)(const index::Reward&)>
Result<Tables> surface_tables(const Settings&, Meter&) {
  Data data({"a", "b", "value"});
  for (int a = 1; a <= kLargest; ++a) {
    for (int b = 1; b <= kLargest; ++b) data.add({a, b, index(reward_of(a, b))});
  }
  return Tables{{"", data}};
}

/// The value in a state, from the data.
using Surface = std::function<double(int a, int b)>;

Surface surface_in(const Tables& tables) {
  return [&data = tables.at("")](int a, int b) {
    return data.number(static_cast<std::size_t>((a - 1) * kLargest + b - 1), "value");
  };
}

/// The fact that the test holds for all states (a,b).
template <typename Test>
Verdict everywhere(Test test) {
  for (int a = 1; a <= kLargest; ++a) {
    for (int b = 1; b <= kLargest; ++b) {
      if (!test(a, b)) return Verdict::fails;
    }
  }
  return Verdict::holds;
}

std::vector<Picture> surface_pictures(const Tables& tables, const std::string& name) {
  const Data& data = tables.at("");
  figure::CellPanel cells{fmt::format("{} of every state", name), "a", "b", {}};
  figure::CurvePanel curves{fmt::format("{} for fixed b", name), "a", name, {}};
  for (std::size_t row = 0; row < data.size(); ++row)
    cells.cells.push_back(
        {data.number(row, "a"), data.number(row, "b"), data.number(row, "value")});
  const std::pair<const char*, const char*> kShown[] = {{"1", "first of four"},
                                                        {"2", "second of four"},
                                                        {"4", "third of four"},
                                                        {"8", "fourth of four"}};
  for (const auto& [b, style] : kShown) {
    curves.curves.push_back(
        {fmt::format("b = {}", b), style, points(data, {{"b", b}}, "a", "value")});
  }
  return {{"", {fmt::format("The surface of {}", name), "", {cells, curves}, 2}}};
}

Claim symmetry_claim(const char* name, const Surface& value) {
  const auto symmetric = [&](int a, int b) {
    return std::abs(value(a, b) - value(b, a)) <= 1e-12 * std::abs(value(a, b));
  };
  return {fmt::format("{} is symmetric in a and b.", name), everywhere(symmetric),
          "to a relative 1e-12"};
}

std::vector<Claim> optimistic_claims(const Tables& tables) {
  const Surface value = surface_in(tables);
  const auto positive = [&](int a, int b) { return value(a, b) > 0; };
  const auto falls = [&](int a, int b) {
    return a < b || a == kLargest || value(a + 1, b) < value(a, b);
  };
  const auto values = points(tables.at(""), {}, "a", "value");
  const double smallest = std::ranges::min(values, {}, &figure::Point::y).y;
  return {
      {"R+ is positive in every state, so no item is ever abandoned.", everywhere(positive),
       fmt::format("smallest of {} values {:.2e}", kLargest * kLargest, smallest)},
      symmetry_claim("R+", value),
      {"With the smaller count fixed, R+ falls as the larger one grows.", everywhere(falls),
       fmt::format("in all states up to {}", kLargest)},
      {"R+ goes to 0 with more labels, even along ties.",
       fact(value(kLargest, kLargest) < 0.4 * value(1, 1) &&
            std::abs(value(kLargest, kLargest) * std::sqrt(kLargest) * 2 * std::sqrt(M_PI) - 1) <
                0.05),
       fmt::format("R+(1,1) = {:g}, R+({},{}) = {:.4f}, which is 0.5 / sqrt(pi a) to a few percent",
                   value(1, 1), kLargest, kLargest, value(kLargest, kLargest))}};
}

std::vector<Claim> pessimistic_claims(const Tables& tables) {
  const Surface value = surface_in(tables);
  const auto ties_alone = [&](int a, int b) { return (value(a, b) > 0) == (a == b); };
  const auto rises_beside = [&](int a, int b) {
    return a != b + 1 || a == kLargest || value(a + 1, b + 1) > value(a, b);
  };
  const auto rises = [&](int a, int b) {
    return a <= b || a == kLargest || value(a + 1, b) > value(a, b);
  };
  const auto lowest = [&](int a, int b) { return a + b == 3 || value(a, b) > value(2, 1); };
  return {
      {"R- is positive exactly where a = b.", everywhere(ties_alone),
       fmt::format("{} states, positive in the {} on the diagonal", kLargest * kLargest, kLargest)},
      symmetry_claim("R-", value),
      {"R-(b+1,b) rises with b.", everywhere(rises_beside),
       fmt::format("from {:g} at (2,1) to {:.4f} at ({},{})", value(2, 1),
                   value(kLargest, kLargest - 1), kLargest, kLargest - 1)},
      {"For a above b and b fixed, R- rises with a.", everywhere(rises),
       fmt::format("in all states up to {}", kLargest)},
      {"R- is lowest at (2,1) and (1,2).", everywhere(lowest),
       fmt::format("R-(2,1) = {:g}", value(2, 1)),
       "So a pessimist never asks for a second label of an item, as the appendix says."}};
}

Study optimistic_surface() {
  return {.label = "fig:cvar_right",
          .section = kSurfaceSection,
          .title = "The optimistic reward R+",
          .caption =
              "R+(a,b), the larger of the two possible gains in expected accuracy from one label "
              "of an item with belief Beta(a,b): dark is large (shades follow the root of the "
              "value). Opt-KG asks about the item where it is largest.",
          .parameters = {{"states", fmt::format("a and b from 1 to {}", kLargest)}},
          .parts = {{"all", 1, 0, surface_tables<index::opt_kg>}},
          .pictures = [](const Tables& tables) { return surface_pictures(tables, "R+"); },
          .claims = optimistic_claims};
}

Study pessimistic_surface() {
  Study study = optimistic_surface();
  study.label = "fig:cvar_left";
  study.section = "Appendix: the pessimistic policy";
  study.title = "The pessimistic reward R-";
  study.caption =
      "R-(a,b), the smaller of the two rewards: blue with a dot where it is positive, which is on "
      "the diagonal, orange where it is negative.";
  study.parts.front().compute = surface_tables<index::pessimistic_kg>;
  study.pictures = [](const Tables& tables) { return surface_pictures(tables, "R-"); };
  study.claims = pessimistic_claims;
  return study;
}

// fig:cvar

constexpr double kShare = 0.2;
constexpr int kStates[][2] = {{2, 2}, {2, 1}, {3, 1}};

double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }
double normal_above(double x) { return std::erfc(x / std::sqrt(2.0)) / 2; }

/// The value above which a share of a standard normal reward lies.
double value_at_risk(double share) {
  double low = -10, high = 10;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (normal_above(middle) > share ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// The best q of the linear program, tried at the ends of its range.
double by_linear_program(const index::Reward& reward, double alpha) {
  const double p = reward.chance_positive;
  const double least = std::max(0.0, 1 - (1 - p) / alpha), most = std::min(1.0, p / alpha);
  const auto value = [&](double q) {
    return q * reward.if_positive + (1 - q) * reward.if_negative;
  };
  return std::max(value(least), value(most));
}

Result<Tables> cvar_tables(const Settings&, Meter&) {
  Data density({"reward", "density", "beyond"});
  const double risk = value_at_risk(kShare);
  for (int i = -60; i <= 60; ++i) {
    const double x = i * 0.05;
    density.add({x, normal_density(x), x >= risk ? "1" : "0"});
  }
  Data levels({"name", "value"});
  levels.add({"VaR", risk});
  levels.add({"CVaR", normal_density(risk) / kShare});
  Data states({"a", "b", "alpha", "cvar", "linear_program", "mean", "max", "chance_of_better"});
  for (const auto& [a, b] : kStates) {
    const index::Reward reward = reward_of(a, b);
    const double better = reward.if_positive >= reward.if_negative ? reward.chance_positive
                                                                   : 1 - reward.chance_positive;
    for (int i = 1; i <= 100; ++i) {
      const double alpha = i / 100.0;
      states.add({a, b, alpha, index::cvar_kg(reward, alpha), by_linear_program(reward, alpha),
                  index::kg(reward), index::opt_kg(reward), better});
    }
  }
  return Tables{{"", states}, {"density", density}, {"levels", levels}};
}

std::vector<Picture> cvar_pictures(const Tables& tables) {
  const Data &density = tables.at("density"), &levels = tables.at("levels");
  figure::CurvePanel first{
      "(a) CVaR is the mean of the best outcomes",
      "reward",
      "density",
      {{"density of a reward", "first of four", points(density, {}, "reward", "density")},
       {fmt::format("its best {:.0f} %", 100 * kShare), "tail",
        points(density, {{"beyond", "1"}}, "reward", "density"), true}}};
  for (std::size_t row = 0; row < levels.size(); ++row) {
    const double x = levels.number(row, "value");
    const std::string name = levels.text(row, "name");
    first.curves.push_back(
        {name, name == "VaR" ? "gittins" : "paper", {{x, 0}, {x, normal_density(x) + 0.05}}});
  }
  figure::CurvePanel second{"(b) CVaR of an item's next reward", "alpha", "CVaR", {}};
  const char* kStyles[] = {"second of four", "third of four", "fourth of four"};
  for (const auto& [a, b] : kStates) {
    second.curves.push_back(
        {fmt::format("Beta({},{})", a, b), kStyles[second.curves.size()],
         points(tables.at(""), {{"a", std::to_string(a)}, {"b", std::to_string(b)}}, "alpha",
                "cvar")});
  }
  return {{"", {"Conditional value at risk", "", {first, second}, 2}}};
}

std::vector<Claim> cvar_claims(const Tables& tables) {
  const Data& data = tables.at("");
  bool program = true, mean = true, most = true, falls = true, half = true;
  for (std::size_t row = 0; row < data.size(); ++row) {
    const double value = data.number(row, "cvar"), alpha = data.number(row, "alpha");
    program = program && std::abs(value - data.number(row, "linear_program")) < 1e-12;
    if (alpha == 1) mean = mean && std::abs(value - data.number(row, "mean")) < 1e-12;
    if (alpha == 0.01) most = most && value == data.number(row, "max");
    if (alpha <= 0.5) half = half && std::abs(value - data.number(row, "max")) < 1e-12;
    if (row > 0 && data.number(row - 1, "alpha") < alpha)
      falls = falls && value <= data.number(row - 1, "cvar") + 1e-12;
  }
  return {{"CVaR solves the paper's linear program.", fact(program),
           fmt::format("{} values of alpha in {} states, to 1e-12", 100, std::size(kStates))},
          {"With alpha = 1 CVaR is the expected reward (KG), towards 0 the larger reward (Opt-KG), "
           "and it falls in between.",
           fact(mean && most && falls), "equal at both ends, no rise in between",
           half ? "In states with whole counts the better label has a chance of at least one half. "
                  "So up to alpha = 0.5 CVaR equals Opt-KG, and alpha matters only above that."
                : ""}};
}

Study cvar() {
  return {
      .label = "fig:cvar",
      .section = kSurfaceSection,
      .title = "Conditional value at risk of a reward",
      .caption = fmt::format("(a) A reward with a normal density: the best {:.0f} % begin at the "
                             "value at risk, and CVaR is their mean. (b) CVaR of the two-point "
                             "reward of an item's next label, from the larger reward to the mean.",
                             100 * kShare),
      .parameters = {{"share in (a)", fmt::format("alpha = {:g}", kShare)},
                     {"states in (b)", "Beta(2,2), Beta(2,1), Beta(3,1)"}},
      .parts = {{"all", 1, 0, cvar_tables}},
      .pictures = cvar_pictures,
      .claims = cvar_claims};
}

}  // namespace

std::vector<Study> surface_studies() { return {optimistic_surface(), cvar()}; }
std::vector<Study> pessimistic_surface_studies() { return {pessimistic_surface()}; }

}  // namespace allot::reproduce
