#include "cli/campaign_rows.hpp"

namespace allot::cli {

Result<std::vector<std::string>> classes_of(const OpenCampaign& open) {
  return looked_at(open, [](const campaign::State& state) { return state.options().classes; });
}

Result<Sheet> answer_sheet(const OpenCampaign& open) {
  const auto options =
      looked_at(open, [](const campaign::State& state) { return state.options(); });
  if (!options) return tl::unexpected(options.error());
  return open->answers().map([&](const std::vector<campaign::AnswerRow>& answers) {
    Sheet sheet(campaign::answer_columns(*options));
    for (const campaign::AnswerRow& one : answers) {
      sheet.add(campaign::answer_values(one, *options));
    }
    return sheet;
  });
}

Result<Sheet> worker_sheet(const OpenCampaign& open) {
  return open->workers().map([](const std::vector<campaign::WorkerRow>& workers) {
    Sheet sheet(campaign::worker_columns());
    for (const campaign::WorkerRow& one : workers) sheet.add(campaign::worker_values(one));
    return sheet;
  });
}

}  // namespace allot::cli
