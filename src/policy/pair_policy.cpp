#include "allot/policy/pair_policy.hpp"

#include <algorithm>
#include <limits>

#include "policy/item_search.hpp"

namespace allot::policy {
namespace {

using model::Crowd;

constexpr double kUnknown = std::numeric_limits<double>::infinity();
constexpr double kNobody = -std::numeric_limits<double>::infinity();

class PairIndexChooser final : public PairChooser {
 public:
  PairIndexChooser(const Crowd& crowd, const Offers& offers, const index::PairIndex& index,
                   TieBreak ties)
      : offers_(offers),
        ties_(ties),
        search_(crowd, offers, index),
        waiting_(crowd.worker_count()) {}

  std::optional<Pair> choose(Rng& rng) override {
    const double threshold = tie_threshold(settle());
    if (threshold == kNobody) return {};
    std::vector<std::uint32_t> tied;
    for (std::uint32_t j = 0; j < waiting_.size(); ++j) {
      if (waiting_[j].bound >= threshold) tied.push_back(j);
    }
    if (ties_ == TieBreak::first) return first_pair(tied, threshold);
    const WorkerId worker{break_tie(tied, ties_, rng)};
    return Pair{search_.first_at_least(worker, threshold, start(rng)), worker};
  }

  std::optional<ItemId> choose(WorkerId worker, Rng& rng) override {
    const auto best = search_.best(worker);
    if (!best) return {};
    const std::uint32_t from = ties_ == TieBreak::first ? 0 : start(rng);
    return search_.first_at_least(worker, tie_threshold(best->value), from);
  }

  void refresh(const Pair& asked, bool all) override {
    if (all) {
      search_.refresh_all();
      for (Waiting& one : waiting_) one = {};
      return;
    }
    search_.refresh(asked);
    ItemSearch::ItemBounds bounds(search_, asked.item);
    for (std::uint32_t j = 0; j < waiting_.size(); ++j) update({asked.item, WorkerId{j}}, bounds);
    waiting_[position(asked.worker)] = {};
  }

 private:
  /// What is known of a worker's best item.
  struct Waiting {
    double bound = kUnknown;  // not below its value
    bool exact = false;       // `bound` is its value, and `item` has it
    ItemId item{};
  };

  std::uint32_t start(Rng& rng) const {
    return static_cast<std::uint32_t>(below(rng, offers_.item_count()));
  }

  /// The belief about the item has changed, that about the worker has not.
  void update(const Pair& pair, ItemSearch::ItemBounds& bounds) {
    Waiting& one = waiting_[position(pair.worker)];
    if (one.bound == kUnknown || one.bound == kNobody) return;
    if (one.item == pair.item) one.exact = false;
    if (bounds(pair.worker) <= one.bound || !offers_.is_open(pair)) return;
    const double value = search_.value(pair);
    if (value > one.bound) one = {value, true, pair.item};
  }

  void search(std::uint32_t worker) {
    const auto best = search_.best(WorkerId{worker});
    waiting_[worker] = best ? Waiting{best->value, true, best->item} : Waiting{kNobody, true, {}};
  }

  /// Searches for workers until all who could be tied with the best are exact; the best value.
  double settle() {
    double best = kNobody;
    for (std::uint32_t j = 0; j < waiting_.size(); ++j) {
      if (waiting_[j].bound == kUnknown) search(j);
      if (waiting_[j].exact) best = std::max(best, waiting_[j].bound);
    }
    while (true) {
      std::uint32_t next = static_cast<std::uint32_t>(waiting_.size());
      for (std::uint32_t j = 0; j < waiting_.size(); ++j) {
        if (waiting_[j].exact || waiting_[j].bound < tie_threshold(best)) continue;
        if (next == waiting_.size() || waiting_[j].bound > waiting_[next].bound) next = j;
      }
      if (next == waiting_.size()) return best;
      search(next);
      best = std::max(best, waiting_[next].bound);
    }
  }

  Pair first_pair(const std::vector<std::uint32_t>& tied, double threshold) {
    Pair first{ItemId{offers_.item_count()}, WorkerId{0}};
    for (const std::uint32_t j : tied) {
      const ItemId item = search_.first_at_least(WorkerId{j}, threshold, 0);
      if (item < first.item) first = {item, WorkerId{j}};
    }
    return first;
  }

  const Offers& offers_;
  const TieBreak ties_;
  ItemSearch search_;
  std::vector<Waiting> waiting_;  // by worker
};

class PairIndexPolicy final : public PairPolicy {
 public:
  PairIndexPolicy(std::string name, index::PairIndex index, TieBreak ties,
                  std::string_view answers_by)
      : name_(std::move(name)), index_(std::move(index)), ties_(ties), answers_by_(answers_by) {}

  std::string name() const override { return name_; }
  std::string_view answers_by() const override { return answers_by_; }
  std::unique_ptr<PairChooser> start(const Crowd& crowd, const Offers& offers) const override {
    return std::make_unique<PairIndexChooser>(crowd, offers, index_, ties_);
  }

 private:
  const std::string name_;
  const index::PairIndex index_;
  const TieBreak ties_;
  const std::string answers_by_;
};

class UniformChooser final : public PairChooser {
 public:
  explicit UniformChooser(const Offers& offers) : offers_(offers) {}

  std::optional<Pair> choose(Rng& rng) override {
    if (offers_.left() == 0) return {};
    std::uint64_t n = below(rng, offers_.left());
    std::uint32_t worker = 0;
    for (; n >= offers_.left(WorkerId{worker}); ++worker) n -= offers_.left(WorkerId{worker});
    const WorkerId chosen{worker};
    return Pair{offers_.open_item(chosen, static_cast<std::uint32_t>(n)), chosen};
  }

  std::optional<ItemId> choose(WorkerId worker, Rng& rng) override {
    if (offers_.left(worker) == 0) return {};
    return offers_.open_item(worker, static_cast<std::uint32_t>(below(rng, offers_.left(worker))));
  }

  void refresh(const Pair&, bool) override {}

 private:
  const Offers& offers_;
};

class UniformPolicy final : public PairPolicy {
 public:
  std::string name() const override { return "uniform"; }
  std::unique_ptr<PairChooser> start(const Crowd&, const Offers& offers) const override {
    return std::make_unique<UniformChooser>(offers);
  }
};

}  // namespace

std::shared_ptr<const PairPolicy> pair_index_policy(std::string name, index::PairIndex index,
                                                    TieBreak ties, std::string_view answers_by) {
  return std::make_shared<PairIndexPolicy>(std::move(name), std::move(index), ties, answers_by);
}

std::shared_ptr<const PairPolicy> uniform_pair_policy() {
  return std::make_shared<UniformPolicy>();
}

}  // namespace allot::policy
