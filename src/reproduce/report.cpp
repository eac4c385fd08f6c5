#include "reproduce/report.hpp"

#include <fmt/format.h>

#include <array>

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
  if (unclear > 0) text += fmt::format(", {} need more runs", unclear);
  return text;
}

std::string how_to_get_data() {
  return "The labels are those of Snow, O'Connor, Jurafsky and Ng, Cheap and Fast - But is it "
         "Good? "
         "(EMNLP 2008), section 4.3, whose authors released them as rte.standardized.tsv; the file "
         "is also in the public repository edwinrobots/bayesian_combination_tutorial2 under "
         "all_collected_data. Its columns are !amt_worker_ids (worker), orig_id (item), response "
         "(label) and gold (truth). Put two files into a folder: labels.csv with the header "
         "item,worker,label and one row per label, and truth.csv with the header item,truth and "
         "one row per item. Then give the folder with --data.";
}

namespace {

/// The texts of states, in the order of State.
constexpr std::array<std::string_view, 4> kStateTexts{"made", "kept", "needs --data", "not made"};

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
    data.add({outcome.study->label,
              std::string(kStateTexts[static_cast<std::size_t>(outcome.state)]), order.version,
              random ? fmt::format("{}", order.settings.runs) : "",
              random ? fmt::format("{}", order.settings.seed) : "", fmt::format("{}", tally.holds),
              fmt::format("{}", tally.fails), fmt::format("{}", tally.unclear), parameters, files});
  }
  return data;
}

}  // namespace allot::reproduce
