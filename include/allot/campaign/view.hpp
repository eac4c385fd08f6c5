// A campaign as it stands: status, answers, workers, explanations, events.
//
//   campaign->view().status()   what is on disk, with everything that other processes appended
//   batch.view().status()       the same with the commands of the batch so far
//
// A view is a handle of one pointer: copy it freely, but not beyond the campaign or batch it comes
// from. Views of a campaign can be used by any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "allot/base/result.hpp"
#include "allot/campaign/types.hpp"

namespace allot::campaign {

class Source;

/// A campaign, or a batch so far, to read from.
class CampaignView {
 public:
  /// A view of that source, which must outlive it.
  explicit CampaignView(Source& source) : source_(&source) {}

  /// Summary of the campaign. With many items, the bound takes most of the time, and a last refit
  /// takes as long as `answers`.
  Result<Status> status(bool with_bound = true, Beliefs which = Beliefs::present) const;
  /// Present beliefs of all items, without a last refit: one pass over the items.
  Result<Board> board() const;
  /// Beliefs about an item after each of these labels, if beliefs about workers and other items
  /// were as they are now; the last is the present belief. Empty for a gold item, and for soft
  /// labels, where an item is more than a class.
  Result<std::vector<std::vector<double>>> belief_history(
      ItemId item, std::span<const WorkerLabel> labels) const;
  /// Answers to all items except gold, in order, after a last refit to all labels.
  Result<std::vector<AnswerRow>> answers() const;
  /// The answers from which the campaign learns what stated probabilities are worth.
  Result<KnownCalibration> known_calibration() const;
  /// Labelled items without a known answer, in the order in which a reviewer should look at them:
  /// draws of the audit first. At most `count`. Ties go to the less certain answer, then to the
  /// earlier item.
  Result<std::vector<ReviewItem>> review_queue(std::uint32_t count,
                                               ReviewOrder order = ReviewOrder::uncertain) const;
  /// What the latest audit proves so far; nothing if there was none.
  Result<std::optional<AuditReport>> audit() const;
  /// Draws of the latest audit that wait for a verdict, in order, at most `count`: of a fixed
  /// number all of them, else those that come next until the target is proven.
  Result<std::vector<std::string>> audit_draws(std::size_t count) const;
  /// All workers in the order in which they joined, with their reliability.
  Result<std::vector<WorkerRow>> workers() const;
  /// The worker's labels by the answers of their items, which are known for gold items and after a
  /// verdict. Refuses an unknown worker. O(items + labels).
  Result<Confusion> confusion(std::string_view worker) const;
  /// The labels from which the errors of groups are measured, and what is believed of their items.
  /// Costs a refit if a worker belongs to a group; empty if none does.
  Result<GroupLabels> group_labels() const;
  /// One row per kind of worker: groups in the order of their first members, then workers outside
  /// groups. Kinds without a worker are left out. O(labels).
  Result<std::vector<KindRow>> kinds() const;
  /// The labels from which the agreement of workers is measured. O(items + labels).
  Result<AgreementLabels> agreement_labels() const;
  /// All sessions of participants, in the order in which they began.
  Result<std::vector<SessionRow>> sessions() const;
  /// The items that a worker has leased.
  Result<std::vector<Assignment>> leases(std::string_view worker) const;
  /// Labels and beliefs of an item; with a worker, also the value of asking that worker.
  Result<Explanation> explain(std::string_view item, std::string_view worker = {}) const;
  /// The items that the worker would get now, best first, at most `count`; without leased ones.
  Result<std::vector<RankedItem>> ranking(std::string_view worker, std::uint32_t count) const;
  /// The worker to ask next and the item to ask about, for callers that can choose: the payable
  /// pair with the most gain per price. Nothing if there is no such pair.
  Result<std::optional<std::pair<std::string, std::string>>> whom_next() const;
  /// Whether a request with that key left an event.
  Result<bool> knows(std::string_view key) const;
  /// The worker who got items by the request with that key, if there was one.
  Result<std::optional<std::string>> handed_under(std::string_view key) const;
  /// The fields of an item, as its draft had them.
  Result<std::string> content(ItemId item) const;

  /// visit(state) under a lock; returns what `visit` returns. `visit` must not use the campaign.
  template <typename Visit>
  auto read(Visit visit) const -> Result<std::invoke_result_t<Visit, const State&>> {
    using Value = std::invoke_result_t<Visit, const State&>;
    if constexpr (std::is_void_v<Value>) {
      return visit_state(visit);
    } else {
      std::optional<Value> value;
      return visit_state([&](const State& state) { value.emplace(visit(state)); }).map([&] {
        return *std::move(value);
      });
    }
  }

  /// Up to `most` events on disk after that sequence number, in order.
  Result<std::vector<LedgerEntry>> events(std::uint64_t after, std::size_t most) const;
  /// visit(entry) for every event on disk.
  Result<void> replay(const std::function<void(const LedgerEntry&)>& visit) const;

 private:
  Result<void> visit_state(const std::function<void(const State&)>& visit) const;

  Source* source_;
};

}  // namespace allot::campaign
