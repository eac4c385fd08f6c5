// The commands that change a campaign.
//
// Given to a Campaign, each command is on disk when it returns. Given to a Batch, it holds only if
// the batch is committed (campaign/campaign.hpp).
//
// Callers give the time. Where their clock goes back a little, events keep the time of the last
// one; where it goes back by more than an hour, it was wrong before, and time starts again from
// there (ClockSetBack). Leases that are over end with the next command.
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

/// Commands that change a campaign, for a Campaign or a Batch.
class Commands {
 public:
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  /// The campaign as these commands have left it.
  CampaignView view() const { return CampaignView(*source_); }

  /// Adds all of the items or, if one is refused, none. Ids must be new.
  Result<void> add_items(std::span<const ItemDraft> items, Time now, std::string_view key = {});
  /// Leases up to `count` items to the worker, who joins if unknown. Refused if there is none.
  /// Stop rules come first, here and after answers: they settle items and pause the campaign, by
  /// events with the rule's name. The campaign resumes by itself once they ask for more.
  Result<Handout> next(std::string_view worker, std::uint32_t count, Time now,
                       std::string_view key = {});
  /// Records each answer on its own: a refused one does not keep out the others. An answer whose
  /// lease has ended is late, and taken if budget and item allow. A label that differs from the
  /// worker's earlier one is refused unless `revise`. With `is_repeat` the caller knows that the
  /// request was handled before: no answer is taken now, even if none left an event under the key.
  std::vector<Result<Outcome>> record(std::span<const Answer> answers, Time now,
                                      bool revise = false, std::string_view key = {},
                                      bool is_repeat = false);
  /// Records one answer, as the call for several answers does.
  Result<Outcome> record(const Answer& answer, Time now, bool revise = false,
                         std::string_view key = {}) {
    return record(std::span(&answer, 1), now, revise, key).front();
  }
  /// Records labels from elsewhere: they cost nothing and need no lease. Unknown workers join.
  std::vector<Result<Outcome>> import(std::span<const Answer> labels, Time now);
  /// Records a label that another tool collected from its people, who hold no leases here. The
  /// caller leases the items that it shows to a worker of its own, the `holder`, whose lease ends
  /// with the label. Without such a lease the label is taken if budget and item allow. It costs the
  /// price of its worker, who joins if unknown. A label that differs from the worker's earlier one
  /// replaces it.
  Result<Outcome> collect(const Answer& answer, std::string_view holder, Time now,
                          std::string_view key = {});
  /// Ends the worker's leases of items that the worker does not want and will not get again. All of
  /// the items or none. The remark can say why. A worker whose reason is kUnsure abstains; `paid`
  /// abstentions cost the price of a label, as the calls of a language model do.
  Result<void> skip(std::span<const std::string> items, std::string_view worker, Time now,
                    std::string_view key = {}, const Remark& remark = {}, bool paid = false);
  /// Skips one item, which the worker will not get again.
  Result<void> skip(const std::string& item, std::string_view worker, Time now,
                    std::string_view key = {}, const Remark& remark = {}, bool paid = false) {
    return skip(std::span(&item, 1), worker, now, key, remark, paid);
  }
  /// Gives the items back; the worker can get them again. All of the items or none.
  Result<void> release(std::span<const std::string> items, std::string_view worker, Time now,
                       std::string_view key = {});
  /// Gives one item back; the worker can get it again.
  Result<void> release(const std::string& item, std::string_view worker, Time now,
                       std::string_view key = {}) {
    return release(std::span(&item, 1), worker, now, key);
  }
  /// Takes back skips of the worker, who can get the items again; for skips that were no
  /// abstentions. All of the items or none. Refuses an item that the worker has not skipped.
  Result<void> unskip(std::span<const std::string> items, std::string_view worker, Time now);
  /// Ends leases that are over and returns their number. Every other command does it too.
  Result<std::uint32_t> expire(Time now);
  /// Makes a recruiting link, or changes its terms. Callers choose an id that cannot be guessed.
  Result<void> set_recruiting(const std::string& link, const RecruitingTerms& terms, Time now);
  /// Finds or begins the session of a participant, who joins as a worker. Refused once the link
  /// takes no more, or if the participant has had all sessions.
  Result<JoinedSession> join(const Arrival& arrival, Time now);
  /// Stops leasing until `resume`; answers are still taken.
  Result<void> pause(Time now);
  /// Leases items again, after a caller or a stop rule paused the campaign. Refused once closed.
  Result<void> resume(Time now);
  /// Changes the budget. Refused below the sum of spent and reserved.
  Result<void> set_budget(Money budget, Time now);
  /// Changes how the campaign believes and decides, from now on; beliefs are made again from all
  /// labels so far. Refuses options that differ from the present ones in anything else
  /// (same_but_for_model).
  Result<void> set_model(const Options& options, Time now);
  /// Changes policy, lease, limits of labels, gold rate or stop rules from now on. Refuses options
  /// that differ from the present ones in anything else (can_change).
  Result<void> set_options(const Options& options, Time now);
  /// Notes in the ledger what workers see from now on; the text is not read. Also after the close.
  Result<void> set_page(const std::string& page, Time now);
  /// Sets the prices of the workers' future leases. Unknown workers join.
  Result<void> set_prices(std::span<const std::pair<std::string, Money>> prices, Time now);
  /// Says which workers err together: their groups, empty for a worker alone. Unknown workers join.
  /// From the first group of two members on, beliefs are pooled ones that know groups
  /// (model/group_views.hpp), and all labels are read again. Also after the campaign is closed.
  Result<void> set_groups(std::span<const std::pair<std::string, std::string>> groups, Time now);
  /// Says which version of a language model a worker is, and which worker was the version before.
  /// A worker who follows another starts from the belief about that one, weakened
  /// (src/campaign/succession.hpp), and has its group and price unless it has its own. An unknown
  /// worker joins; the version before must be known, not excluded, and must not come after the
  /// worker. Refuses to change whom a worker follows once the worker has labels. Makes beliefs
  /// again from all labels.
  Result<void> set_version(const VersionDraft& version, Time now);
  /// Sets the price of one worker's future leases. An unknown worker joins.
  Result<void> set_price(std::string worker, Money price, Time now) {
    const std::pair priced(std::move(worker), price);
    return set_prices(std::span(&priced, 1), now);
  }
  /// Takes the items out of the search: workers are no longer asked about them. All or none.
  Result<void> settle(std::span<const std::string> items, const std::string& reason, Time now);
  /// Settles one item: workers are no longer asked about it.
  Result<void> settle(const std::string& item, const std::string& reason, Time now) {
    return settle(std::span(&item, 1), reason, now);
  }
  /// Records the verdicts of a reviewer, each on its own: a refused one does not keep out the
  /// others. A verdict is the answer of its item from now on. Beliefs follow with the next refit;
  /// in a small campaign, of fewer than 8,800 labels and 40,000 items, that is at once, and once
  /// for all verdicts. Refused on an item whose answer is known, or that the reviewer has labelled
  /// as a worker. Also after the close.
  std::vector<Result<void>> review(std::string_view reviewer,
                                   std::span<const VerdictDraft> verdicts, Time now,
                                   std::string_view key = {});
  /// Takes a verdict back: labels answer the item again. Refused without a verdict. A campaign that
  /// an audit had stopped resumes if the remaining checks no longer prove the accuracy. Those who
  /// gave or took back the verdict do not get the item as workers.
  Result<void> undo_review(std::string_view item, std::string_view reviewer, Time now,
                           std::string_view key = {});
  /// Starts an audit: freezes the answers and draws those that reviewers check. Returns the report
  /// before the first check. Refused without answers, for more checks than there are answers, and,
  /// unless it replaces it, while an earlier audit has verdicts and draws without one. Also after
  /// the close. The rule `certified` then reads the new audit.
  Result<AuditReport> start_audit(const AuditDraft& audit, Time now, std::string_view key = {});
  /// Blocks, excludes or restores a worker, and says why in the ledger. The worker's leases end; a
  /// worker who is not active gets no more items. Labels of an excluded worker no longer count: the
  /// answers are those of a campaign that never had them, and their items can be asked again. What
  /// they cost stays spent. Restoring makes them count again. Also after the close. Refuses an
  /// unknown worker. Costs a refit where labels begin or cease to count.
  Result<void> set_standing(std::string_view worker, Standing standing, const std::string& reason,
                            Time now);
  /// Archives the campaign: leases end, nothing is leased until `unarchive`, and recruiting links
  /// take no new participants. Labels of items that were leased before are still taken. Also after
  /// the close; nothing happens if it is archived.
  Result<void> archive(Time now);
  /// Takes the campaign out of the archive: it is running, paused or closed as before.
  Result<void> unarchive(Time now);
  /// Closes the campaign for good. Leases end, and answers are no longer taken.
  Result<void> close(std::string reason, Time now);

 protected:
  /// Sends the commands to that source, which must outlive this object.
  explicit Commands(Source& source) : source_(&source) {}
  ~Commands() = default;

 private:
  Source* source_;
};

}  // namespace allot::campaign
