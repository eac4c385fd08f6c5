// Crowds whose beliefs are refitted: the labels so far, and when each refit runs and takes effect.
//
// Between refits a label moves its item and its worker. Where refits are at least
// `background_refit_gap` labels apart, one takes effect only after half of the labels until the
// next, no matter how long it ran. It can therefore run on a thread of its own meanwhile, and
// beliefs depend on the labels and their order alone. Labels that came since are absorbed again.
//
// An item that becomes known takes its labels along: they then judge their workers only, as labels
// of known items do. Where refits take effect late, this waits for the next refit like a label.
//
// Three things are subtle:
//   - While a fit is pending it may be reading `labels_` and `known_` on another thread, and must
//     see them as they were when it began. New labels wait in `since_` until the fit takes effect
//     or is dropped, whether or not there is a thread: a deferred fit must give the same result.
//   - A caller that catches up with many labels announces them (skip_refits_for). Refits that a
//     later one replaces before the caller reads beliefs are then skipped. Beliefs are out of date
//     until that later one takes effect, so labels move nothing before it.
//   - Items and workers can join while a fit is pending. The fit knows nothing of them, so they
//     start from their priors when it takes effect.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <future>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/base/ids.hpp"
#include "model/by_worker.hpp"
#include "model/crowd_kinds.hpp"
#include "model/refit_schedule.hpp"

namespace allot::model {

/// The class of a label, and the reverse: Label in binary fits, a number in multi-class ones.
inline std::uint32_t class_of(Label label) { return label == Label::positive ? 1 : 0; }
inline std::uint32_t class_of(std::uint32_t label) { return label; }
inline void set_class(Label& label, std::uint32_t number) {
  label = number == 1 ? Label::positive : Label::negative;
}
inline void set_class(std::uint32_t& label, std::uint32_t number) { label = number; }

/// `Base` is BinaryCrowd or MulticlassCrowd, `Given` a worker's label of an item.
template <typename Base, typename Given>
class RefittedCrowd : public Base, public RefitControl {
 public:
  bool record(ItemId item, WorkerId worker, ClassId label) final {
    return record_confident(item, worker, label, kNoConfidence);
  }

  bool record_confident(ItemId item, WorkerId worker, ClassId label, float confidence) final {
    const LabelChange change{Kind::open, position(worker), 0,
                             given_label(position(item), label, confidence)};
    keep(change);
    if (count_label()) return true;
    if (!outdated_) move(change);
    return outdated_;
  }

  void record_known(WorkerId worker, ClassId truth, ClassId label) final {
    const LabelChange change{Kind::known, position(worker), position(truth), given_label(0, label)};
    keep(change);
    if (!outdated_) move(change);
  }

  void revise(ItemId item, WorkerId worker, ClassId label, float confidence) final {
    drop();
    auto& given = labels_[position(worker)];
    const auto place = std::ranges::find(given, position(item), &Given::item);
    if (place == given.end()) reject_revision(item);
    *place = given_label(position(item), label, confidence);
    refit();
  }

  void revise_known(WorkerId worker, ClassId truth, ClassId before, ClassId label) final {
    drop();
    if (!known_.revise(position(worker), position(truth), position(before), position(label))) {
      reject_known_revision(worker);
    }
    refit();
  }

  bool review(std::span<const KnownChange> changes) final {
    std::vector<LabelChange> labels;
    for (const KnownChange& one : changes) {
      labels.push_back({one.known ? Kind::learned : Kind::forgotten, position(one.worker),
                        position(one.truth),
                        given_label(position(one.item), one.label, one.confidence)});
    }
    const bool late = schedule_.lag() > 0 && std::ranges::all_of(changes, &KnownChange::known);
    if (!late) {
      drop();
      for (const LabelChange& label : labels) store(label, labels_, known_);
      refit();
      return true;
    }
    for (const LabelChange& label : labels) {
      keep(label);
      if (!outdated_) move(label);
    }
    bool refitted = false;
    for (std::size_t n = 0; n < labels.size(); ++n) refitted = count_label() || refitted;
    return refitted || outdated_;
  }

