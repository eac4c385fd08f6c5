#include "allot/index/gittins.hpp"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "allot/base/check.hpp"
#include "allot/index/knowledge_gradient.hpp"

namespace allot::index {
namespace {

using model::Counts;
using model::ItemBelief;
using model::Prior;

/// Position of a state in its layer: the number of positive labels. Signed, as ranges may start at
/// -1.
using Place = std::int64_t;

/// The states from which a label can change the answer, one a depth.
class RewardSpots {
 public:
  explicit RewardSpots(const Prior& prior) : prior_(prior) {}

  struct Spot {
    Place place = -1;
    double reward = 0;
  };

  const Spot& at(std::size_t depth) {
    while (spots_.size() <= depth) extend();
    return spots_[depth];
  }

  /// Whether no reward from this depth on is above the fee. Rewards fall with the depth, but may be
  /// 0 at every other one.
  bool rewards_end_below(double fee, std::size_t depth) {
    return at(depth).reward <= fee && at(depth + 1).reward <= fee;
  }

 private:
  bool answered_positive(Place place, std::size_t depth) const {
    return model::answer(belief(place, depth)) == Label::positive;
  }

  ItemBelief belief(Place place, std::size_t depth) const {
    const auto positive = static_cast<std::uint32_t>(place);
    return {&prior_, {positive, static_cast<std::uint32_t>(depth) - positive}};
  }

  /// threshold_: the fewest positive labels with a positive answer, depth + 1 if there are none.
  /// One label more, and it is the same or one higher; in the first case the place below the
  /// threshold is the one that can change.
  void extend() {
    const std::size_t depth = spots_.size();
    if (depth == 0) threshold_ = answered_positive(0, 0) ? 0 : 1;
    const Place below_all = static_cast<Place>(depth) + 1;
    const bool same = threshold_ <= below_all && answered_positive(threshold_, depth + 1);
    const Place place = same ? threshold_ - 1 : threshold_;
    Spot spot{place, 0};
    if (place >= 0 && place <= static_cast<Place>(depth)) spot.reward = kg(belief(place, depth));
    spots_.push_back(spot);
    if (!same) ++threshold_;
  }

  const Prior& prior_;
  Place threshold_ = 0;
  std::vector<Spot> spots_;
};

/// Chances of a positive label on the lattice; those of mixtures are kept, those of a Beta
/// computed.
class Chances {
 public:
  explicit Chances(const Prior& prior) : prior_(prior) {}

  double at(Place place, std::size_t depth) {
    const auto positive = static_cast<std::uint32_t>(place);
    const Counts counts{positive, static_cast<std::uint32_t>(depth) - positive};
    if (!prior_.is_mixture()) return model::chance_positive({&prior_, counts});
    if (known_.size() <= depth) known_.resize(depth + 1);
    auto [entry, is_new] = known_[depth].try_emplace(place, 0.0);
    if (is_new) entry->second = model::chance_positive({&prior_, counts});
    return entry->second;
  }

 private:
  const Prior& prior_;
  std::vector<std::unordered_map<Place, double>> known_;
};

/// What is gained and how long it takes, both discounted, if one goes on as long as it pays.
struct Prospect {
  double gain = 0;
  double time = 0;
};

/// The prospects of the states of one depth at which going on pays; all others have none.
class Layer {
 public:
  Prospect at(Place place) const {
    return place >= first_ && place < first_ + static_cast<Place>(prospects_.size())
               ? prospects_[static_cast<std::size_t>(place - first_)]
               : Prospect{};
  }
  bool empty() const { return prospects_.empty(); }
  Place first() const { return first_; }
  Place last() const { return first_ + static_cast<Place>(prospects_.size()) - 1; }

  void clear() { prospects_.clear(); }
  void push(Place place, Prospect prospect) {
    if (prospects_.empty()) {
      if (prospect.time == 0) return;
      first_ = place;
    }
    prospects_.push_back(prospect);
  }
  void trim() {
    while (!prospects_.empty() && prospects_.back().time == 0) prospects_.pop_back();
  }

 private:
  Place first_ = 0;
  std::vector<Prospect> prospects_;
};

/// All indices under one prior.
class Lattice {
 public:
  Lattice(const Prior& prior, double discount)
      : prior_(prior), discount_(discount), spots_(prior_), chances_(prior_) {}
  Lattice(const Lattice&) = delete;

  double value(Counts counts) {
    const std::uint64_t key = (std::uint64_t{counts.positive} << 32) | counts.negative;
    if (const auto known = values_.find(key); known != values_.end()) return known->second;
    const double index = solve(counts);
    values_.emplace(key, index);
    return index;
  }

