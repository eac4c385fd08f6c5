// The labels so far, and when all beliefs are fitted to them anew.
//
// Between refits a label moves its item and its worker. Where refits lie far apart
// (`background_refit_gap` labels and more) one takes effect only after half of the labels until the
// next, whether or not it took so long: it can then be made by a thread of its own meanwhile, and
// beliefs are still those that the labels and their order alone make. What came since it began is
// then absorbed again.
//
// Whoever catches up with many labels says so beforehand (`expect`), and refits that another one
// overtakes before anybody looks are left out.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "allot/base/bytes.hpp"
#include "allot/base/ids.hpp"
#include "model/known_labels.hpp"
#include "model/refit_schedule.hpp"

namespace allot::model {

/// The class that a label stands for, and the label of a class.
inline std::uint32_t class_of(Label label) { return label == Label::positive ? 1 : 0; }
inline std::uint32_t class_of(std::uint32_t label) { return label; }
inline void set_class(Label& label, std::uint32_t number) {
  label = number == 1 ? Label::positive : Label::negative;
}
inline void set_class(std::uint32_t& label, std::uint32_t number) { label = number; }

/// A crowd that is refitted. `Base` is Crowd or MulticlassCrowd, `Given` a worker's label of an
/// item.
template <typename Base, typename Given>
class Refits : public Base {
 public:
  bool expect(std::uint64_t labels) final {
    RefitSchedule ahead = schedule_;
    std::uint64_t due = 0, seen = 0;  // refits, and which of them is the last to take effect
    for (std::uint64_t n = 1; n <= labels; ++n) {
      if (!ahead.is_due()) continue;
      ++due;
      if (n + ahead.lag() <= labels) seen = due;
    }
    if (seen == 0) return false;
    skip_ = seen - 1;
    blind_ = true;
    drop();
    return true;
  }

  void fit_ahead(bool ahead) final { ahead_ = ahead; }

 protected:
  /// Puts what was fitted into the crowd.
  using Install = std::function<void()>;
  /// Fits, and may do so in another thread: labels and known labels stay as they are meanwhile.
  using Fitting = std::function<Install()>;

  template <typename... Args>
  Refits(std::uint32_t worker_count, std::uint32_t classes, RefitSchedule schedule, Args&&... base)
      : Base(std::forward<Args>(base)...),
        labels_(worker_count),
        known_(classes),
        schedule_(schedule) {}
  /// A derived class must call drop() first: the fit uses its members.
  ~Refits() override = default;

  /// To all labels, of so many items.
  virtual Fitting fitting(std::uint32_t items) = 0;
  /// A label moves its item and its worker.
  virtual void move(std::uint32_t worker, const Given& given) = 0;
  virtual void move_known(std::uint32_t worker, std::uint32_t truth, std::uint32_t label) = 0;
  /// Items and workers from these on are as nothing was known of them.
  virtual void renew(std::uint32_t first_item, std::uint32_t first_worker) = 0;

  /// True if all beliefs were fitted anew, or are not kept up.
  bool take(std::uint32_t worker, const Given& given) {
    keep({worker, kLabel, given});
    const bool due = schedule_.is_due();
    if (due && skip_ > 0) {
      --skip_;
    } else if (due && schedule_.lag() == 0) {
      refit();
      blind_ = false;
      return true;
    } else if (due) {
      begin(schedule_.lag(), this->item_count());
    } else if (fit_.valid() && --left_ == 0) {
      install();
      blind_ = false;
      return true;
    }
    if (!blind_) move(worker, given);
    return blind_;
  }

  void take_known(std::uint32_t worker, std::uint32_t truth, std::uint32_t label) {
    Given given{};
    set_class(given.label, label);
    keep({worker, truth, given});
    if (!blind_) move_known(worker, truth, label);
  }

  /// False if the worker gave no label of the item.
  bool change(std::uint32_t worker, const Given& given) {
    drop();
    const auto place = std::ranges::find(labels_[worker], given.item, &Given::item);
    if (place == labels_[worker].end()) return false;
    *place = given;
    refit();
    blind_ = false;  // the refit that was to end it may have been dropped
    return true;
  }

  /// The same for a known item.
  bool change_known(std::uint32_t worker, std::uint32_t truth, std::uint32_t before,
                    std::uint32_t label) {
    drop();
    if (!known_.revise(worker, truth, before, label)) return false;
    refit();
    blind_ = false;
    return true;
  }

  /// To be called before anything that a fit looks at changes.
  void set_counts(std::uint32_t items, std::uint32_t workers) {
    schedule_.set_items(items);
    worker_count_ = workers;
    if (!fit_.valid()) labels_.resize(workers);
  }

  /// A fit that waits is to be one of all items there are now.
  void fit_again() {
    if (!fit_.valid()) return;
    wait();
    begin(left_, this->item_count());
  }

