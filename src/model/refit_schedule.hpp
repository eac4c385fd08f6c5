// The schedule of refits, and of estimates of a prior, counted in labels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "allot/base/bytes.hpp"
#include "allot/base/check.hpp"
#include "allot/model/prior_fit.hpp"

namespace allot::model {

class RefitSchedule {
 public:
  /// A refit is due after `every` labels, but never sooner than after 2 % of all labels so far or
  /// one label per thousand items. All refits together then cost about fifty times the last one,
  /// and a thousand steps per label. With `background_refit_gap`, refits at least that far apart
  /// take effect late. They are also fewer, since somebody waits for them: apart by a quarter of
  /// the labels beyond 8,000, or by one label per two hundred items.
  RefitSchedule(std::uint32_t every, std::uint32_t item_count,
                std::uint32_t background_refit_gap = 0)
      : asked_(every), late_from_(background_refit_gap) {
    require(every > 0, "make_crowd", "refit_every", 0, "expected at least 1");
    set_items(item_count);
  }

  /// Must be called when items were added.
  void set_items(std::uint32_t count) {
    every_ = std::max(asked_, std::uint64_t{count} / (late_from_ > 0 ? kLateItems : kItems));
  }

  void save(ByteWriter& to) const {
    to.number(total_);
    to.number(since_);
  }
  void load(ByteReader& from) {
    total_ = from.number();
    since_ = from.number();
  }

  /// Must be called once per label. Returns whether a refit is due.
  bool is_due() {
    ++total_;
    if (++since_ < gap()) return false;
    since_ = 0;
    return true;
  }

  /// About the number of refits among so many labels, if none takes effect late.
  std::uint64_t count_among(std::uint64_t labels) const {
    const double steady = static_cast<double>(kPart * every_), all = static_cast<double>(labels);
    return all <= steady ? labels / every_
                         : static_cast<std::uint64_t>(kPart * (1 + std::log(all / steady)));
  }

  /// Labels after which a refit that is due takes effect; always before the next one is due.
  std::uint64_t lag() const { return late_from_ > 0 && gap() >= late_from_ ? gap() / 2 : 0; }

 private:
  std::uint64_t gap() const {
    const bool many = late_from_ > 0 && total_ > kFew;
    return std::max({every_, total_ / kPart, many ? (total_ - kFew) / kPartOfMany : 0});
  }

  static constexpr std::uint64_t kPart = 50, kItems = 1000;
  static constexpr std::uint64_t kLateItems = 200, kFew = 8000, kPartOfMany = 4;

  std::uint64_t asked_, late_from_;
  std::uint64_t every_ = 0, total_ = 0, since_ = 0;
};

/// The prior of a campaign, learned on the schedule.
class PriorLearner {
 public:
  PriorLearner(const PriorLearning& learning, std::uint32_t item_count)
      : learning_(learning), schedule_(learning.every, item_count) {}

  /// Must be called once per label. Returns whether the prior, and so every item, has changed.
  bool after_label(Beliefs& beliefs) {
    if (!schedule_.is_due()) return false;
    Prior prior = learned_prior(beliefs, learning_);
    if (beliefs.priors().size() == 1 && prior == beliefs.priors().front()) return false;
    beliefs.set_prior(std::move(prior));
    return true;
  }

 private:
  PriorLearning learning_;
  RefitSchedule schedule_;
};

}  // namespace allot::model
