// A plain account of a campaign: what its events add up to, kept in maps and sets.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "allot/campaign/event.hpp"
#include "allot/campaign/state.hpp"

namespace allot::campaign {

using Place = std::pair<std::uint32_t, std::uint32_t>;  // item, worker

template <typename Of>
Place place(const Of& event) {
  return {position(event.item), position(event.worker)};
}

/// Checks every event: may it happen, and is spent + reserved <= budget after it?
class PlainAccount {
 public:
  struct Held {
    Money price;
    Time expires;
  };
  struct Item {
    std::string id;
    std::optional<Money> price;
    std::optional<std::uint32_t> gold;
    std::string settled;
    std::optional<std::uint32_t> verdict = {};
  };
  struct Worker {
    std::string name;
    std::optional<Money> price;
    std::uint32_t skips = 0;
    Money spent;
    Standing standing = Standing::active;
    std::string group = {};
    std::optional<WorkerId> follows = {};
    std::vector<std::uint32_t> times = {};
  };

  void take(const Event& event, Time at) {
    if (std::holds_alternative<ClockSetBack>(event)) {
      EXPECT_LT(at, time - std::chrono::hours(1));
    } else {
      EXPECT_GE(at, time);
    }
    time = at;
    if (events == 0) started = at;
    ++events;
    seen.insert(std::string(name(event)));
    std::visit([&](const auto& one) { happen(one); }, event);
    EXPECT_LE(spent() + reserved(), budget) << "event " << events;
  }

  Money spent() const {
    Money sum;
    for (const Worker& one : workers) sum += one.spent;
    return sum;
  }
  Money reserved() const {
    Money sum;
    for (const auto& [pair, one] : held) sum += one.price;
    return sum;
  }
  std::uint32_t labels_of_item(std::uint32_t item) const {
    std::uint32_t count = 0;
    for (const auto& [pair, label] : labels) count += pair.first == item && counts(pair.second);
    return count;
  }
  std::uint32_t labels_of_worker(std::uint32_t worker) const {
    std::uint32_t count = 0;
    for (const auto& [pair, label] : labels) count += pair.second == worker;
    return count;
  }
  bool counts(std::uint32_t worker) const { return workers[worker].standing != Standing::excluded; }
  std::uint64_t excluded_labels() const {
    std::uint64_t count = 0;
    for (const auto& [pair, label] : labels) count += !counts(pair.second);
    return count;
  }
  std::uint32_t at_hand(std::uint32_t worker) const {
    std::uint32_t count = 0;
    for (const auto& [pair, one] : held) count += pair.second == worker;
    return count;
  }
  std::uint32_t pending(std::uint32_t item) const {
    std::uint32_t count = 0;
    for (const auto& [pair, one] : held) count += pair.first == item;
    return count;
  }
  std::string settled(std::uint32_t item) const {
    if (items[item].verdict) return "reviewed";
    if (!items[item].settled.empty() || items[item].gold) return items[item].settled;
    const std::uint32_t most = options.labels_per_item;
    return most > 0 && labels_of_item(item) >= most ? "full" : "";
  }

  Options options;
  Time time, started;
  std::uint64_t events = 0, imported = 0;
  Phase phase = Phase::running;
  bool archived = false;
  std::string reason;
  Money budget;
  std::vector<Item> items;
  std::vector<Worker> workers;
  std::map<Place, Held> held;
  std::map<Place, std::uint32_t> labels;
  std::set<Place> skipped, lapsed;
  std::map<std::int64_t, std::uint64_t> by_day;
  /// What happened at all: kinds of events, how answers came, why items were handed out.
  std::set<std::string> seen;

 private:
  Money price_of(const Place& pair) const {
    if (workers[pair.second].price) return *workers[pair.second].price;
    return items[pair.first].price.value_or(options.price);
  }
  bool has_room(std::uint32_t item) const {
    if (!items[item].settled.empty() || items[item].gold || items[item].verdict) return false;
    const std::uint32_t most = options.labels_per_item;
    return most == 0 || labels_of_item(item) + pending(item) < most;
  }
  bool may_label(std::uint32_t worker) const {
    if (workers[worker].standing != Standing::active) return false;
    const std::uint32_t most = options.labels_per_worker;
    return most == 0 || labels_of_worker(worker) + at_hand(worker) < most;
  }
  void unsettle() {
    for (Item& item : items) {
      if (item.settled == kCertain) item.settled.clear();
    }
  }
  void end(const Place& pair, std::set<Place>& where) {
    EXPECT_EQ(held.erase(pair), 1U);
    where.insert(pair);
  }