  /// fit(labels, known) of all labels so far.
  template <typename Fit>
  auto of_all(Fit fit) const {
    wait();
    if (since_.empty()) return fit(labels_, known_);
    auto labels = labels_;
    KnownLabels known = known_;
    labels.resize(worker_count_);
    for (const Since& one : since_) put(one, labels, known);
    return fit(labels, known);
  }

  /// The fit that waits does not take effect, and what came since is only remembered.
  void drop() {
    if (!fit_.valid()) return;
    wait();
    fit_ = {};
    remember();
  }
  /// Until a fit that was begun is made.
  void wait() const {
    if (fit_.valid() && fit_.wait_for(std::chrono::seconds(0)) != std::future_status::deferred)
      fit_.wait();
  }

  void save_labels(ByteWriter& to) const {
    to.number(labels_.size());
    for (const auto& given : labels_) {
      to.number(given.size());
      for (const Given& one : given) save(one, to);
    }
    known_.save(to);
    schedule_.save(to);
    to.number(fit_.valid() ? left_ : 0);
    if (!fit_.valid()) return;
    to.number(fitted_items_);
    to.number(worker_count_ - labels_.size());
    to.number(since_.size());
    for (const Since& one : since_) {
      to.number(one.worker);
      to.number(one.truth);
      save(one.given, to);
    }
  }

  /// After the items. A fit that waited is begun by begin_again() once all was loaded.
  void load_labels(ByteReader& from, std::uint32_t classes) {
    drop();
    const std::uint32_t items = this->item_count();
    labels_.assign(from.count(1), {});
    for (auto& given : labels_) {
      given.resize(from.count(2));
      for (Given& one : given) load(one, items, classes, from);
    }
    known_.load(from);
    schedule_.load(from);
    schedule_.set_items(items);
    worker_count_ = static_cast<std::uint32_t>(labels_.size());
    since_.clear();
    left_ = from.number();
    if (left_ == 0) return;
    fitted_items_ = from.at_most(items);
    worker_count_ += static_cast<std::uint32_t>(from.count(1));
    since_.resize(from.count(4));
    for (Since& one : since_) {
      one.worker = below(worker_count_, from);
      one.truth = from.at_most(kLabel);
      if (one.truth >= classes && one.truth != kLabel) from.refuse();
      load(one.given, items, classes, from);
    }
  }
  void begin_again() {
    if (left_ > 0) begin(left_, fitted_items_);
  }

  /// Of the workers there are; the last of them may not be in `labels_` yet.
  std::uint32_t counted_workers() const { return worker_count_; }

  std::vector<std::vector<Given>> labels_;
  KnownLabels known_;

 private:
  static constexpr std::uint32_t kLabel = UINT32_MAX;
  struct Since {
    std::uint32_t worker;
    std::uint32_t truth;  // kLabel if the item is not a known one
    Given given;
  };

  static void save(const Given& one, ByteWriter& to) {
    to.number(one.item);
    to.number(class_of(one.label));
  }
  static void load(Given& one, std::uint32_t items, std::uint32_t classes, ByteReader& from) {
    one.item = below(items, from);
    set_class(one.label, below(classes, from));
  }
  static std::uint32_t below(std::uint32_t end, ByteReader& from) {
    const auto number = from.at_most(UINT32_MAX);
    if (number >= end) from.refuse();
    return number < end ? number : 0;
  }

  void keep(const Since& one) {
    if (fit_.valid()) {
      since_.push_back(one);
    } else {
      put(one, labels_, known_);
    }
  }
  static void put(const Since& one, std::vector<std::vector<Given>>& labels, KnownLabels& known) {
    if (one.truth == kLabel) {
      labels[one.worker].push_back(one.given);
    } else {
      known.record(one.worker, one.truth, class_of(one.given.label));
    }
  }
  void remember() {
    labels_.resize(worker_count_);
    for (const Since& one : since_) put(one, labels_, known_);
    since_.clear();
  }

  void refit() { fitting(this->item_count())()(); }

  void begin(std::uint64_t lag, std::uint32_t items) {
    left_ = lag;
    fitted_items_ = items;
    fit_ = std::async(ahead_ ? std::launch::async : std::launch::deferred, fitting(items));
  }

  void install() {
    fit_.get()();
    renew(fitted_items_, static_cast<std::uint32_t>(labels_.size()));
    labels_.resize(worker_count_);
    for (const Since& one : std::exchange(since_, {})) {
      put(one, labels_, known_);
      if (one.truth == kLabel) {
        move(one.worker, one.given);
      } else {
        move_known(one.worker, one.truth, class_of(one.given.label));
      }
    }
  }

  std::uint32_t worker_count_ = static_cast<std::uint32_t>(labels_.size());
  RefitSchedule schedule_;
  std::future<Install> fit_;        // that is to take effect, if any
  std::uint64_t left_ = 0;          // labels until it does
  std::uint32_t fitted_items_ = 0;  // that it knows of
  std::vector<Since> since_;        // what came since it began
  bool ahead_ = false;
  bool blind_ = false;      // whether nobody looks before the next refit that counts
  std::uint64_t skip_ = 0;  // refits that nobody would see
};

}  // namespace allot::model
