#include <fmt/format.h>

#include "reproduce/report.hpp"

namespace allot::reproduce {
namespace {

/// The text of a table cell: no bars, no line ends.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& content : cells) text += fmt::format(" {} |", cell(content));
  return text + "\n";
}

std::string table(const ShownTable& shown) {
  std::string text = row(shown.header);
  text += "|";
  for (std::size_t i = 0; i < shown.header.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& cells : shown.rows) text += row(cells);
  return text;
}

std::string made_with(const Order& order) {
  return fmt::format("`allot reproduce --runs {} --seed {}{}`, allot {}", order.settings.runs,
                     order.settings.seed, order.settings.rte ? " --data DIR" : "", order.version);
}

/// The claims with a verdict, one line per claim.
std::string listed(std::span<const Outcome> outcomes, Verdict verdict) {
  std::string text;
  for (const Outcome& outcome : outcomes) {
    for (const Claim& claim : outcome.claims) {
      if (claim.verdict != verdict) continue;
      text += fmt::format(
          "- `{}` {} Here: {}.{}{}\n", outcome.study->label, claim.text, claim.numbers,
          claim.enough_runs ? fmt::format(" About {} runs would decide.", *claim.enough_runs) : "",
          claim.remark.empty() ? "" : " " + claim.remark);
    }
  }
  return text.empty() ? "Nothing.\n" : text;
}

std::string section(const Outcome& outcome) {
  const Study& study = *outcome.study;
  std::string text = fmt::format("## {} (`{}`)\n\n", study.title, study.label);
  if (outcome.state == State::no_data)
    return text + "Not made: needs the RTE labels (`--data`).\n\n";
  if (outcome.state == State::absent) return text + "Not made.\n\n";
  text += study.caption + "\n\n";
  if (study.shown_tables) {
    for (const ShownTable& shown : study.shown_tables(outcome.tables)) text += table(shown) + "\n";
  }
  ShownTable claims{{"Claim", "Verdict", "Numbers"}, {}};
  for (const Claim& claim : outcome.claims)
    claims.rows.push_back({claim.text, verdict_text(claim), claim.numbers});
  text += table(claims) + "\n";
  for (const Claim& claim : outcome.claims) {
    if (claim.verdict == Verdict::holds && !claim.remark.empty()) text += claim.remark + "\n\n";
  }
  return text;
}

}  // namespace

std::string markdown_report(const Order& order, std::span<const Outcome> outcomes) {
  Tally tally;
  for (const Outcome& outcome : outcomes) tally.add(outcome.claims);
  std::string text = fmt::format(
      "# The paper, reproduced\n\n"
      "Made by {}. Every figure and table of the paper is listed under its label there, with the "
      "paper's claims about it and our verdicts. Of {} claims {}.\n\n"
      "Means are over {} runs (seed {}), with one standard error after ±. Policies are compared "
      "run by "
      "run on the same items, workers and labels. A claim about means holds, or does not hold, if "
      "the verdict would be the same with the mean {:g} standard errors lower or higher; otherwise "
      "there are too few runs to tell. Two accuracies are level if they cannot differ by {}. "
      "Indices within a relative 1e-12 of the best are tied; one of them is drawn at random unless "
      "stated otherwise.\n\n"
      "## Differences from the paper\n\nClaims that do not hold:\n\n{}\n"
      "Claims that more runs would decide:\n\n{}\n",
      made_with(order), tally.holds + tally.fails + tally.unclear, tally.text(),
      order.settings.runs, order.settings.seed, kStandardErrors, kLevel,
      listed(outcomes, Verdict::fails), listed(outcomes, Verdict::unclear));
  for (const Outcome& outcome : outcomes) text += section(outcome);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace allot::reproduce
