// A campaign that survives: items and workers, a budget and a policy, every event in a ledger.
//
//   Campaign::create(store, name, options, now, {items, prices});  then, as workers come,
//   next(worker, count, now) -> items, each a lease that reserves its price and expires;
//   record(answers, ...), or skip or release;  answers(), status(), explain(...), verify().
//
// A command looks at what the ledger adds up to, decides, appends events, and answers when they are
// on disk. Commands of many threads that come at once are decided one after the other and written
// together. Several processes may drive one campaign: each command first takes in what others have
// appended. Nothing but the ledger is true; if it cannot be written the command did not happen.
//
// Times are given by the caller. Time in the ledger never goes back: where the clock does, events
// keep the time of the last one. Leases that are over end with the next command.
//
// Items, workers and classes are named by texts; refusals name what was given and what would be
// accepted. A key names a request: the same key again gets the first one's answer and changes
// nothing, so whoever is not sure that a request came through can repeat it.
//
// Cost: a command one commit of the store, shared by those that wait with it; choosing an item one
// search of policy/pair_policy.hpp, after a refit one look at all items; opening reads the last
// snapshot and the records after it. A million items with ten million labels open in 1.5 s of work
// and are ready to choose after 1.3 s more, in 470 MB (bench/ledger_bench.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "allot/base/money.hpp"
#include "allot/base/result.hpp"
#include "allot/campaign/event.hpp"
#include "allot/campaign/options.hpp"
#include "allot/campaign/state.hpp"
#include "allot/store/store.hpp"

namespace allot::campaign {

/// An item to be labelled.
struct ItemDraft {
  std::string id;
  /// What is to be shown of it, in whatever notation the caller likes. Kept beside the ledger.
  std::string fields = {};
  std::optional<Money> price = {};
  /// The name of its class, if that is known: workers are tried on it, and no answer is sought.
  std::optional<std::string> truth = {};
  std::vector<double> features = {};
  /// The name of its class as you know it, to measure answers by: nothing else looks at it.
  std::optional<std::string> reference = {};
};

/// What a campaign starts with, beside its options.
struct Beginning {
  std::span<const ItemDraft> items = {};
  /// By worker; those who are named join.
  std::span<const std::pair<std::string, Money>> prices = {};
};

/// What a worker says about an item.
struct Answer {
  std::string item, worker, label;
};

/// An item handed out. `why` is for the requester, not for the worker.
struct Assignment {
  std::string item;
  std::string fields;
  Money price;
  Time expires;
  Why why;
};

struct Handed {
  std::vector<Assignment> assignments;
  /// Why there are fewer than were asked for; empty if there are not.
  std::string shortfall;
};

enum class Outcome {
  recorded,
  already,  // the very label was there
  revised,
};

struct Status {
  Phase phase;
  std::string reason;  // for being closed, or the stop rule that paused it
  Time started, last_event;
  Money budget, spent, reserved, left;
  std::uint64_t events;
  std::uint32_t items, gold, workers, leases;
  std::uint64_t labels, gold_labels, imported;
  /// Items of which nobody is asked any more, by reason.
  std::vector<std::pair<std::string, std::uint32_t>> settled;
  /// Mean probability, over the items but gold, that the answer is right.
  double expected_accuracy;
  /// By days since 1970 began, UTC.
  std::vector<std::pair<std::int64_t, std::uint64_t>> labels_by_day;
  /// What the expected accuracy cannot exceed with what is left, whatever the policy, if workers
  /// are as good as they are believed to be and as cheap as the cheapest. Known for yes/no items
  /// that are refitted and whose labels are not free.
  std::optional<double> bound = {};
  /// Items with a reference, gold apart, and the share of them whose answer of now is right.
  std::uint32_t references = 0;
  std::optional<double> accuracy = {};
};

struct AnswerRow {
  std::string item;
  ClassId answer;
  /// By class.
  std::vector<double> probabilities;
  std::uint32_t labels;
  /// Of the probabilities, in nats.
  double entropy;
  /// The share of labels that are not the answer; 0 without labels.
  double disagreement;
  /// Why nobody is asked any more; empty if it goes on.
  std::string settled;
};

/// How all items stand, by number, at one event.
struct Board {
  struct Item {
    /// Of the answer, as is believed now; a gold item's is 1.
    double probability;
    ClassId answer;
    std::uint32_t labels;
  };
  std::uint64_t sequence = 0;
  std::vector<Item> items = {};
};

/// A worker said so, or says so instead of what they said before.
struct Said {
  WorkerId worker;
  ClassId label;
};

struct WorkerRow {
  std::string worker;
  WorkerFacts facts;
  Money price;
  /// The chance of a right label, with an interval that holds it with probability 0.9.
  double reliability, low, high;
  /// With the most frequent label of the others, over the items, gold apart, that others labelled
  /// too; nothing without such items.
  std::optional<double> agreement;
};

/// What one more label would do to an item.
struct IfSaid {
  /// That the worker says so.
  double chance;
  /// Of the classes after it.
  std::vector<double> probabilities;
};

/// Why an item is asked, or not.
struct Explanation {
  std::string item;
  std::vector<Share> shares;
  std::vector<double> probabilities;
  std::uint32_t pending;
  std::string settled;
  std::optional<ClassId> truth;
  /// For a given worker: the policy's index of the pair, for the worker's price in terms of the
  /// lowest, and what each label would do, by class.
  std::optional<double> value;
  std::vector<IfSaid> outlook;
};

/// The next decision: the chosen item, and those behind it.
struct Ranked {
  std::string item;
  double value;
  std::vector<double> probabilities;
  std::vector<IfSaid> outlook;  // by class
};

/// An event of the ledger.
struct Happened {
  std::uint64_t sequence;
  Time time;
  std::string key;
  Event event;
};

struct Verification {
  std::uint64_t events = 0, decisions = 0;
  /// What differs, a line each; empty if all is well.
  std::vector<std::string> differences;
};

class Campaign {
 public:
  /// The store must outlive the campaign. Refuses a name that is in use. All in one commit: there
  /// is a campaign with everything that it begins with, or none.
  static Result<std::unique_ptr<Campaign>> create(store::Store& store, std::string name,
                                                  const Options& options, Time now,
                                                  const Beginning& beginning = {});
  static Result<std::unique_ptr<Campaign>> open(store::Store& store, std::string name);
  ~Campaign();

