// What clients of a cluster were told, and whether the ledger agrees.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "allot/campaign/campaign.hpp"
#include "allot/store/store.hpp"

namespace allot::test {

/// One label that a client sent, under one key, as often as it took to hear of it.
struct LabelCall {
  std::string key, worker, item, label;
  std::uint64_t sent = 0;      // place of the first attempt in the order of the test's clock
  std::uint64_t answered = 0;  // 0 if no answer was definite
};

/// What the campaign may spend, and how many labels an item may get; 0 for any number.
struct LedgerLimits {
  double budget = 0;
  std::uint32_t labels_per_item = 0;
};

class ClusterHistory {
 public:
  std::uint64_t tick() {
    const std::scoped_lock lock(mutex_);
    return ++clock_;
  }
  void add(LabelCall call) {
    const std::scoped_lock lock(mutex_);
    acknowledged_ += call.answered > 0;
    calls_.push_back(std::move(call));
  }
  std::size_t acknowledged() const {
    const std::scoped_lock lock(mutex_);
    return acknowledged_;
  }

  /// Every way in which the ledger contradicts the clients; empty if it does not.
  std::vector<std::string> check(store::Store& store, const std::string& campaign,
                                 const LedgerLimits& limits) const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> wrong;
    std::map<std::string, std::uint64_t> place;  // of each label's key
    check_records(store, campaign, place, wrong);
    std::set<std::string> known;
    for (const LabelCall& call : calls_) {
      known.insert(call.key);
      if (call.answered > 0 && !place.contains(call.key)) {
        wrong.push_back("lost: " + call.key + " " + call.item + " " + call.label);
      }
    }
    for (const auto& [key, sequence] : place) {
      if (!known.contains(key)) wrong.push_back("from nowhere: " + key);
    }
    check_order(place, wrong);
    check_campaign(store, campaign, limits, wrong);
    return wrong;
  }

 private:
  /// Numbers without a hole, and each key once. The store checks checksums as it reads.
  static void check_records(store::Store& store, const std::string& campaign,
                            std::map<std::string, std::uint64_t>& place,
                            std::vector<std::string>& wrong) {
    std::uint64_t last = 0;
    while (true) {
      const auto records = store.read(campaign, last, 1000);
      if (!records) return wrong.push_back("unreadable: " + records.error().message);
      for (const store::Record& record : *records) {
        if (record.sequence != ++last) wrong.push_back(fmt::format("hole at {}", last));
        const std::size_t mark = record.key.find("label-");
        if (mark == std::string::npos) continue;
        const bool is_new = place.emplace(record.key.substr(mark), record.sequence).second;
        if (!is_new) wrong.push_back("twice: " + record.key);
      }
      if (records->size() < 1000) return;
    }
  }

  /// A label that was answered before another was sent stands before it.
  void check_order(const std::map<std::string, std::uint64_t>& place,
                   std::vector<std::string>& wrong) const {
    struct Moment {
      std::uint64_t time, sequence;
      bool is_answer;
    };
    std::vector<Moment> moments;
    for (const LabelCall& call : calls_) {
      const auto found = place.find(call.key);
      if (found == place.end()) continue;
      moments.push_back({call.sent, found->second, false});
      if (call.answered > 0) moments.push_back({call.answered, found->second, true});
    }
    std::ranges::sort(moments, {}, &Moment::time);
    std::uint64_t latest = 0;  // of those answered so far
    for (const Moment& moment : moments) {
      if (moment.is_answer) {
        latest = std::max(latest, moment.sequence);
      } else if (moment.sequence < latest) {
        wrong.push_back(fmt::format("order: record {} was sent after {} was answered",
                                    moment.sequence, latest));
      }
    }
  }

