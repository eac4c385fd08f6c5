#include "bridge/model_versions.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "base/try.hpp"

namespace allot::bridge {
namespace {

/// An endpoint that names more in one run does not name versions.
constexpr int kMostNewVersions = 5;

}  // namespace

std::vector<std::string> version_workers(const campaign::State& state, const std::string& model) {
  std::vector<std::string> workers;
  for (std::uint32_t j = 0; j < state.worker_count(); ++j) {
    const std::string &name = state.name(WorkerId{j}), &version = state[WorkerId{j}].version;
    if (name == model || (!version.empty() && name == model + "@" + version))
      workers.push_back(name);
  }
  return workers;
}

Result<void> ModelVersions::keep(const std::function<Result<void>(campaign::Batch&)>& commands) {
  Result<void> kept;
  TRY(commit_([&](campaign::Batch& batch) { kept = commands(batch); }));
  return kept;
}

Result<void> ModelVersions::find(const campaign::Batch& batch, const std::string& model) {
  const std::scoped_lock lock(mutex_);
  Served& known = models_[model] = {};
  return batch.view().read([&](const campaign::State& state) {
    known.workers = version_workers(state, model);
    for (const std::string& worker : known.workers) {
      const std::string& version = state[*state.find_worker(worker)].version;
      if (!version.empty()) known.by_version[version] = worker;
    }
    if (known.workers.empty()) known.workers.push_back(model);
    known.current = known.workers.back();
  });
}

std::vector<std::string> ModelVersions::workers(const std::string& model) const {
  const std::scoped_lock lock(mutex_);
  return models_.at(model).workers;
}

std::string ModelVersions::current(const std::string& model) const {
  const std::scoped_lock lock(mutex_);
  return models_.at(model).current;
}

ModelVersions::Served ModelVersions::copy_of(const std::string& model) const {
  const std::scoped_lock lock(mutex_);
  return models_.at(model);
}

Result<std::string> ModelVersions::served(const std::string& model, const std::string& version) {
  const std::scoped_lock one_at_a_time(joining_);
  Served known = copy_of(model);
  if (const auto found = known.by_version.find(version); found != known.by_version.end()) {
    known.current = found->second;
  } else if (known.by_version.empty()) {
    TRY(keep([&](campaign::Batch& batch) {
      return batch.set_version({known.current, version}, clock_());
    }));
    known.by_version[version] = known.current;
  } else {
    TRY(join(model, version, known));
  }
  const std::scoped_lock lock(mutex_);
  models_[model] = known;
  return known.current;
}

Result<void> ModelVersions::join(const std::string& model, const std::string& version,
                                 Served& known) {
  if (known.made == kMostNewVersions) {
    return invalid(
        "the endpoint names version {} of model {}, after {} other new ones in this run; expected "
        "fewer, or allot work --one-version if these are no versions",
        in_quotes(for_display(version, 80)), in_quotes(model), kMostNewVersions);
  }
  const std::string worker = model + "@" + version, before = known.current;
  TRY(keep([&](campaign::Batch& batch) {
    return batch.set_version({worker, version, before}, clock_());
  }));
  ++known.made;
  known.by_version[version] = worker;
  known.workers.push_back(worker);
  known.current = worker;
  say_(fmt::format("the endpoint now serves {} as {}: worker {} follows {}", model,
                   in_quotes(version), in_quotes(worker), in_quotes(before)));
  return {};
}

}  // namespace allot::bridge
