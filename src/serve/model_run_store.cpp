#include "serve/model_run_store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace allot::serve {
namespace {

std::optional<std::int64_t> billionths_of(const std::optional<Money>& money) {
  return money ? std::optional(money->in_billionths()) : std::nullopt;
}

ModelRun run_in(const TableRow& row) {
  ModelRun run{.campaign = row.text(0),
               .prompt = row.text(2),
               .spent_before = Money::billionths(row.number(4)),
               .state = static_cast<RunState>(row.number(5)),
               .reason = row.text(6),
               .failed = static_cast<std::uint64_t>(row.number(7)),
               .trouble = row.text(8),
               .started = row.time(9),
               .ended = row.time_if_any(10)};
  std::istringstream models(row.text(1));
  for (std::string model; std::getline(models, model);) run.models.push_back(model);
  if (!row.is_null(3)) run.cost_cap = Money::billionths(row.number(3));
  return run;
}

}  // namespace

Result<void> ModelRunStore::begin(const ModelRun& run) {
  const std::string models = fmt::format("{}", fmt::join(run.models, "\n"));
  return tables_->transact([&](TableSession& session) -> Result<void> {
    TRY(session.query("DELETE FROM server.model_run WHERE campaign = ?1", run.campaign).run());
    return session
        .query(
            "INSERT INTO server.model_run (campaign, models, prompt, cost_cap, spent_before, state,"
            " reason, failed, trouble, started, ended)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            run.campaign, models, run.prompt, billionths_of(run.cost_cap),
            run.spent_before.in_billionths(), run.state, run.reason, run.failed, run.trouble,
            run.started, run.ended)
        .run();
  });
}

Result<void> ModelRunStore::end(const ModelRun& run) {
  return tables_
      ->query(
          "UPDATE server.model_run SET state = ?2, reason = ?3, failed = ?4, trouble = ?5,"
          " ended = ?6 WHERE campaign = ?1",
          run.campaign, run.state, run.reason, run.failed, run.trouble, run.ended)
      .run();
}

Result<std::optional<ModelRun>> ModelRunStore::find(const std::string& campaign) {
  const auto found = TRY(
      tables_
          ->query("SELECT campaign, models, prompt, cost_cap, spent_before, state, reason, failed,"
                  " trouble, started, ended FROM server.model_run WHERE campaign = ?1",
                  campaign)
          .all(run_in));
  return found.empty() ? std::nullopt : std::optional(found.front());
}

Result<std::vector<ModelRun>> ModelRunStore::running() {
  return tables_
      ->query(
          "SELECT campaign, models, prompt, cost_cap, spent_before, state, reason, failed,"
          " trouble, started, ended FROM server.model_run WHERE state = ?1 ORDER BY campaign",
          RunState::running)
      .all(run_in);
}

}  // namespace allot::serve
