#include "allot/campaign/campaign.hpp"

#include "base/try.hpp"
#include "campaign/engine.hpp"
#include "campaign/setup.hpp"
#include "campaign/verify.hpp"

namespace allot::campaign {

Campaign::Campaign(std::unique_ptr<Engine> engine)
    : Commands(*engine), engine_(std::move(engine)) {}
Campaign::~Campaign() = default;

Result<std::unique_ptr<Campaign>> Campaign::create(store::Store& store, std::string name,
                                                   const Options& options, Time now,
                                                   const Setup& setup) {
  if (name.empty()) return fail(ErrorCode::invalid_argument, "a campaign needs a name");
  TRY(check(options));
  auto engine = std::make_unique<Engine>(store, std::move(name));
  TRY(run_command(*engine, now, [&](Work& work) {
    // Refused half way, nothing is kept; the engine is then dropped.
    return begin(work, options, setup).map_error([&](Error error) {
      work.discard();
      return error;
    });
  }));
  return std::unique_ptr<Campaign>(new Campaign(std::move(engine)));
}

Result<std::unique_ptr<Campaign>> Campaign::open(store::Store& store, std::string name) {
  auto engine = std::make_unique<Engine>(store, std::move(name));
  TRY(engine->open());
  return std::unique_ptr<Campaign>(new Campaign(std::move(engine)));
}

const std::string& Campaign::name() const { return engine_->name(); }

Result<void> Campaign::commit(const BatchRequest& request) {
  return engine_->commit({&request, 1}).front();
}

std::vector<Result<void>> Campaign::commit(std::span<const BatchRequest> requests) {
  return engine_->commit(requests);
}

void Campaign::fit_ahead(bool ahead) { engine_->fit_ahead(ahead); }

std::uint64_t Campaign::refits() const { return engine_->refits(); }

Result<Verification> Campaign::verify() {
  return run_look(*engine_, [&](Core& core) {
    return campaign::verify(engine_->store(), engine_->name(), core);
  });
}

Result<void> Campaign::save_snapshot() { return engine_->save_snapshot(); }

}  // namespace allot::campaign
