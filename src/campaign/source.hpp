// Where commands and views find their campaign: the engine, or a batch that it is deciding.
//
// The engine takes a lock, catches up with the ledger and commits. A batch does nothing of that: it
// is decided while the engine holds the lock, and commits when all of it is decided.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/try.hpp"
#include "campaign/core.hpp"
#include "campaign/work.hpp"

namespace allot::campaign {

class Source {
 public:
  virtual ~Source() = default;

  virtual const std::string& name() const = 0;
  virtual store::Store& store() = 0;

  /// decide(work), which emits events. From the engine the events are on disk when this succeeds.
  /// `chooses` says whether the decision needs beliefs. `decide` may be called more than once if
  /// what it did was undone.
  virtual Result<void> command(Time now, bool chooses,
                               const std::function<void(Work&)>& decide) = 0;
  /// look(core), up to date.
  virtual Result<void> look(const std::function<void(Core&)>& look) = 0;
  /// The record with that key.
  virtual Result<std::optional<store::Record>> find(std::string_view key) = 0;
  virtual Result<std::string> content(ItemId item) = 0;
};

/// The result of decide(work), or the refusal of the commit; of several results `count` refusals.
template <typename Decide>
auto run_command(Source& source, Time now, Decide decide, std::size_t count = 1,
                 bool chooses = false) -> std::invoke_result_t<Decide, Work&> {
  using Reply = std::invoke_result_t<Decide, Work&>;
  std::optional<Reply> reply;
  const auto kept = source.command(now, chooses, [&](Work& work) { reply.emplace(decide(work)); });
  if (kept) return *std::move(reply);
  if constexpr (requires { typename Reply::error_type; }) {
    return tl::unexpected(kept.error());
  } else {
    return Reply(count, tl::unexpected(kept.error()));
  }
}

/// The result of look(core).
template <typename Look>
auto run_look(Source& source, Look look) -> std::invoke_result_t<Look, Core&> {
  std::optional<std::invoke_result_t<Look, Core&>> seen;
  TRY(source.look([&](Core& core) { seen.emplace(look(core)); }));
  return *std::move(seen);
}

}  // namespace allot::campaign
