// The commands that change a campaign.
//
// Given to a Campaign, each command is on disk when it returns. Given to a Batch, it holds only if
// the batch is committed (campaign/campaign.hpp).
//
// Callers give the time. Time in the ledger never goes back: where the clock does, events keep the
// time of the last one. Leases that are over end with the next command.
//
// Texts name items, workers and classes; refusals name the value and what is expected. A key names
// a request: the same key again gets the first answer and changes nothing, so a caller that is not
// sure whether a request came through can repeat it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/base/result.hpp"
#include "allot/campaign/types.hpp"
#include "allot/campaign/view.hpp"

namespace allot::campaign {

class Commands {
 public:
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  /// The campaign as these commands have left it.
  CampaignView view() const { return CampaignView(*source_); }

  /// All or none. Ids must be new.
  Result<void> add_items(std::span<const ItemDraft> items, Time now, std::string_view key = {});
  /// Leases up to `count` items to the worker, who joins if unknown. Refused if there is none.
  /// Stop rules come first, here and after answers: they settle items and pause the campaign, by
  /// events with the rule's name. The campaign resumes by itself once they ask for more.
  Result<Handout> next(std::string_view worker, std::uint32_t count, Time now,
                       std::string_view key = {});
  /// Takes each answer on its own: a refused one does not keep out the others. An answer whose
  /// lease has ended is late, and taken if budget and item allow. Another label than before is
  /// refused unless `revise`.
  std::vector<Result<Outcome>> record(std::span<const Answer> answers, Time now,
                                      bool revise = false, std::string_view key = {});
  Result<Outcome> record(const Answer& answer, Time now, bool revise = false,
                         std::string_view key = {}) {
    return record(std::span(&answer, 1), now, revise, key).front();
  }
  /// Labels from elsewhere: they cost nothing and need no lease. Unknown workers join.
  std::vector<Result<Outcome>> import(std::span<const Answer> labels, Time now);
  /// The worker does not want the items and will not get them again. Several items here and below:
  /// all or none.
  Result<void> skip(std::span<const std::string> items, std::string_view worker, Time now,
                    std::string_view key = {});
  Result<void> skip(const std::string& item, std::string_view worker, Time now,
                    std::string_view key = {}) {
    return skip(std::span(&item, 1), worker, now, key);
  }
  /// The worker gives the items back and can get them again.
  Result<void> release(std::span<const std::string> items, std::string_view worker, Time now,
                       std::string_view key = {});
  Result<void> release(const std::string& item, std::string_view worker, Time now,
                       std::string_view key = {}) {
    return release(std::span(&item, 1), worker, now, key);
  }
  /// Ends leases that are over and returns their number. Every other command does it too.
  Result<std::uint32_t> expire(Time now);
  /// Leases nothing until `resume`; answers are still taken.
  Result<void> pause(Time now);
  Result<void> resume(Time now);
  /// Not below what is spent and reserved.
  Result<void> set_budget(Money budget, Time now);
  /// Prices of future leases. Unknown workers join.
  Result<void> set_prices(std::span<const std::pair<std::string, Money>> prices, Time now);
  Result<void> set_price(std::string worker, Money price, Time now) {
    const std::pair priced(std::move(worker), price);
    return set_prices(std::span(&priced, 1), now);
  }
  /// Workers are no longer asked about the items.
  Result<void> settle(std::span<const std::string> items, const std::string& reason, Time now);
  Result<void> settle(const std::string& item, const std::string& reason, Time now) {
    return settle(std::span(&item, 1), reason, now);
  }
  /// For good. Leases end, and answers are no longer taken.
  Result<void> close(std::string reason, Time now);

 protected:
  explicit Commands(Source& source) : source_(&source) {}
  ~Commands() = default;

 private:
  Source* source_;
};

}  // namespace allot::campaign