  const std::string& name() const;

  /// For a process that stays: refits of 10,000 labels and more are made by a thread of their own
  /// while others ask and answer. They take effect after a set number of further labels, so that
  /// decisions are the same with it and without.
  void fit_ahead(bool ahead);

  /// Refits of beliefs that took effect since it was opened here.
  std::uint64_t refits() const;

  /// Commands that `commands` gives by this thread are decided one after the other and put on disk
  /// together: what they returned, and what was read between them, holds only if this does. An
  /// exception undoes them all.
  Result<void> together(const std::function<void()>& commands);

  // Commands. Any number of threads may call them.

  /// All or none. Ids must be new.
  Result<void> add_items(std::span<const ItemDraft> items, Time now, std::string_view key = {});
  /// Up to `count` items for the worker, who joins if unknown. Refused if there is none at all.
  /// Stop rules are looked at first, here and after answers: they settle items and pause the
  /// campaign, as events with the rule's name, and it goes on by itself once they ask for more.
  Result<Handed> next(std::string_view worker, std::uint32_t count, Time now,
                      std::string_view key = {});
  /// Each answer for itself: those refused do not keep out the others. An answer whose lease is
  /// gone is late, and taken if budget and item allow. Another label than before is refused unless
  /// `revise`. Under the key of a request that was made before nothing changes, and outcomes are
  /// those of then.
  std::vector<Result<Outcome>> record(std::span<const Answer> answers, Time now,
                                      bool revise = false, std::string_view key = {});
  Result<Outcome> record(const Answer& answer, Time now, bool revise = false,
                         std::string_view key = {});
  /// Labels from elsewhere: they cost nothing and need no lease. Workers who are unknown join.
  std::vector<Result<Outcome>> import(std::span<const Answer> labels, Time now);
  /// The worker does not want the items, and will not get them again. Here and below, of several
  /// all or none.
  Result<void> skip(std::span<const std::string> items, std::string_view worker, Time now,
                    std::string_view key = {});
  Result<void> skip(const std::string& item, std::string_view worker, Time now,
                    std::string_view key = {}) {
    return skip(std::span(&item, 1), worker, now, key);
  }
  /// The items go back, and the worker may get them again.
  Result<void> release(std::span<const std::string> items, std::string_view worker, Time now,
                       std::string_view key = {});
  Result<void> release(const std::string& item, std::string_view worker, Time now,
                       std::string_view key = {}) {
    return release(std::span(&item, 1), worker, now, key);
  }
  /// Ends leases that are over; how many. Every other command does it too.
  Result<std::uint32_t> expire(Time now);
  /// No items are handed out until `resume`; answers are taken.
  Result<void> pause(Time now);
  Result<void> resume(Time now);
  /// Not below what is spent and reserved.
  Result<void> set_budget(Money budget, Time now);
  /// For what is handed out from now on. Workers who are unknown join.
  Result<void> set_prices(std::span<const std::pair<std::string, Money>> prices, Time now);
  Result<void> set_price(std::string worker, Money price, Time now) {
    const std::pair one(std::move(worker), price);
    return set_prices(std::span(&one, 1), now);
  }
  /// Nobody is asked about the items any more.
  Result<void> settle(std::span<const std::string> items, const std::string& reason, Time now);
  Result<void> settle(const std::string& item, const std::string& reason, Time now) {
    return settle(std::span(&item, 1), reason, now);
  }
  /// For good. Leases end, and answers are no longer taken.
  Result<void> close(std::string reason, Time now);

