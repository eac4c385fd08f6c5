#include "reproduce/report.hpp"

#include <fmt/format.h>

namespace allot::reproduce {

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
  if (unclear > 0) text += fmt::format(", {} cannot be told with so few runs", unclear);
  return text;
}

std::string how_to_get_data() {
  return "The labels are those of Snow, O'Connor, Jurafsky and Ng, Cheap and Fast - But is it "
         "Good? "
         "(EMNLP 2008), section 4.3, whose authors released them as rte.standardized.tsv; the file "
         "is also in the public repository edwinrobots/bayesian_combination_tutorial2 under "
         "all_collected_data. Its columns are !amt_worker_ids (worker), orig_id (item), response "
         "(label) and gold (truth). Put two files into a folder: labels.csv with a line "
         "item,worker,label and a row a label, and truth.csv with a line item,truth and a row an "
         "item; then give the folder with --data.";
}

namespace {

std::string state_text(State state) {
  switch (state) {
    case State::made:
      return "made";
    case State::kept:
      return "kept";
    case State::no_data:
      return "needs --data";
    default:
      return "not made";
  }
}

}  // namespace

Data manifest(const Order& order, std::span<const Outcome> outcomes) {
  Data data({"label", "state", "version", "runs", "seed", "holds", "does_not_hold", "too_few_runs",
             "parameters", "files"});
  for (const Outcome& outcome : outcomes) {
    Tally tally;
    tally.add(outcome.claims);
    std::string parameters, files;
    for (const auto& [name, value] : outcome.study->parameters)
      parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : "; ", name, value);
    for (const auto& names : {picture_files(outcome), data_files(outcome)}) {
      for (const std::string& name : names) files += (files.empty() ? "" : " ") + name;
    }
    const bool random = outcome.study->random;
    data.add({outcome.study->label, state_text(outcome.state), order.version,
              random ? fmt::format("{}", order.settings.runs) : "",
              random ? fmt::format("{}", order.settings.seed) : "", fmt::format("{}", tally.holds),
              fmt::format("{}", tally.fails), fmt::format("{}", tally.unclear), parameters, files});
  }
  return data;
}

}  // namespace allot::reproduce
