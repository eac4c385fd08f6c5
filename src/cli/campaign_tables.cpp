#include "cli/campaign_tables.hpp"

namespace allot::cli {

Result<std::vector<std::string>> classes_of(const OpenCampaign& open) {
  return state_value(open, [](const campaign::State& state) { return state.options().classes; });
}

Result<DataTable> answer_table(const OpenCampaign& open) {
  const auto options =
      state_value(open, [](const campaign::State& state) { return state.options(); });
  if (!options) return tl::unexpected(options.error());
  return open->view().answers().map([&](const std::vector<campaign::AnswerRow>& answers) {
    DataTable table(campaign::answer_columns(*options));
    for (const campaign::AnswerRow& answer : answers) {
      table.add(campaign::answer_values(answer, *options));
    }
    return table;
  });
}

Result<DataTable> worker_table(const OpenCampaign& open) {
  return open->view().workers().map([](const std::vector<campaign::WorkerRow>& workers) {
    DataTable table(campaign::worker_columns());
    for (const campaign::WorkerRow& worker : workers) table.add(campaign::worker_values(worker));
    return table;
  });
}

}  // namespace allot::cli