 private:
  static constexpr double kTolerance = 1e-12;
  /// States whose error probability is below this keep it as their index: the truth lies between 0
  /// and it.
  static constexpr double kNegligible = 1e-10;

  double solve(Counts counts) {
    const ItemBelief belief{&prior_, counts};
    const model::Outlook outlook = model::outlook(belief);
    double fee = reward(outlook).expected;
    if (fee == 0) {
      const bool positive = outlook.answer == Label::positive;
      const double against = positive ? 1 - outlook.chance_positive : outlook.chance_positive;
      const double error = model::error_probability(belief);
      if (against == 0 || error < kNegligible) return error;
      // One label against the answer, then as from there: a rule that never promises too much.
      const double next = value(counts.after(positive ? Label::negative : Label::positive));
      fee = discount_ * against * next / (1 + discount_ * against);
      if (fee == 0) return 0;
    }
    for (std::size_t horizon = 32;; horizon *= 2) {
      const double better = best_fee(counts, fee, horizon);
      const bool complete = spots_.rewards_end_below(better, counts.total() + horizon);
      if (complete || (horizon > 32 && better - fee <= kTolerance)) return better;
      fee = better;
    }
  }

  /// Raises the fee until the best rule for it earns no more, looking `horizon` labels ahead.
  double best_fee(Counts counts, double fee, std::size_t horizon) {
    while (true) {
      const Prospect prospect = best_prospect(counts, fee, horizon);
      const double better = prospect.gain / prospect.time;
      if (better <= fee + kTolerance * 0.01) return std::max(better, fee);
      fee = better;
    }
  }

  /// Backward induction: from `counts` one label is bought, the others as long as they pay.
  Prospect best_prospect(Counts counts, double fee, std::size_t horizon) {
    const std::size_t start = counts.total();
    const Place floor = counts.positive;
    next_.clear();
    for (std::size_t ahead = horizon; ahead > 0; --ahead) {
      const RewardSpots::Spot& spot = spots_.at(start + ahead);
      Place low = next_.empty() ? std::numeric_limits<Place>::max() : next_.first() - 1;
      Place high = next_.empty() ? std::numeric_limits<Place>::min() : next_.last();
      if (spot.reward > fee) {
        low = std::min(low, spot.place);
        high = std::max(high, spot.place);
      }
      low = std::max(low, floor);
      high = std::min(high, floor + static_cast<Place>(ahead));
      current_.clear();
      for (Place place = low; place <= high; ++place) {
        const Prospect on = going_on(place, start + ahead, spot);
        current_.push(place, on.gain > fee * on.time ? on : Prospect{});
      }
      current_.trim();
      std::swap(current_, next_);
    }
    return going_on(floor, start, spots_.at(start));
  }

  Prospect going_on(Place place, std::size_t depth, const RewardSpots::Spot& spot) {
    const double chance = discount_ * chances_.at(place, depth);
    const double other = discount_ - chance;
    const Prospect positive = next_.at(place + 1), negative = next_.at(place);
    const double now = place == spot.place ? spot.reward : 0;
    return {now + chance * positive.gain + other * negative.gain,
            1 + chance * positive.time + other * negative.time};
  }

  const Prior prior_;
  const double discount_;
  RewardSpots spots_;
  Chances chances_;
  Layer current_, next_;
  std::unordered_map<std::uint64_t, double> values_;
};

struct PriorHash {
  std::size_t operator()(const Prior& prior) const {
    std::size_t seed = 0;
    for (const model::BetaComponent& component : prior.components()) {
      boost::hash_combine(seed, component.weight);
      boost::hash_combine(seed, component.a);
      boost::hash_combine(seed, component.b);
    }
    return seed;
  }
};

class Table {
 public:
  explicit Table(double discount) : discount_(discount) {}

  double value(const ItemBelief& belief) {
    const std::lock_guard lock(mutex_);
    auto entry = lattices_.find(*belief.prior);
    if (entry == lattices_.end()) {
      entry = lattices_.try_emplace(*belief.prior, *belief.prior, discount_).first;
    }
    return entry->second.value(belief.counts);
  }

 private:
  const double discount_;
  std::mutex mutex_;
  std::unordered_map<Prior, Lattice, PriorHash> lattices_;
};

}  // namespace

Index gittins(double discount) {
  require(discount >= 0 && discount <= 1, "gittins", "discount", discount, "expected 0 to 1");
  return [table = std::make_shared<Table>(discount)](const ItemBelief& belief) {
    return table->value(belief);
  };
}

}  // namespace allot::index
