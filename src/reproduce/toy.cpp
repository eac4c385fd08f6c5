// The toy example: three items, one label left [CLZ sec:example, sec:DP].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allot/index/knowledge_gradient.hpp"
#include "allot/model/belief.hpp"
#include "allot/policy/exact.hpp"
#include "reproduce/study.hpp"

namespace allot::reproduce {
namespace {

constexpr const char* kBayes = "2.1 Why a Bayesian model is needed";

/// Labels of the three items so far.
constexpr model::Counts kLabels[] = {{2, 0}, {1, 1}, {1, 0}};

/// Chance that the majority of an item's labels is right; a tie is guessed.
double majority_accuracy(const model::Counts& counts, bool positive) {
  if (counts.positive == counts.negative) return 0.5;
  return (counts.positive > counts.negative) == positive ? 1 : 0;
}

/// Accuracy of an item before and after one more label, linear in theta.
struct Improvement {
  double now, if_positive, if_negative;

  double expected(double theta) const { return theta * if_positive + (1 - theta) * if_negative; }
  double gain(double theta) const { return expected(theta) - now; }
};

Improvement improvement(std::size_t item, bool positive) {
  const model::Counts& counts = kLabels[item];
  return {majority_accuracy(counts, positive),
          majority_accuracy(counts.after(Label::positive), positive),
          majority_accuracy(counts.after(Label::negative), positive)};
}

/// "0.5 + 0.5 theta": the line through the values at 0 and 1.
std::string line_text(double at_0, double at_1) {
  const double slope = at_1 - at_0;
  if (slope == 0) return fmt::format("{:g}", at_0);
  const std::string term =
      std::abs(slope) == 1 ? "theta" : fmt::format("{:g} theta", std::abs(slope));
  if (at_0 == 0) return (slope < 0 ? "-" : "") + term;
  return fmt::format("{:g} {} {}", at_0, slope < 0 ? "-" : "+", term);
}

std::vector<Label> labels_of(const model::Counts& counts) {
  std::vector<Label> labels(counts.positive, Label::positive);
  labels.resize(counts.total(), Label::negative);
  return labels;
}

std::string labels_text(const model::Counts& counts) {
  std::string text;
  for (const Label label : labels_of(counts))
    text += fmt::format("{}{}", text.empty() ? "" : ", ", label == Label::positive ? 1 : -1);
  return text;
}

model::Beliefs toy_beliefs() {
  model::Beliefs beliefs(3, model::Prior::uniform());
  for (std::uint32_t item = 0; item < 3; ++item) {
    for (const Label label : labels_of(kLabels[item])) beliefs.record(ItemId{item}, label);
  }
  return beliefs;
}

/// A table with one row per row of the data.
ShownTable shown(const Tables& tables, std::vector<std::string> header,
                 const std::function<std::vector<std::string>(const Data&, std::size_t)>& cells) {
  const Data& data = tables.at("");
  ShownTable table{std::move(header), {}};
  for (std::size_t row = 0; row < data.size(); ++row) table.rows.push_back(cells(data, row));
  return table;
}

// tab:example

Result<Tables> example_tables(const Settings&, Meter&) {
  return policy::accuracy_by_choice(toy_beliefs(), 1).map([](const std::vector<double>& values) {
    Data data({"item", "labels", "accuracy_if_asked"});
    for (std::size_t item = 0; item < 3; ++item)
      data.add({item + 1, labels_text(kLabels[item]), values[item]});
    return Tables{{"", data}};
  });
}

std::vector<Claim> example_claims(const Tables& tables) {
  const Data& data = tables.at("");
  const auto value = [&](std::size_t row) { return data.number(row, "accuracy_if_asked"); };
  return {{"With one label left, the second item is the best to ask (under the uniform prior).",
           fact(value(1) > value(0) && value(1) > value(2)),
           fmt::format("expected accuracy {:.4f}, {:.4f} and {:.4f} if item 1, 2 or 3 is asked",
                       value(0), value(1), value(2))}};
}

Study example() {
  return {.label = "tab:example",
          .section = kBayes,
          .title = "The toy example: which of three items gets the last label?",
          .caption =
              "Three items have five labels between them, and one more can be bought. The last "
              "column is the expected accuracy of the answers if the item is asked, by dynamic "
              "programming under the uniform prior.",
          .parameters = {{"items", "3"}, {"labels left", "1"}, {"prior", "Beta(1,1)"}},
          .by_hand = "allot exact --state 2:0,1:1,1:0 --budget 1",
          .parts = {{"all", 1, 0, example_tables}},
          .shown_table =
              [](const Tables& tables) {
                return shown(tables, {"item", "labels so far", "expected accuracy if asked"},
                             [](const Data& data, std::size_t row) -> std::vector<std::string> {
                               return {
                                   data.text(row, "item"), data.text(row, "labels"),
                                   fmt::format("{:.6f}", data.number(row, "accuracy_if_asked"))};
                             });
              },
          .claims = example_claims};
}

// tab:acc

Result<Tables> improvement_tables(const Settings&, Meter&) {
  Data data({"item", "theta", "now", "if_positive", "if_negative", "expected", "improvement",
             "improvement_at_0", "improvement_at_1"});
  for (std::size_t item = 0; item < 3; ++item) {
    for (const bool positive : {true, false}) {
      const Improvement change = improvement(item, positive);
      data.add({item + 1, positive ? "above 0.5" : "below 0.5", change.now, change.if_positive,
                change.if_negative, line_text(change.expected(0), change.expected(1)),
                line_text(change.gain(0), change.gain(1)), change.gain(0), change.gain(1)});
    }
  }
  return Tables{{"", data}};
}

std::vector<Claim> improvement_claims(const Tables& tables) {
  const Data& data = tables.at("");
  // The paper's last column at theta 0 and 1, row by row.
  constexpr double kPaper[6][2] = {{0, 0}, {0, 0}, {-0.5, 0.5}, {0.5, -0.5}, {-0.5, 0}, {0.5, 0}};
  const auto at_0 = [&](std::size_t row) { return data.number(row, "improvement_at_0"); };
  const auto at_1 = [&](std::size_t row) { return data.number(row, "improvement_at_1"); };
  bool equal = data.size() == 6;
  for (std::size_t row = 0; equal && row < 6; ++row)
    equal = at_0(row) == kPaper[row][0] && at_1(row) == kPaper[row][1];
  return {{"All six rows match the paper.", fact(equal),
           "improvements computed by trying both labels under the majority vote"},
          {"Another label of the first item changes nothing for any theta.",
           fact(at_0(0) == 0 && at_1(0) == 0 && at_0(1) == 0 && at_1(1) == 0),
           "improvement 0 for theta above and below 0.5"},
          {"Another label of the third item does harm if its soft label is above 0.5.",
           fact(at_0(4) < 0),
           fmt::format("improvement {} there, so at 0.75 it is {:.3f}", data.text(4, "improvement"),
                       improvement(2, true).gain(0.75))}};
}

Study improvements() {
  return {.label = "tab:acc",
          .section = kBayes,
          .title = "Change of the accuracy after one more label, for given soft labels",
          .caption =
              "Accuracy of an item's majority vote now, after a label 1 and after a label -1, the "
              "expectation of the two, and the gain. Ties are guessed. The best item depends on "
              "the unknown soft labels.",
          .parameters = {{"aggregation", "majority vote, ties guessed"}, {"labels left", "1"}},
          .parts = {{"all", 1, 0, improvement_tables}},
          .shown_table =
              [](const Tables& tables) {
                return shown(
                    tables,
                    {"item", "theta", "now", "after 1", "after -1", "expected", "improvement"},
                    [](const Data& data, std::size_t row) {
                      std::vector<std::string> cells;
                      for (std::size_t i = 0; i < 7; ++i)
                        cells.push_back(data.text(row, data.columns()[i]));
                      return cells;
                    });
              },
          .claims = improvement_claims};
}

// fig:dec

double gain(std::size_t item, double theta) { return improvement(item, theta > 0.5).gain(theta); }

/// Advantage of asking the third item over the second.
double third_over_second(double theta_2, double theta_3) {
  return gain(2, theta_3) - gain(1, theta_2);
}

/// The place where the sign changes between two values of theta_2.
double boundary(double theta_3, double inside, double outside) {
  for (int i = 0; i < 60; ++i) {
    const double middle = (inside + outside) / 2;
    (third_over_second(middle, theta_3) > 0 ? inside : outside) = middle;
  }
  return (inside + outside) / 2;
}

Result<Tables> boundary_tables(const Settings&, Meter&) {
  Data data({"theta_3", "from", "to"});
  constexpr int kSteps = 100;
  for (int i = 0; i < kSteps; ++i) {
    const double theta_3 = (i + 0.5) / kSteps;
    // At theta_2 near 1/2 a label of the second item gains least.
    const bool third = third_over_second(0.5 + 1e-9, theta_3) > 0;
    data.add({theta_3, third ? boundary(theta_3, 0.5 - 1e-9, 0) : NAN,
              third ? boundary(theta_3, 0.5 + 1e-9, 1) : NAN});
  }
  return Tables{{"", data}};
}

/// Rows with a range in which the third item is the better one to ask.
std::vector<std::size_t> third_rows(const Data& data) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < data.size(); ++row) {
    if (!data.text(row, "from").empty()) rows.push_back(row);
  }
  return rows;
}