  RefitControl* refit_control() final { return this; }

  bool skip_refits_for(std::uint64_t labels) final {
    RefitSchedule ahead = schedule_;
    std::uint64_t due = 0, last_in_effect = 0;  // counted from 1
    for (std::uint64_t n = 1; n <= labels; ++n) {
      if (!ahead.is_due()) continue;
      ++due;
      if (n + ahead.lag() <= labels) last_in_effect = due;
    }
    if (last_in_effect == 0) return false;
    skipped_ = last_in_effect - 1;
    outdated_ = true;
    drop();
    return true;
  }

  void refit_in_background(bool on) final { background_ = on; }

 protected:
  /// Puts a finished fit into the crowd.
  using Install = std::function<void()>;
  /// Computes a fit and returns its Install. May run on another thread: it reads `labels_` and
  /// `known_`, which do not change meanwhile, and writes nothing.
  using Fit = std::function<Install()>;

  template <typename... Args>
  RefittedCrowd(std::uint32_t worker_count, KnownLabels inherited, RefitSchedule schedule,
                Args&&... base)
      : Base(std::forward<Args>(base)...),
        labels_(worker_count),
        known_(std::move(inherited)),
        schedule_(schedule) {}
  /// A derived class must call drop() in its destructor: a pending fit uses its members.
  ~RefittedCrowd() override = default;

  /// A fit of the first `items` items to all labels in `labels_` and `known_`.
  virtual Fit make_fit(std::uint32_t items) = 0;
  /// Moves the item and the worker of a label.
  virtual void move(std::uint32_t worker, const Given& given) = 0;
  virtual void move_known(std::uint32_t worker, std::uint32_t truth, std::uint32_t label) = 0;
  /// Starts the item from its prior.
  virtual void restart_item(std::uint32_t item) = 0;
  /// Starts items and workers from these on from their priors.
  virtual void restart_from(std::uint32_t first_item, std::uint32_t first_worker) = 0;

  /// Whether this refit is one of those that take the shares of classes from the labels: every
  /// third, and evenly between them as many more as make up this part of all. Depends on the labels
  /// of the refit alone, so that it is the same after a restart.
  bool is_voted_turn(double part) const {
    constexpr double kGolden = 0.6180339887498949;  // its multiples are spread evenly
    std::uint64_t count = 0;
    for (const auto& given : labels_) count += given.size();
    const std::uint64_t refit = schedule_.count_among(count);
    const double place = std::fmod(static_cast<double>(refit) * kGolden, 1.0);
    return refit % 3 == 0 || place < (3 * part - 1) / 2;
  }

  /// Must be called before anything changes that a fit reads.
  void set_counts(std::uint32_t items, std::uint32_t workers) {
    schedule_.set_items(items);
    worker_count_ = workers;
    if (!pending_.valid()) labels_.resize(workers);
  }

  /// Begins a pending fit again, for all items that there are now.
  void restart_pending() {
    if (!pending_.valid()) return;
    wait();
    begin(labels_until_effect_, this->item_count());
  }

  /// Returns fit(labels, known) for all labels so far.
  template <typename FitAll>
  auto fit_to_all(FitAll fit) const {
    wait();
    if (since_.empty()) return fit(labels_, known_);
    auto labels = labels_;
    KnownLabels known = known_;
    labels.resize(worker_count_);
    for (const LabelChange& label : since_) store(label, labels, known);
    return fit(labels, known);
  }

  /// Gives up a pending fit. Labels that came since it began are stored, without moving beliefs.
  void drop() {
    if (!pending_.valid()) return;
    wait();
    pending_ = {};
    labels_.resize(worker_count_);
    for (const LabelChange& label : std::exchange(since_, {})) store(label, labels_, known_);
  }
  /// Waits for a pending fit that runs in the background.
  void wait() const {
    if (pending_.valid() &&
        pending_.wait_for(std::chrono::seconds(0)) != std::future_status::deferred) {
      pending_.wait();
    }
  }

