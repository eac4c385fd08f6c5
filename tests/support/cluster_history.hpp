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

class ClusterHistory {
 public:
  std::uint64_t tick() {
    const std::scoped_lock lock(mutex_);
    return ++clock_;
  }
  void add(LabelCall call) {
    const std::scoped_lock lock(mutex_);
    calls_.push_back(std::move(call));
  }
  std::size_t acknowledged() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(calls_, [](const LabelCall& call) { return call.answered > 0; }));
  }

  /// Every way in which the ledger contradicts the clients; empty if it does not.
  std::vector<std::string> check(store::Store& store, const std::string& campaign,
                                 double budget) const {
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
    check_campaign(store, campaign, budget, wrong);
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

  /// Every decision is made again; the account and the labels per item and worker are counted.
  static void check_campaign(store::Store& store, const std::string& campaign, double budget,
                             std::vector<std::string>& wrong) {
    const auto open = campaign::Campaign::open(store, campaign);
    if (!open) return wrong.push_back("cannot be opened: " + open.error().message);
    const auto verified = (*open)->verify();
    if (!verified) return wrong.push_back("not verified: " + verified.error().message);
    for (const std::string& difference : verified->differences) wrong.push_back(difference);
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    double spent = 0;
    const auto events = (*open)->view().events(0, 1'000'000);
    if (!events) return wrong.push_back("no events: " + events.error().message);
    for (const campaign::LedgerEntry& entry : *events) {
      const auto* answered = std::get_if<campaign::Answered>(&entry.event);
      if (!answered) continue;
      if (!pairs.emplace(position(answered->item), position(answered->worker)).second) {
        wrong.push_back(fmt::format("two labels of one worker at record {}", entry.sequence));
      }
      spent += answered->price.value();
      if (spent > budget) wrong.push_back(fmt::format("overspent at record {}", entry.sequence));
    }
  }

  mutable std::mutex mutex_;
  std::uint64_t clock_ = 0;
  std::vector<LabelCall> calls_;
};

}  // namespace allot::test
