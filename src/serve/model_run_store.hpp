// Runs of language models in campaigns, in the tables of a server (serve/server_tables.hpp).
//
// A campaign has at most one run, the last one. What a run did is in the ledger; stored here is
// what it needs to go on after the server was killed. Any number of threads may call; changes are
// on disk when a call returns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allot/base/money.hpp"
#include "serve/server_tables.hpp"

namespace allot::serve {

enum class RunState : std::uint8_t { running, stopped, finished, failed };

struct ModelRun {
  std::string campaign = {};
  /// Models of one endpoint, each a worker of that name.
  std::vector<std::string> models = {};
  std::string prompt = {};
  /// Most that the labels of the run may cost; none for the budget of the campaign alone.
  std::optional<Money> cost_cap = {};
  /// Paid for the labels of these models before the run.
  Money spent_before = {};
  RunState state = RunState::running;
  /// Why it ended; empty while it runs, and if somebody stopped it.
  std::string reason = {};
  /// Requests that failed since the run began or the server started, and the last failure.
  std::uint64_t failed = 0;
  std::string trouble = {};
  StoredTime started = {};
  std::optional<StoredTime> ended = {};
};

class ModelRunStore {
 public:
  explicit ModelRunStore(std::unique_ptr<ServerTables> tables) : tables_(std::move(tables)) {}

  /// Replaces the run of the campaign.
  Result<void> begin(const ModelRun& run);
  /// Stores state, reason, failures and end. Does nothing if the campaign was deleted.
  Result<void> end(const ModelRun& run);
  Result<std::optional<ModelRun>> find(const std::string& campaign);
  /// Runs that have not ended.
  Result<std::vector<ModelRun>> running();

 private:
  std::unique_ptr<ServerTables> tables_;
};

}  // namespace allot::serve