  void save_labels(ByteWriter& to) const {
    to.number(labels_.size());
    for (const auto& labels : labels_) {
      to.number(labels.size());
      for (const Given& given : labels) save(given, to);
    }
    known_.save(to);
    schedule_.save(to);
    to.number(pending_.valid() ? labels_until_effect_ : 0);
    if (!pending_.valid()) return;
    to.number(fitted_items_);
    to.number(worker_count_ - labels_.size());
    to.number(since_.size());
    for (const LabelChange& label : since_) {
      to.number(static_cast<std::uint64_t>(label.kind));
      to.number(label.worker);
      to.number(label.truth);
      save(label.given, to);
    }
  }

  /// Must be called after the items were loaded. A fit that was pending waits for begin_loaded().
  void load_labels(ByteReader& from, std::uint32_t classes) {
    drop();
    const std::uint32_t items = this->item_count();
    labels_.assign(from.count(1), {});
    for (auto& labels : labels_) {
      labels.resize(from.count(2));
      for (Given& given : labels) load(given, items, classes, from);
    }
    known_.load(from);
    schedule_.load(from);
    schedule_.set_items(items);
    worker_count_ = static_cast<std::uint32_t>(labels_.size());
    since_.clear();
    labels_until_effect_ = from.number();
    if (labels_until_effect_ == 0) return;
    fitted_items_ = from.at_most(items);
    worker_count_ += static_cast<std::uint32_t>(from.count(1));
    since_.resize(from.count(5));
    for (LabelChange& label : since_) {
      label.kind = static_cast<Kind>(below(static_cast<std::uint32_t>(Kind::forgotten) + 1, from));
      label.worker = below(worker_count_, from);
      label.truth = below(classes, from);
      load(label.given, items, classes, from);
    }
    if (!can_store_since()) from.refuse();
  }
  /// Begins the fit that was pending in a snapshot, once everything is loaded.
  void begin_loaded() {
    if (labels_until_effect_ > 0) begin(labels_until_effect_, fitted_items_);
  }

  /// Number of workers, the last of whom may not be in `labels_` yet.
  std::uint32_t counted_workers() const { return worker_count_; }

  std::vector<std::vector<Given>> labels_;  // by worker
  KnownLabels known_;

 private:
  enum class Kind : std::uint8_t {
    open,       // a new label of an open item
    known,      // a new label of a known item
    learned,    // the item of the label becomes known
    forgotten,  // the item of the label is open again
  };
  struct LabelChange {
    Kind kind;
    std::uint32_t worker;
    std::uint32_t truth;  // of a known item, else 0
    Given given;
  };

  static Given given_label(std::uint32_t item, ClassId label, float confidence = kNoConfidence) {
    Given given{};
    given.item = item;
    set_class(given.label, position(label));
    if constexpr (requires { given.confidence; }) given.confidence = confidence;
    return given;
  }

  static void save(const Given& given, ByteWriter& to) {
    to.number(given.item);
    to.number(class_of(given.label));
    if constexpr (requires { given.confidence; }) to.real(given.confidence);
  }
  static void load(Given& given, std::uint32_t items, std::uint32_t classes, ByteReader& from) {
    given.item = below(items, from);
    set_class(given.label, below(classes, from));
    if constexpr (requires { given.confidence; })
      given.confidence = static_cast<float>(from.real());
  }
  static std::uint32_t below(std::uint32_t end, ByteReader& from) {
    const auto number = from.at_most(UINT32_MAX);
    if (number >= end) from.refuse();
    return number < end ? number : 0;
  }

