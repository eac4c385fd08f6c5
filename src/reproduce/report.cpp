#include <fmt/format.h>

#include <array>

#include "reproduce/workshop.hpp"

namespace allot::reproduce {
namespace {

/// The texts of states, in the order of State.
constexpr std::array<const char*, 4> kStateTexts{"made", "kept", "needs --data", "not made"};

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

std::string markdown_table(const ShownTable& shown) {
  std::string text = row(shown.header) + "|";
  for (std::size_t i = 0; i < shown.header.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& cells : shown.rows) text += row(cells);
  return text;
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
  if (study.shown_table) text += markdown_table(study.shown_table(outcome.tables)) + "\n";
  ShownTable claims{{"Claim", "Verdict", "Numbers"}, {}};
  for (const Claim& claim : outcome.claims)
    claims.rows.push_back({claim.text, verdict_text(claim), claim.numbers});
  text += markdown_table(claims) + "\n";
  for (const Claim& claim : outcome.claims) {
    if (claim.verdict == Verdict::holds && !claim.remark.empty()) text += claim.remark + "\n\n";
  }
  return text;
}

}  // namespace

void Tally::add(std::span<const Claim> claims) {
  for (const Claim& claim : claims) {
    holds += claim.verdict == Verdict::holds;
    fails += claim.verdict == Verdict::fails;
    unclear += claim.verdict == Verdict::unclear;
  }
}

std::string Tally::text() const {
  std::string text = fmt::format("{} hold{}, {} do{} not hold", holds, holds == 1 ? "s" : "", fails,
                                 fails == 1 ? "es" : "");
  if (unclear > 0) text += fmt::format(", {} need more runs", unclear);
  return text;
}

std::string claims_text(std::span<const Outcome> outcomes) {
  Tally tally;
  for (const Outcome& outcome : outcomes) tally.add(outcome.claims);
  return fmt::format("Of {} claims {}", tally.holds + tally.fails + tally.unclear, tally.text());
}

std::string how_to_get_data() {
  return "The labels are those of Snow, O'Connor, Jurafsky and Ng, Cheap and Fast - But is it "
         "Good? (EMNLP 2008), section 4.3, whose authors released them as rte.standardized.tsv; "
         "the file is also in the public repository edwinrobots/bayesian_combination_tutorial2 "
         "under all_collected_data. Its columns are !amt_worker_ids (worker), orig_id (item), "
         "response (label) and gold (truth). Put two files into a folder: labels.csv with the "
         "header item,worker,label and one row per label, and truth.csv with the header item,truth "
         "and one row per item. Then give the folder with --data.";
}

std::string markdown_report(const Order& order, std::span<const Outcome> outcomes) {
  std::string text = fmt::format(
      "# The paper, reproduced\n\n"
      "Made by `allot reproduce --runs {} --seed {}{}`, allot {}. Every figure and table of the "
      "paper is listed under its label there, with the paper's claims about it and our verdicts. "
      "{}.\n\n"
      "Means are over {} runs (seed {}), with one standard error after ±. Policies are compared "
      "run by run on the same items, workers and labels. A claim about means holds, or does not "
      "hold, if the verdict would be the same with the mean {:g} standard errors lower or higher; "
      "otherwise there are too few runs to tell. Two accuracies are level if they cannot differ by "
      "{}. Indices within a relative 1e-12 of the best are tied; one of them is drawn at random "
      "unless stated otherwise.\n\n"
      "## Differences from the paper\n\nClaims that do not hold:\n\n{}\n"
      "Claims that more runs would decide:\n\n{}\n",
      order.settings.runs, order.settings.seed, order.settings.rte ? " --data DIR" : "",
      order.version, claims_text(outcomes), order.settings.runs, order.settings.seed,
      kStandardErrors, kLevel, listed(outcomes, Verdict::fails),
      listed(outcomes, Verdict::unclear));
  for (const Outcome& outcome : outcomes) text += section(outcome);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

Data manifest(const Order& order, std::span<const Outcome> outcomes) {
  Data data({"label", "state", "version", "runs", "seed", "holds", "does_not_hold", "too_few_runs",
             "parameters", "files"});
  for (const Outcome& outcome : outcomes) {
    Tally tally;
    tally.add(outcome.claims);
    std::string parameters;
    for (const auto& [name, value] : outcome.study->parameters)
      parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : "; ", name, value);
    const bool random = outcome.study->random;
    data.add({outcome.study->label, kStateTexts[static_cast<std::size_t>(outcome.state)],
              order.version, random ? std::to_string(order.settings.runs) : "",
              random ? std::to_string(order.settings.seed) : "", tally.holds, tally.fails,
              tally.unclear, parameters, fmt::format("{}", fmt::join(files_of(outcome), " "))});
  }
  return data;
}

}  // namespace allot::reproduce