std::vector<Picture> boundary_pictures(const Tables& tables) {
  const Data& data = tables.at("");
  figure::Region third{"ask item 3", {}, {0.5, 0.2}, "kg"};
  const double half = 0.5 / static_cast<double>(data.size());
  auto rows = third_rows(data);
  const std::size_t first = rows.front(), last = rows.back();
  for (const char* side : {"to", "from"}) {
    for (const std::size_t row : rows) {
      const double edge = row == first ? -half : row == last ? half : 0;
      third.outline.push_back({data.number(row, side), data.number(row, "theta_3") + edge});
    }
    std::ranges::reverse(rows);
  }
  const figure::Region second{
      "ask item 2", {{0, 0}, {1, 0}, {1, 1}, {0, 1}}, {0.5, 0.75}, "opt-kg"};
  const figure::RegionPanel panel{"Which item gains more from the last label",
                                  "soft label of item 2",
                                  "soft label of item 3",
                                  {0, 1},
                                  {0, 1},
                                  {second, third}};
  return {{"", {"Decision boundary of the toy example", "", {panel}, 1}}};
}

std::vector<Claim> boundary_claims(const Tables& tables) {
  const Data& data = tables.at("");
  double area = 0, error = 0;
  for (const std::size_t row : third_rows(data)) {
    const double width = data.number(row, "to") - data.number(row, "from");
    area += width / static_cast<double>(data.size());
    // The paper: the second item if max(theta_2 - 0.5, 0.5 - theta_2) > 0.5 (1 - theta_3).
    error = std::max(error, std::abs(width - (1 - data.number(row, "theta_3"))));
  }
  return {{"Neither the second nor the third item is better for all soft labels, so there is no "
           "best policy without a prior.",
           fact(area > 0 && area < 1),
           fmt::format("the third item is better on {:.2f} % of the square, the second on {:.2f} %",
                       100 * area, 100 * (1 - area))},
          {"The boundary matches the paper.", fact(error < 1e-9),
           fmt::format("largest deviation of the width of the region of item 3: {:.1e}", error)}};
}

