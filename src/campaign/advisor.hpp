// The desk of a campaign, brought up to date only when somebody needs it.
//
// The advisor follows the events of a campaign: which pairs can be asked, which labels came. It
// notes them in a list of 16 bytes each and makes the changes, in order, when the desk is next
// asked for. Beliefs therefore depend on the events alone, not on when somebody read them.
//
// Cost: O(1) to note a change; to make it, that of the crowd's `record` and the chooser's
// `refresh`. The first choice after a refit reads all items.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "allot/campaign/types.hpp"
#include "allot/policy/desk.hpp"

namespace allot::campaign {

/// The chance that a worker is right, with an interval that holds it with probability 0.9.
struct ReliabilityInterval {
  double mean, low, high;
};
ReliabilityInterval interval(const model::Reliability& reliability);

/// The outcome of each possible label of the pair, by class, refits apart.
std::vector<LabelOutcome> outlook(const model::Crowd& crowd, const policy::Pair& pair);

/// Log-odds of the answers to binary items that have no soft labels; nothing for others.
std::optional<std::vector<double>> log_odds(const model::Crowd& crowd);

class Advisor {
 public:
  /// The options must have been checked. With groups (State::shared_groups) or confidences
  /// (State::reads_confidences) beliefs are pooled ones, whatever the options say about refits, and
  /// learning starts from the worker prior. `inherited` as State::inherited.
  Advisor(const Options& options, std::vector<std::uint32_t> groups, bool confident = false,
          std::vector<std::vector<double>> inherited = {});

  void add_items(std::uint32_t count, std::shared_ptr<const model::Design> design);
  void add_worker(Money price) { note_price(Kind::worker, {}, price); }
  void set_price(WorkerId worker, Money price) { note_price(Kind::price, worker, price); }
  void hold(const policy::Pair& pair) { note(Kind::hold, pair); }
  void reopen(const policy::Pair& pair) { note(Kind::reopen, pair); }
  /// `known` is the answer of a gold item.
  void record(const policy::Pair& pair, ClassId label, std::optional<ClassId> known = {},
              float confidence = model::kNoConfidence) {
    note(known ? Kind::record_known : Kind::record, pair, label, known.value_or(ClassId{}), {},
         confidence);
  }
  void revise(const policy::Pair& pair, ClassId before, ClassId label, std::optional<ClassId> known,
              float confidence = model::kNoConfidence) {
    note(known ? Kind::revise_known : Kind::revise, pair, label, known.value_or(ClassId{}), before,
         confidence);
  }
  /// Makes the items of recorded labels known, or open again.
  void review(std::vector<model::KnownChange> labels);
  /// Whether the item can be chosen; new items can.
  void set_open(ItemId item, bool open);

  void refit_in_background(bool on) { desk_.refit_in_background(on); }

  /// The desk after all changes noted so far.
  policy::Desk& desk();
  /// Whether labels are waiting.
  bool is_behind() const { return behind_; }
  /// Refits that took effect so far.
  std::uint64_t refits() const { return desk_.crowd().refit_count(); }

  /// Mean reliability of a worker who has not labelled anything yet.
  double newcomer_reliability() const { return newcomer_->reliability(WorkerId{0}, 0).mean; }

 private:
  enum class Kind : std::uint8_t {
    items,
    worker,
    price,
    hold,
    reopen,
    record,
    record_known,
    revise,
    revise_known,
    review,
    open
  };
  struct Change {
    Kind kind;
    std::uint8_t label, truth, before;
    ItemId item;      // for `items`, how many; for others, the place in `prices_` or `reviews_`
    WorkerId worker;  // for `items`, the place in `designs_`
    float confidence;
  };
  /// More changes than this are made at once, since they would take too much memory.
  static constexpr std::size_t kMostWaiting = 1U << 20;

  void note(Kind kind, const policy::Pair& pair, ClassId label = {}, ClassId truth = {},
            ClassId before = {}, float confidence = model::kNoConfidence);
  void note_price(Kind kind, WorkerId worker, Money price);
  void make(const Change& change);
  /// Whether refits before the change are announced apart from those after it.
  static bool is_border(Kind kind) { return kind == Kind::items || kind == Kind::review; }
  /// Labels that wait from this change on, up to the next border.
  std::uint64_t labels_from(std::size_t change) const;

  policy::Desk desk_;
  const std::unique_ptr<model::Crowd> newcomer_;  // of one worker, before the first label
  std::vector<Change> waiting_;
  std::vector<std::shared_ptr<const model::Design>> designs_;  // of the items that wait
  std::vector<Money> prices_;                             // of the workers that wait, and new ones
  std::vector<std::vector<model::KnownChange>> reviews_;  // that wait
  std::vector<bool> open_;                                // by item
  bool behind_ = false;
};

}  // namespace allot::campaign