  /// Whether all that waits for the pending fit can be stored after it, as a snapshot that was not
  /// tampered with allows: items become known once, after their labels.
  bool can_store_since() const {
    std::set<std::pair<std::uint32_t, std::uint32_t>> opened, learned;
    for (const auto& [kind, worker, truth, given] : since_) {
      const std::pair pair(worker, given.item);
      if (kind == Kind::forgotten) return false;
      if (kind == Kind::open) opened.insert(pair);
      if (kind != Kind::learned || opened.erase(pair) > 0) continue;
      const bool is_stored = worker < labels_.size() &&
                             std::ranges::count(labels_[worker], given.item, &Given::item) > 0;
      if (!is_stored || !learned.insert(pair).second) return false;
    }
    return true;
  }

  void keep(const LabelChange& label) {
    if (pending_.valid()) {
      since_.push_back(label);
    } else {
      store(label, labels_, known_);
    }
  }
  static void store(const LabelChange& change, std::vector<std::vector<Given>>& labels,
                    KnownLabels& known) {
    const auto& [kind, worker, truth, given] = change;
    const std::uint32_t label = class_of(given.label);
    if (kind == Kind::learned) {
      const auto place = std::ranges::find(labels[worker], given.item, &Given::item);
      if (place == labels[worker].end()) reject_revision(ItemId{given.item});
      labels[worker].erase(place);
    }
    if (kind == Kind::forgotten && !known.remove(worker, truth, label)) {
      reject_known_revision(WorkerId{worker});
    }
    if (kind == Kind::open || kind == Kind::forgotten) {
      labels[worker].push_back(given);
    } else {
      known.record(worker, truth, label);
    }
  }

  /// Moves the beliefs that a new label, or one whose item becomes known, is about. The latter had
  /// moved its worker before, and counts twice there until the next refit.
  void move(const LabelChange& change) {
    const auto& [kind, worker, truth, given] = change;
    if (kind == Kind::open) return move(worker, given);
    move_known(worker, truth, class_of(given.label));
    if (kind == Kind::learned) restart_item(given.item);
  }

  /// Counts a label for the schedule. Returns whether a refit took effect.
  bool count_label() {
    if (schedule_.is_due()) {
      if (skipped_ > 0) {
        --skipped_;
      } else if (schedule_.lag() == 0) {
        refit();
        return true;
      } else {
        begin(schedule_.lag(), this->item_count());
      }
    } else if (pending_.valid() && --labels_until_effect_ == 0) {
      install_pending();
      return true;
    }
    return false;
  }

  /// Fits to all labels now.
  void refit() {
    const Fit fit = make_fit(this->item_count());
    install(fit());
  }

  /// Begins a fit that takes effect after this many more labels.
  void begin(std::uint64_t lag, std::uint32_t items) {
    labels_until_effect_ = lag;
    fitted_items_ = items;
    pending_ =
        std::async(background_ ? std::launch::async : std::launch::deferred, make_fit(items));
  }

  void install(const Install& put_into_crowd) {
    put_into_crowd();
    outdated_ = false;
    ++this->refit_count_;
  }

  void install_pending() {
    install(pending_.get());
    restart_from(fitted_items_, static_cast<std::uint32_t>(labels_.size()));
    labels_.resize(worker_count_);
    for (const LabelChange& label : std::exchange(since_, {})) {
      store(label, labels_, known_);
      move(label);
    }
  }

  std::uint32_t worker_count_ = static_cast<std::uint32_t>(labels_.size());
  RefitSchedule schedule_;
  bool background_ = false;
  std::future<Install> pending_;           // the fit that takes effect next, if any has begun
  std::uint64_t labels_until_effect_ = 0;  // of the pending fit
  std::uint32_t fitted_items_ = 0;         // items that the pending fit knows
  std::vector<LabelChange> since_;         // since the pending fit began
  std::uint64_t skipped_ = 0;              // due refits that are skipped from now on
  bool outdated_ = false;                  // until the next refit that is not skipped
};

}  // namespace allot::model
