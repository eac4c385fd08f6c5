// The versions of a model that an endpoint serves, each a worker of its own.
//
// Endpoints change models behind their names. A reply often names the version that was served, such
// as "gpt-4o-2024-08-06" where "gpt-4o" was asked for. The first version that a model is heard to
// have is that of the worker MODEL. Any other one is a worker MODEL@VERSION, who follows the
// version before (campaign::Commands::set_version) and has its price. All of it is in the ledger,
// so another run finds the same workers.
//
// Cost: one commit per new version.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "allot/campaign/campaign.hpp"

namespace allot::bridge {

/// Puts the commands of a request on disk in one commit; any number of threads call it. The request
/// can be called again before that.
using CampaignCommit = std::function<Result<void>(const campaign::BatchRequest&)>;

/// Workers of the model's versions, in the order in which they joined: the worker of its name, if
/// it has joined, and workers MODEL@VERSION.
std::vector<std::string> version_workers(const campaign::State& state, const std::string& model);

/// Values by model, with the same for all versions of each.
template <typename Value>
std::vector<std::pair<std::string, Value>> for_versions(
    const campaign::State& state, const std::vector<std::pair<std::string, Value>>& by_model) {
  std::vector<std::pair<std::string, Value>> all = by_model;
  for (const auto& [model, value] : by_model) {
    for (const std::string& worker : version_workers(state, model))
      if (worker != model) all.emplace_back(worker, value);
  }
  return all;
}

/// The versions of some models; threads can share it.
class ModelVersions {
 public:
  /// `say` is called with a line about a new version.
  ModelVersions(CampaignCommit commit, std::function<campaign::Time()> clock,
                std::function<void(const std::string&)> say)
      : commit_(std::move(commit)), clock_(std::move(clock)), say_(std::move(say)) {}

  /// Finds the versions of the model that the campaign knows.
  Result<void> find(const campaign::Batch& batch, const std::string& model);
  /// Workers of the model's versions.
  std::vector<std::string> workers(const std::string& model) const;
  /// The worker of the version that the endpoint served last, as far as is known.
  std::string current(const std::string& model) const;
  /// The worker of the version that the endpoint says it served, who joins if the version is new.
  /// Refuses more than five new versions of a model.
  Result<std::string> served(const std::string& model, const std::string& version);

 private:
  struct Served {
    std::vector<std::string> workers;
    std::map<std::string, std::string> by_version;
    std::string current;
    int made = 0;  // by this object
  };
  Served copy_of(const std::string& model) const;
  Result<void> join(const std::string& model, const std::string& version, Served& known);

  /// Does all of it in one commit.
  Result<void> keep(const std::function<Result<void>(campaign::Batch&)>& commands);

  const CampaignCommit commit_;
  const std::function<campaign::Time()> clock_;
  const std::function<void(const std::string&)> say_;
  std::mutex joining_;  // held during a commit
  /// Never held during a commit: inside of one, `find` waits for it.
  mutable std::mutex mutex_;
  std::map<std::string, Served> models_;
};

}  // namespace allot::bridge