  void happen(const Created& one) {
    EXPECT_EQ(events, 1U);
    options = one.options;
    budget = one.options.budget;
  }
  void happen(const ItemsAdded& one) {
    for (const NewItem& item : one.items) {
      for (const Item& other : items) EXPECT_NE(other.id, item.id);
      items.push_back({item.id, item.price, {}, ""});
      if (item.gold) items.back().gold = position(*item.gold);
    }
  }
  void happen(const WorkerJoined& one) {
    for (const Worker& other : workers) EXPECT_NE(other.name, one.name);
    workers.push_back({one.name, {}, 0, Money()});
  }
  void happen(const WorkerPriced& one) { workers[position(one.worker)].price = one.price; }
  void happen(const Leased& one) {
    const Place pair = place(one);
    seen.insert("why " + std::to_string(static_cast<int>(one.reason)));
    EXPECT_EQ(phase, Phase::running);
    EXPECT_FALSE(archived);
    EXPECT_FALSE(labels.contains(pair));
    EXPECT_FALSE(skipped.contains(pair));
    EXPECT_TRUE(one.reason == LeaseReason::gold ? items[pair.first].gold.has_value()
                                                : has_room(pair.first));
    EXPECT_EQ(one.reason == LeaseReason::waiting,
              one.reason != LeaseReason::gold && pending(pair.first) > 0);
    EXPECT_TRUE(may_label(pair.second));
    EXPECT_EQ(one.price, price_of(pair));
    EXPECT_EQ(one.expires, time + options.lease);
    EXPECT_TRUE(held.emplace(pair, Held{one.price, one.expires}).second);
    lapsed.erase(pair);
  }
  void happen(const Answered& one) {
    const Place pair = place(one);
    seen.insert("how " + std::to_string(static_cast<int>(one.origin)));
    switch (one.origin) {
      case AnswerOrigin::leased:
        EXPECT_EQ(held.at(pair).price, one.price);
        EXPECT_LT(time, held.at(pair).expires);
        held.erase(pair);
        break;
      case AnswerOrigin::late:
        EXPECT_TRUE(lapsed.contains(pair));
        EXPECT_EQ(one.price, price_of(pair));
        EXPECT_TRUE(items[pair.first].gold || has_room(pair.first));
        EXPECT_TRUE(may_label(pair.second));
        break;
      case AnswerOrigin::collected:
        ADD_FAILURE() << "no test collects answers";
        break;
      case AnswerOrigin::imported:
        EXPECT_FALSE(held.contains(pair));
        EXPECT_EQ(one.price, Money());
        ++imported;
        break;
    }
    EXPECT_TRUE(counts(pair.second));
    if (one.remark.milliseconds > 0) workers[pair.second].times.push_back(one.remark.milliseconds);
    EXPECT_TRUE(labels.emplace(pair, position(one.label)).second);
    lapsed.erase(pair);
    skipped.erase(pair);
    workers[pair.second].spent += one.price;
    ++by_day[std::chrono::floor<std::chrono::days>(time).time_since_epoch().count()];
  }
  void happen(const Revised& one) {
    EXPECT_EQ(workers[position(one.worker)].standing, Standing::active);
    EXPECT_NE(labels.at(place(one)), position(one.label));
    labels.at(place(one)) = position(one.label);
  }
  void happen(const Skipped& one) {
    if (one.paid != Money()) {
      EXPECT_EQ(one.paid, held.at(place(one)).price);
      EXPECT_EQ(one.remark.reason, kUnsure);
      seen.insert("paid abstention");
    }
    workers[position(one.worker)].spent += one.paid;
    end(place(one), skipped);
    ++workers[position(one.worker)].skips;
  }
  void happen(const Released& one) {
    if (skipped.erase(place(one)) == 0) return end(place(one), lapsed);
    lapsed.insert(place(one));
    --workers[position(one.worker)].skips;
    seen.insert("unskipped");
  }
  void happen(const Expired& one) {
    EXPECT_GE(time, held.at(place(one)).expires);
    end(place(one), lapsed);
  }
  void happen(const Settled& one) {
    EXPECT_EQ(items[position(one.item)].settled, "");
    if (one.reason == kCertain) seen.insert("certain");
    items[position(one.item)].settled = one.reason;
  }
  void happen(const Paused& one) {
    EXPECT_EQ(phase, Phase::running);
    seen.insert("paused " + one.reason);
    phase = Phase::paused;
    reason = one.reason;
  }
  void happen(const Resumed&) {
    EXPECT_EQ(phase, Phase::paused);
    phase = Phase::running;
    reason.clear();
  }
  void happen(const ModelChanged&) {}
  void happen(const PageChanged&) {}
  void happen(const OptionsChanged& one) {
    if (one.options.stop != options.stop) unsettle();
    options = one.options;
  }
  void happen(const StandingChanged& one) {
    Worker& worker = workers[position(one.worker)];
    EXPECT_NE(worker.standing, one.standing);
    const bool any = labels_of_worker(position(one.worker)) > 0;
    const bool recounts =
        worker.standing == Standing::excluded || one.standing == Standing::excluded;
    worker.standing = one.standing;
    std::erase_if(held, [&](const auto& lease) {
      const bool ends = lease.first.second == position(one.worker);
      if (ends) lapsed.insert(lease.first);
      return ends;
    });
    if (any && recounts) unsettle();
  }
  /// Pairs of workers who err together.
  std::set<Place> pairs_together() const {
    std::set<Place> pairs;
    for (std::uint32_t j = 0; j < workers.size(); ++j) {
      for (std::uint32_t k = 0; k < j; ++k) {
        if (!workers[j].group.empty() && workers[j].group == workers[k].group) pairs.insert({j, k});
      }
    }
    return pairs;
  }
  void happen(const WorkerGrouped& one) {
    EXPECT_NE(workers[position(one.worker)].group, one.group);
    const auto before = pairs_together();
    workers[position(one.worker)].group = one.group;
    if (pairs_together() != before) unsettle();
  }
  void happen(const WorkerVersioned& one) {
    Worker& worker = workers[position(one.worker)];
    if (worker.follows == one.follows) return;
    EXPECT_EQ(labels_of_worker(position(one.worker)), 0);
    worker.follows = one.follows;
    std::uint32_t steps = 0;
    for (auto before = one.follows; before; before = workers[position(*before)].follows)
      ASSERT_LT(++steps, workers.size()) << "a circle";
    if (one.follows) seen.insert("follows");
  }
  void happen(const GoldStated& one) {
    for (const GoldBelief& belief : one.beliefs) {
      EXPECT_TRUE(items[position(belief.item)].gold);
      EXPECT_EQ(belief.labels, labels_of_item(position(belief.item)));
    }
  }
  void happen(const AuditStarted& one) {
    EXPECT_EQ(one.answers.size(), items.size());
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      const bool known = items[i].gold || items[i].verdict;
      EXPECT_EQ(one.answers[i] > 0, !known && labels_of_item(i) > 0);
    }
  }
  void happen(const Reviewed& one) {
    EXPECT_FALSE(one.verdicts.empty());
    for (const Verdict& verdict : one.verdicts) {
      Item& item = items[position(verdict.item)];
      EXPECT_FALSE(item.gold || item.verdict);
      item.verdict = position(verdict.answer);
      EXPECT_EQ(verdict.labels, labels_of_item(position(verdict.item)));
      EXPECT_EQ(verdict.stated.empty(), verdict.labels == 0);
    }
  }
  void happen(const ReviewUndone& one) {
    EXPECT_TRUE(items[position(one.item)].verdict);
    items[position(one.item)].verdict.reset();
  }
  // Other tests play sessions.
  void happen(const RecruitingChanged&) {}
  void happen(const SessionJoined&) {}
  void happen(const Qualified&) {}
  void happen(const SessionEnded&) {}
  void happen(const BudgetChanged& one) { budget = one.budget; }
  void lapse_all() {
    for (const auto& [pair, terms] : held) lapsed.insert(pair);
    held.clear();
  }
  void happen(const ClockSetBack&) {
    for (auto& [pair, terms] : held) terms.expires = std::min(terms.expires, time + options.lease);
  }
  void happen(const ArchiveChanged& one) {
    EXPECT_NE(archived, one.archived);
    archived = one.archived;
    if (archived) lapse_all();
  }
  void happen(const Closed& one) {
    lapse_all();
    phase = Phase::closed;
    reason = one.reason;
  }
};

}  // namespace allot::campaign