  // What is known. All of these first take in what other processes appended.

  /// The bound takes most of the time where there are many items.
  Result<Status> status(bool with_bound = true);
  /// What is believed of all items, without that fit: one pass over them.
  Result<Board> board();
  /// What the labels of an item up to each of these would make of it, if all that is believed of
  /// workers and other items were as it is now: the last is what is believed now. Nothing of a
  /// gold item, nor without refits, where items are more than a class.
  Result<std::vector<std::vector<double>>> along(ItemId item, std::span<const Said> said);
  /// Of all items but gold, in order, after a last fit to all labels.
  Result<std::vector<AnswerRow>> answers();
  Result<std::vector<WorkerRow>> workers();
  Result<std::vector<Assignment>> leases(std::string_view worker);
  Result<Explanation> explain(std::string_view item, std::string_view worker = {});
  /// What the worker would get now, best first, at most `count` of those that nobody has at hand.
  Result<std::vector<Ranked>> ranking(std::string_view worker, std::uint32_t count);
  /// Whom to ask about what, if one may choose: worker and item. Of those who can be paid, the
  /// pair with the most gain for the worker's price.
  Result<std::optional<std::pair<std::string, std::string>>> whom_next();
  /// Whether a request with that key left an event.
  Result<bool> knows(std::string_view key);
  /// The worker who was handed items by the request with that key, if there was one.
  Result<std::optional<std::string>> handed_under(std::string_view key);
  /// visit(state) under a lock.
  Result<void> read(const std::function<void(const State&)>& visit);
  /// Up to `most` events after that sequence number, in order.
  Result<std::vector<Happened>> events(std::uint64_t after, std::size_t most);
  /// visit(event) for all of them.
  Result<void> replay(const std::function<void(const Happened&)>& visit);

  /// Folds the ledger from nothing, makes every decision in it again, and compares both with what
  /// is kept here.
  Result<Verification> verify();
  /// Saves where it stands, so that the next opening is quick. Done now and then by itself.
  Result<void> save_snapshot();

 private:
  class Impl;
  explicit Campaign(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace allot::campaign
