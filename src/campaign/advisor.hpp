// What a campaign believes, and whom it would ask about what.
//
// Follows the events of a campaign: which pairs may be asked, which labels came. Nothing is worked
// out before somebody wants to know: changes wait in a list of 16 bytes each, and are made in their
// order, so that what is believed depends on the events alone and not on who asked when.
//
// Cost: a change O(1) until it is made, then that of the crowd's `record` and the chooser's
// `refresh`; the first choice after a refit looks at all items.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/base/rng.hpp"
#include "allot/campaign/campaign.hpp"
#include "allot/campaign/options.hpp"
#include "allot/model/features.hpp"
#include "allot/policy/offers.hpp"

namespace allot::campaign {

/// What is believed about a worker: the chance of a right label, with an interval that holds it
/// with probability 0.9.
struct Reliability {
  double mean, low, high;
};

/// Beliefs and choices, whatever kind of items there are.
class Desk {
 public:
  virtual ~Desk() = default;
  virtual void grow(const std::shared_ptr<const model::Design>& design) = 0;
  /// As model::Crowd has them.
  virtual void expect(std::uint64_t labels) = 0;
  virtual void fit_ahead(bool ahead) = 0;
  /// Labels of pairs that are held.
  virtual void record(const policy::Pair& pair, ClassId label) = 0;
  virtual void record_known(const policy::Pair& pair, ClassId truth, ClassId label) = 0;
  virtual void revise(const policy::Pair& pair, ClassId label) = 0;
  virtual void revise_known(const policy::Pair& pair, ClassId truth, ClassId before,
                            ClassId label) = 0;
  /// The pair was held or reopened; the item was withheld or restored.
  virtual void pair_changed(const policy::Pair& pair) = 0;
  virtual void item_changed(ItemId item) = 0;
  /// The worker is left out, and is asked again; prices of workers were changed.
  virtual void exclude(WorkerId worker) = 0;
  virtual void restore(std::span<const WorkerId> workers) = 0;
  virtual void prices_changed() = 0;

  /// Makes ready for choosing; otherwise the first choice does it.
  virtual void prepare() = 0;
  virtual std::optional<ItemId> choose(WorkerId worker, Rng& rng) = 0;
  virtual std::optional<policy::Pair> choose(Rng& rng) = 0;
  virtual double value(const policy::Pair& pair) = 0;
  /// Probabilities of the classes: now, and of all items after a last fit.
  virtual std::vector<double> probabilities(ItemId item) const = 0;
  virtual std::vector<double> settled() const = 0;
  /// What each label of the pair would do, by class, apart from refits.
  virtual std::vector<IfSaid> outlook(const policy::Pair& pair) const = 0;
  /// That the answer is wrong.
  virtual double error(ItemId item) const = 0;
  /// Whether an item is of one class, and then the chance of a worker's label by class.
  virtual bool has_hard_labels() const = 0;
  virtual std::vector<double> likelihood(WorkerId worker, ClassId label) const = 0;
  /// Log-odds of items that are positive or not; nothing where they are not.
  virtual std::optional<std::vector<double>> log_odds() const = 0;
  /// A worker whom nobody knows.
  virtual double usual_reliability() const = 0;
  /// Of one coin that no worker is better than (model/channel.hpp), the unknown included. Only
  /// where there are log-odds.
  virtual double best_reliability() const = 0;
  /// After so many labels.
  virtual Reliability reliability(WorkerId worker, std::uint32_t labels) const = 0;
  /// What is believed, to go on from where as many items and workers were added.
  virtual void save(ByteWriter& to) const = 0;
  virtual void load(ByteReader& from) = 0;

  policy::Offers offers = policy::Offers::open_ended();

  /// Items about which something else is believed since somebody emptied the list; `all_moved`
  /// stands for all. Kept where there are stop rules.
  std::vector<ItemId> moved;
  bool all_moved = true;

  /// That took effect so far.
  std::uint64_t refits = 0;
};

class Advisor {
 public:
  /// The options must have been checked.
  explicit Advisor(const Options& options);

  void add_items(std::uint32_t count, std::shared_ptr<const model::Design> design);
  void add_worker(Money price);
  void set_price(WorkerId worker, Money price);
  void hold(const policy::Pair& pair) { note(Kind::hold, pair); }
  void reopen(const policy::Pair& pair) { note(Kind::reopen, pair); }
  void record(const policy::Pair& pair, ClassId label) { note(Kind::record, pair, label); }
  void record_known(const policy::Pair& pair, ClassId truth, ClassId label) {
    note(Kind::record_known, pair, label, truth);
  }
  void revise(const policy::Pair& pair, ClassId label) { note(Kind::revise, pair, label); }
  void revise_known(const policy::Pair& pair, ClassId truth, ClassId before, ClassId label) {
    note(Kind::revise_known, pair, label, truth, before);
  }
  /// Whether the item may be chosen; new ones may.
  void set_open(ItemId item, bool open);

  /// As model::Crowd has it.
  void fit_ahead(bool ahead) { desk_->fit_ahead(ahead); }

  /// Up to date with all that was noted.
  Desk& desk();
  /// Whether labels are waiting.
  bool is_behind() const { return behind_; }
  std::uint64_t refits() const { return desk_->refits; }

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
    open
  };
  struct Change {
    Kind kind;
    std::uint8_t label, truth, before;
    ItemId item;  // for `items` their number
    WorkerId worker;
  };
  /// More changes than this are made at once, wanted or not: they would take too much memory.
  static constexpr std::size_t kMostWaiting = 1U << 20;

  void note(Kind kind, const policy::Pair& pair, ClassId label = {}, ClassId truth = {},
            ClassId before = {});
  void make(const Change& change);
  /// Labels that wait from this change on, before more items come.
  std::uint64_t labels_from(std::size_t change) const;

  std::unique_ptr<Desk> desk_;
  std::vector<Change> waiting_;
  std::vector<std::shared_ptr<const model::Design>> designs_;  // of the items that wait
  std::size_t next_design_ = 0;
  std::vector<Money> prices_;  // of the workers that wait, and new ones
  std::size_t next_price_ = 0;
  std::vector<bool> open_;  // by item
  bool behind_ = false;
};

}  // namespace allot::campaign