  /// Every decision is made again, and the events are counted by a second, plain account.
  void check_campaign(store::Store& store, const std::string& name, const LedgerLimits& limits,
                      std::vector<std::string>& wrong) const {
    const auto open = campaign::Campaign::open(store, name);
    if (!open) return wrong.push_back("cannot be opened: " + open.error().message);
    const auto verified = (*open)->verify();
    if (!verified) return wrong.push_back("not verified: " + verified.error().message);
    for (const std::string& difference : verified->differences) wrong.push_back(difference);
    const auto events = (*open)->view().events(0, 10'000'000);
    if (!events) return wrong.push_back("no events: " + events.error().message);
    check_account(*events, limits, wrong);
    const auto named = (*open)->view().read([&](const campaign::State& state) {
      check_values(*events, state, wrong);
      return true;
    });
    if (!named) wrong.push_back("no names: " + named.error().message);
  }

  /// After every event: spent and reserved money within the budget, labels and leases of an item
  /// within its limit, and no item twice with one worker.
  static void check_account(const std::vector<campaign::LedgerEntry>& events,
                            const LedgerLimits& limits, std::vector<std::string>& wrong) {
    using Pair = std::pair<std::uint32_t, std::uint32_t>;  // item and worker
    std::set<Pair> labelled;
    std::map<Pair, double> leased;                     // with the price
    std::map<std::uint32_t, std::uint32_t> labels_of;  // with leases, by item
    double spent = 0, reserved = 0;
    const auto end_lease = [&](const Pair& pair) {
      const auto lease = leased.find(pair);
      if (lease == leased.end()) return;
      reserved -= lease->second;
      --labels_of[pair.first];
      leased.erase(lease);
    };
    for (const campaign::LedgerEntry& entry : events) {
      const auto object = [&](std::string_view what) {
        wrong.push_back(fmt::format("{} at record {}", what, entry.sequence));
      };
      const auto count = [&](std::uint32_t item) {
        if (++labels_of[item] > limits.labels_per_item && limits.labels_per_item > 0) {
          object("too many labels of an item");
        }
      };
      if (const auto* lease = std::get_if<campaign::Leased>(&entry.event)) {
        const Pair pair(position(lease->item), position(lease->worker));
        if (!leased.emplace(pair, lease->price.value()).second || labelled.contains(pair)) {
          object("leased twice to one worker");
        }
        reserved += lease->price.value();
        count(pair.first);
      } else if (const auto* label = std::get_if<campaign::Answered>(&entry.event)) {
        const Pair pair(position(label->item), position(label->worker));
        end_lease(pair);
        if (!labelled.insert(pair).second) object("two labels of one worker");
        spent += label->price.value();
        count(pair.first);
      } else if (const auto* expired = std::get_if<campaign::Expired>(&entry.event)) {
        end_lease({position(expired->item), position(expired->worker)});
      }
      if (spent + reserved > limits.budget) object("overspent");
    }
  }

  /// The label of each key is the one that the client sent under it.
  void check_values(const std::vector<campaign::LedgerEntry>& events, const campaign::State& state,
                    std::vector<std::string>& wrong) const {
    std::map<std::string, const LabelCall*> sent;
    for (const LabelCall& call : calls_) sent[call.key] = &call;
    for (const campaign::LedgerEntry& entry : events) {
      const auto* const label = std::get_if<campaign::Answered>(&entry.event);
      const std::size_t mark = entry.key.find("label-");
      if (!label || mark == std::string::npos) continue;
      const auto call = sent.find(entry.key.substr(mark));
      if (call == sent.end()) continue;  // "from nowhere"
      const LabelCall& one = *call->second;
      if (state.id(label->item) != one.item || state.name(label->worker) != one.worker ||
          campaign::class_name(state.options(), label->label) != one.label) {
        wrong.push_back(fmt::format("not as sent: {} {} {}", one.key, one.item, one.label));
      }
    }
  }

  mutable std::mutex mutex_;
  std::uint64_t clock_ = 0;
  std::size_t acknowledged_ = 0;
  std::vector<LabelCall> calls_;
};

}  // namespace allot::test