Study decision_boundary() {
  return {.label = "fig:dec",
          .section = kBayes,
          .title = "Decision boundary of the toy example",
          .caption =
              "The item that gains more from the last label, item 2 or item 3, for every pair of "
              "their soft labels. The first item never gains.",
          .parameters = {{"aggregation", "majority vote, ties guessed"},
                         {"boundary", "found by bisection at 100 values of the third soft label"}},
          .parts = {{"all", 1, 0, boundary_tables}},
          .pictures = boundary_pictures,
          .claims = boundary_claims};
}

// tab:toy

Result<Tables> toy_tables(const Settings&, Meter&) {
  Data data({"item", "a", "b", "p_1", "p_2", "R_1", "R_2", "R"});
  const model::Beliefs beliefs = toy_beliefs();
  for (std::uint32_t item = 0; item < 3; ++item) {
    const index::Reward reward = index::reward(beliefs[ItemId{item}]);
    data.add({item + 1, 1 + kLabels[item].positive, 1 + kLabels[item].negative,
              reward.chance_positive, 1 - reward.chance_positive, reward.if_positive,
              reward.if_negative, reward.expected});
  }
  return Tables{{"", data}};
}

/// "3/16" for a number that is one.
std::string fraction(double value) {
  for (int below = 1; below <= 48; ++below) {
    const double above = value * below;
    if (std::abs(above - std::round(above)) < 1e-9) {
      if (below == 1) return fmt::format("{:g}", std::round(above) + 0.0);
      return fmt::format("{:g}/{}", std::round(above), below);
    }
  }
  return fmt::format("{:.6g}", value);
}

ShownTable toy_table(const Tables& tables) {
  return shown(tables, {"item", "(a,b)", "p1", "p2", "R1", "R2", "R"},
               [](const Data& data, std::size_t row) {
                 std::vector<std::string> cells{
                     data.text(row, "item"),
                     fmt::format("({},{})", data.text(row, "a"), data.text(row, "b"))};
                 for (const char* column : {"p_1", "p_2", "R_1", "R_2", "R"})
                   cells.push_back(fraction(data.number(row, column)));
                 return cells;
               });
}

std::vector<Claim> toy_claims(const Tables& tables) {
  const std::vector<std::vector<std::string>> paper = {
      {"1", "(3,1)", "3/4", "1/4", "1/16", "-3/16", "0"},
      {"2", "(2,2)", "1/2", "1/2", "3/16", "3/16", "3/16"},
      {"3", "(2,1)", "2/3", "1/3", "1/8", "-1/4", "0"}};
  const auto value = [&](std::size_t row) { return tables.at("").number(row, "R"); };
  return {{"All rewards match the paper.", fact(toy_table(tables).rows == paper),
           "15 of 15 numbers equal as fractions"},
          {"Only the second item has the largest expected reward.",
           fact(value(1) > value(0) && value(1) > value(2)),
           fmt::format("R = {}, {} and {}", fraction(value(0)), fraction(value(1)),
                       fraction(value(2)))}};
}

Study toy_rewards() {
  return {.label = "tab:toy",
          .section = "3.4 Optimal policy by dynamic programming",
          .title = "Expected rewards in the toy example",
          .caption =
              "Beliefs Beta(a,b) about the three items, the chance of either label, and the gain "
              "in expected accuracy from each label and on average.",
          .parameters = {{"prior", "Beta(1,1)"}},
          .parts = {{"all", 1, 0, toy_tables}},
          .shown_table = toy_table,
          .claims = toy_claims};
}

}  // namespace

std::vector<Study> toy_studies() {
  return {example(), improvements(), decision_boundary(), toy_rewards()};
}

}  // namespace allot::reproduce
