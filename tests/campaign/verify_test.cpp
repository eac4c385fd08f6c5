// Ledgers and snapshots that somebody changed: every comparison of verify finds its difference.
#include <gtest/gtest.h>
#include <zlib.h>

#include <functional>
#include <set>

#include "allot/base/bytes.hpp"
#include "allot/campaign/campaign.hpp"
#include "allot/store/memory_store.hpp"
#include "support/wrapped_store.hpp"

namespace allot::campaign::verify_test {
namespace {

using std::chrono::minutes;

const Time kStart(std::chrono::microseconds(1'700'000'000'000'000));

using Ledger = std::vector<store::Draft>;

/// A store that reads what a test says.
class Changed final : public test::WrappedStore {
 public:
  using Records = Result<std::vector<store::Record>>;
  Changed(store::Store& inner, std::function<Records(std::uint64_t after)> read)
      : WrappedStore(inner), read_(std::move(read)) {}

  Records read(std::string_view, std::uint64_t after, std::size_t) override { return read_(after); }

 private:
  std::function<Records(std::uint64_t after)> read_;
};

/// A store in which the fields of the first item are others.
class OtherFields final : public test::WrappedStore {
 public:
  using Fields = std::optional<std::string>;
  OtherFields(store::Store& inner, Fields fields)
      : WrappedStore(inner), fields_(std::move(fields)) {}

  Result<std::vector<store::Content>> contents(std::string_view campaign, std::uint32_t from,
                                               std::size_t most) override {
    auto found = inner().contents(campaign, from, most).value();
    if (from > 0) return found;
    std::erase_if(found, [](const store::Content& one) { return one.item == 0; });
    if (fields_) found.insert(found.begin(), {0, *fields_});
    return found;
  }

 private:
  const Fields fields_;
};

TEST(VerifyFields, FindsThoseThatChanged) {
  const std::string fields = R"({"text": "good"})";
  const auto store = store::memory_store();
  Options options;
  options.budget = Money::whole(12);
  const std::vector<ItemDraft> items{{"i0", fields}, {"i1"}, {"i2", fields}};
  ASSERT_TRUE(Campaign::create(*store, "c", options, kStart, {items, {}}));
  const auto found = [&](OtherFields::Fields other) {
    OtherFields changed(*store, std::move(other));
    return Campaign::open(changed, "c").value()->verify()->differences;
  };
  EXPECT_EQ(found(fields), std::vector<std::string>{});
  for (const auto& other : {OtherFields::Fields(R"({"text": "gooe"})"), OtherFields::Fields()}) {
    const auto differences = found(other);
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_NE(differences[0].find("the fields of item 'i0' are not those"), std::string::npos)
        << differences[0];
  }
}

class VerifyTest : public testing::Test {
 protected:
  /// A campaign in which everything happens once, and its ledger.
  VerifyTest() {
    Options options;
    options.budget = Money::whole(12);
    options.lease = minutes(10);
    options.labels_per_item = 3;
    options.labels_per_worker = 9;
    options.stop.settled = 0.9;
    options.stop.accuracy = 0.86;
    options.calibrated = false;
    options.ties = policy::TieBreak::first;
    std::vector<ItemDraft> items(4);
    for (std::size_t i = 0; i < items.size(); ++i) items[i].id = "i" + std::to_string(i);
    const std::vector<std::pair<std::string, Money>> prices{{"dan", Money::whole(2)}};
    const auto campaign = Campaign::create(*store_, "c", options, kStart, {items, prices}).value();
    Time now = kStart + minutes(1);
    const auto must = [](const auto& result) { EXPECT_TRUE(result) << result.error().message; };
    must(campaign->next("ann", 3, now));
    must(campaign->record(Answer{"i0", "ann", "yes"}, now));
    must(campaign->skip("i1", "ann", now));
    must(campaign->release("i2", "ann", now));
    must(campaign->next("bob", 1, now));
    now += minutes(11);
    must(campaign->expire(now));
    must(campaign->record(Answer{"i1", "bob", "no"}, now));  // late
    must(campaign->record(Answer{"i1", "bob", "yes"}, now, true));
    must(campaign->import(std::vector{Answer{"i3", "cat", "no"}}, now).front());
    must(campaign->pause(now));
    must(campaign->resume(now));
    must(campaign->set_budget(Money::whole(20), now));
    must(campaign->settle("i3", "", now));
    options.policy = "kg";
    must(campaign->set_model(options, now));
    const VerdictDraft verdict{"i1", "no", "the worker misread it"};
    must(campaign->review("eve", std::span(&verdict, 1), now).front());
    must(campaign->undo_review("i1", "eve", now));
    must(campaign->start_audit({.target = 0.9}, now));
    // The clock was an hour and more ahead.
    now -= minutes(90);
    // Until the answers are sure.
    for (int n = 0; campaign->view().status()->phase == Phase::running && n < 20; ++n) {
      const std::string worker = "w" + std::to_string(n);
      const auto handed = campaign->next(worker, 1, now);
      if (!handed) break;
      const std::string& item = handed->assignments.at(0).item;
      must(campaign->record(Answer{item, worker, item == "i2" ? "no" : "yes"}, now));
    }
    EXPECT_TRUE(campaign->save_snapshot());
    const auto records = store_->read("c", 0, 1000).value();
    base_.assign(records.begin(), records.end());
    snapshot_ = store_->snapshot("c").value().value();
    EXPECT_EQ(snapshot_.sequence, base_.size());
    EXPECT_EQ(found_in(base_, snapshot_), std::vector<std::string>{});
  }

  /// What verify finds in a campaign with that ledger, which is believed to stand where the
  /// snapshot says.
  static std::vector<std::string> found_in(const Ledger& ledger, const store::Snapshot& snapshot) {
    const auto store = store::memory_store();
    EXPECT_TRUE(store->append("c", 0, ledger));
    EXPECT_TRUE(store->save("c", snapshot));
    const auto campaign = Campaign::open(*store, "c");
    EXPECT_TRUE(campaign) << campaign.error().message;
    return (*campaign)->verify()->differences;
  }

  /// The place of the n-th event of that kind.
  template <typename Of>
  std::size_t place_of(int n = 0) const {
    for (std::size_t place = 0; place < base_.size(); ++place) {
      if (get<Of>(place) && n-- == 0) return place;
    }
    ADD_FAILURE() << "there is no such event";
    return 0;
  }
  template <typename Of>
  std::optional<Of> get(std::size_t place) const {
    const Event event = decode(base_[place].kind, base_[place].payload).value();
    const auto* one = std::get_if<Of>(&event);
    return one ? std::optional(*one) : std::nullopt;
  }

  static void put(Ledger& ledger, std::size_t place, const Event& event) {
    ledger[place].kind = kind(event);
    ledger[place].payload = encode(event);
  }
  /// The ledger with another event at that place.
  Ledger with(std::size_t place, const Event& event) const {
    Ledger ledger = base_;
    put(ledger, place, event);
    return ledger;
  }
  /// The ledger with one event changed by change(event).
  template <typename Of, typename Change>
  Ledger changed(Change change, int n = 0) const {
    const std::size_t place = place_of<Of>(n);
    Of event = get<Of>(place).value();
    change(event);
    return with(place, event);
  }

  /// One difference says so, beginning with the record's number if it has one.
  void expect_found(const Ledger& ledger, const std::string& words,
                    const store::Snapshot& snapshot) const {
    std::string all;
    for (const std::string& line : found_in(ledger, snapshot)) all += line + "\n";
    EXPECT_NE(all.find(words), std::string::npos) << "expected " << words << "\nfound " << all;
  }
  void expect_found(const Ledger& ledger, const std::string& words) const {
    expect_found(ledger, words, snapshot_);
  }
  std::string record(std::size_t place) const { return "record " + std::to_string(place + 1); }
  /// The event cannot happen at that place.
  void expect_impossible(std::size_t place, const Event& event, const std::string& words) const {
    expect_found(with(place, event), record(place) + " of the ledger: " + words);
  }

  /// The snapshot of a campaign with that ledger.
  static store::Snapshot snapshot_of(const Ledger& ledger) {
    const auto store = store::memory_store();
    EXPECT_TRUE(store->append("c", 0, ledger));
    const auto campaign = Campaign::open(*store, "c");
    EXPECT_TRUE(campaign) << campaign.error().message;
    EXPECT_TRUE((*campaign)->save_snapshot());
    return store->snapshot("c").value().value();
  }

  std::unique_ptr<store::Store> store_ = store::memory_store();
  Ledger base_;
  store::Snapshot snapshot_;
};

TEST_F(VerifyTest, TheLedgerHasEveryKindOfEvent) {
  std::set<std::uint8_t> kinds;
  for (const store::Draft& one : base_) kinds.insert(one.kind);
  // Not closed, no gold items, and no sessions and changes of workers, groups, versions, options,
  // page and archive, which have tests of their own.
  EXPECT_EQ(kinds.size(), std::variant_size_v<Event> - 2 - 4 - 6);
  const auto certain = get<Settled>(place_of<Settled>(1));
  EXPECT_EQ(certain->reason, kCertain);
  EXPECT_EQ(get<Paused>(place_of<Paused>(1))->reason, "accuracy");
}

TEST_F(VerifyTest, FindsDecisionsThatWouldNotHaveBeenMade) {
  const std::size_t first = place_of<Leased>();
  expect_found(changed<Leased>([](Leased& one) { one.item = ItemId{3}; }),
               record(first) +
                   ": worker 'ann' was handed item 'i3' (chosen); decided again, it is "
                   "'i0' (chosen)");
  expect_found(changed<Leased>([](Leased& one) { one.reason = LeaseReason::waiting; }),
               record(first) +
                   ": worker 'ann' was handed item 'i0' (waiting); decided again, it is "
                   "'i0' (chosen)");
  // Nobody would have got anything.
  expect_found(changed<Created>([](Created& one) { one.options.labels_per_worker = 1; }),
               record(first + 1) +
                   ": worker 'ann' was handed item 'i1' (chosen); decided again, it "
                   "is worker 'ann' has 0 labels and 1 leased items; at most 1");
  expect_found(changed<Leased>([](Leased& one) { one.expires += minutes(5); }),
               record(first) + ": a lease of 900 s; expected 600 s");
  expect_found(changed<Leased>([](Leased& one) { one.place = 2; }, 1),
               record(first + 1) + ": item 2 of a request whose item 1 is not before it");
}

TEST_F(VerifyTest, FindsWhatNoStopRuleEnded) {
  const std::size_t settled = place_of<Settled>(), paused = place_of<Paused>();
  expect_found(with(settled, Settled{ItemId{3}, std::string(kCertain)}),
               record(settled) + ": item 3 was settled as certain; decided again, it is not");
  expect_found(with(paused, Paused{"accuracy"}),
               record(paused) + ": paused by the stop rule 'accuracy'; decided again, it is not");
  expect_found(changed<Paused>([](Paused& one) { one.reason = "settled"; }, 1),
               ": paused by the stop rule 'settled'; decided again, it is not");
}

TEST_F(VerifyTest, FindsALedgerThatDoesNotBeginWithItsCreation) {
  expect_impossible(0, Resumed{}, "'resumed' at event 1; expected 'created' first");
  expect_impossible(1, get<Created>(0).value(), "'created' at event 2");
}

TEST_F(VerifyTest, FindsLeasesThatCannotBe) {
  const std::size_t first = place_of<Leased>();
  const auto leased = [&](auto change) {
    Leased lease = get<Leased>(first).value();
    change(lease);
    return lease;
  };
  expect_impossible(first, leased([](Leased& lease) { lease.price = Money(); }),
                    "a price of 0 reserved; expected 1 and at most 12");
  expect_impossible(first, leased([](Leased& lease) { lease.item = ItemId{9}; }),
                    "item 9 and worker 1; expected numbers below 4");
  expect_impossible(first, leased([](Leased& lease) { lease.expires = kStart; }),
                    "a lease that is over before it begins");
  expect_impossible(first, leased([](Leased& lease) { lease.reason = LeaseReason::gold; }),
                    "item 'i0' leased");
  expect_impossible(first + 1, leased([](Leased&) {}), "item 'i0' leased twice to 'ann'");
  expect_impossible(place_of<Paused>() + 1, leased([](Leased& lease) { lease.item = ItemId{3}; }),
                    "an item leased in a campaign that is paused");
}

TEST_F(VerifyTest, FindsWorkersThatCannotBe) {
  const std::size_t place = place_of<Leased>() + 1;
  expect_impossible(place, WorkerJoined{"ann"}, "worker 'ann' is there already");
  expect_impossible(place, WorkerJoined{""}, "a worker without a name");
  expect_impossible(place, WorkerPriced{WorkerId{0}, Money() - Money::whole(1)},
                    "a price of -1 for worker 0");
  const WorkerId ann{1};  // who has labels later on, none at this place
  expect_impossible(place, WorkerVersioned{WorkerId{7}, "2", {}, {}},
                    "the version of worker 7: no such worker");
  expect_impossible(place, WorkerVersioned{ann, "2", WorkerId{7}, {}},
                    "the version of worker 1: it follows an unknown worker");
  expect_impossible(place, WorkerVersioned{ann, "2", ann, {}},
                    "the version of worker 1: it follows itself");
  expect_impossible(place, WorkerVersioned{ann, "", {}, {}},
                    "the version of worker 1: nothing changes");
  for (const std::vector<double>& counts :
       {std::vector<double>{1}, std::vector<double>{1, 1, 1, -1}}) {
    expect_impossible(place, WorkerVersioned{ann, "2", WorkerId{0}, counts},
                      "the version of worker 1: it inherits counts that make no sense");
  }
}

TEST_F(VerifyTest, FindsItemsThatCannotBe) {
  const std::size_t place = place_of<Leased>() + 1;
  expect_impossible(place, ItemsAdded{{{"i0"}}}, "item 'i0' is there already");
  expect_impossible(place, ItemsAdded{{{"new", {}, ClassId{7}}}},
                    "item 'new' has the known answer 7");
  expect_impossible(place, ItemsAdded{{{"new", {}, {}, {1.0}}}}, "item 'new' has 1 features");
}

TEST_F(VerifyTest, FindsMoreSpentThanThereIs) {
  expect_found(changed<Created>([](Created& event) { event.options.budget = Money::whole(2); }),
               record(place_of<Leased>() + 2) +
                   " of the ledger: a price of 1 reserved; expected 1 and at most 0");
  expect_impossible(place_of<BudgetChanged>(), BudgetChanged{Money::whole(1)},
                    "a budget of 1; expected at least 2 (spent and reserved)");
}

TEST_F(VerifyTest, FindsAnswersThatCannotBe) {
  const std::size_t answer = place_of<Answered>();
  const Answered given = get<Answered>(answer).value();
  const auto answered = [&](auto change) {
    Answered event = given;
    change(event);
    return event;
  };
  expect_impossible(answer, answered([](Answered& event) { event.price = Money(); }),
                    "an answer without its lease");
  expect_impossible(answer, answered([](Answered& event) { event.item = ItemId{3}; }),
                    "an answer without its lease");
  expect_impossible(answer, answered([](Answered& event) { event.origin = AnswerOrigin::late; }),
                    "a late answer that was never due");
  expect_impossible(answer,
                    answered([](Answered& event) { event.origin = AnswerOrigin::imported; }),
                    "an imported label of an item that the worker has leased, or with a price");
  expect_impossible(answer, answered([](Answered& event) { event.label = ClassId{2}; }),
                    "class 2; expected one below 2");
  expect_impossible(answer + 1, given, "a second label by the same worker");
  expect_impossible(answer + 1, Revised{given.item, given.worker, given.label},
                    "a label revised that is not there, or to what it is");
  const Expired over = get<Expired>(place_of<Expired>()).value();
  expect_impossible(
      place_of<Expired>(),
      Answered{over.item, over.worker, ClassId{0}, Money::whole(1), AnswerOrigin::leased},
      "an answer without its lease, or after its end");
}

TEST_F(VerifyTest, FindsLeasesThatEndWithoutHavingBegunOrTooEarly) {
  const std::size_t answer = place_of<Answered>();
  const auto [item, worker, label, price, origin, remark, confidence] =
      get<Answered>(answer).value();
  expect_impossible(answer + 1, Skipped{item, worker}, "a lease ended that is not there");
  expect_impossible(answer + 1, Released{item, worker}, "a lease ended that is not there");
  expect_impossible(answer + 1, Expired{item, worker}, "a lease ended that is not there");
  expect_impossible(answer, Expired{item, worker}, "a lease expired before its end");
}

TEST_F(VerifyTest, FindsEndsAndPausesThatCannotBe) {
  const std::size_t paused = place_of<Paused>();
  expect_impossible(paused, Resumed{}, "resumed while it was running");
  expect_impossible(paused + 1, Paused{}, "paused while it was paused");
  expect_impossible(paused + 1, Settled{ItemId{0}, ""}, "an item settled that is unknown");
  expect_found(with(paused, Closed{"enough"}),
               record(paused + 1) + " of the ledger: 'resumed' in a campaign that is closed");
}

TEST_F(VerifyTest, FindsRecordsThatTheProgramDidNotWrite) {
  const std::size_t answer = place_of<Answered>(), first = place_of<Leased>();
  Ledger ledger = base_;
  ledger[answer].time = base_[answer].time - 1;
  expect_found(ledger, record(answer) + " of the ledger: time goes back");
  ledger = base_;
  ledger[answer].kind = 99;
  expect_found(ledger, record(answer) + " of the ledger: an event of kind 99; expected 1 to 31");
  ledger = base_;
  ledger[answer].payload.pop_back();
  expect_found(ledger, record(answer) + " of the ledger: an event 'answered' whose bytes make no");
  ledger = base_;
  ledger[answer].payload[0] = 4;
  expect_found(ledger,
               record(answer) + " of the ledger: an event of version 4, written by a newer allot");
  ledger = base_;
  std::swap(ledger[first], ledger[first + 1]);
  expect_found(ledger, record(first) + ": worker 'ann' was handed item 'i1'");
}

TEST_F(VerifyTest, FindsLateAnswersBeyondTheLimits) {
  int n = 0;
  while (get<Answered>(place_of<Answered>(n))->origin != AnswerOrigin::late) ++n;
  const std::size_t late = place_of<Answered>(n);
  const std::string words = "a late answer beyond the labels that item or worker may have";
  const Answered answer = get<Answered>(late).value();
  Ledger ledger = with(late, Settled{answer.item, "x"});
  put(ledger, late + 1, answer);
  expect_found(ledger, record(late + 1) + " of the ledger: " + words);

  State state;
  Options options;
  options.budget = Money::whole(9);
  options.labels_per_worker = 1;
  const ItemId first{0}, second{1};
  const WorkerId worker{0};
  for (const Event& event : std::vector<Event>{
           Created{options}, ItemsAdded{{{"i0"}, {"i1"}}}, WorkerJoined{"ann"},
           Leased{first, worker, Money::whole(1), kStart + minutes(1), LeaseReason::chosen, 0},
           Released{first, worker},
           Answered{second, worker, ClassId{0}, Money(), AnswerOrigin::imported}}) {
    ASSERT_TRUE(state.apply(event, kStart));
  }
  const auto refused =
      state.apply(Answered{first, worker, ClassId{0}, Money::whole(1), AnswerOrigin::late}, kStart);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, words);
}

TEST_F(VerifyTest, FindsNumbersThatTheLedgerDoesNotAddUpTo) {
  const auto kept_after = [&](const Ledger& other, const std::string& words) {
    expect_found(base_, words, snapshot_of(other));
  };
  const std::string state = "the kept items, workers and leases differ from what the ledger adds";
  const std::string beliefs =
      "the kept beliefs differ from those that the labels of the ledger give";
  kept_after(changed<BudgetChanged>([](BudgetChanged& one) { one.budget = Money::whole(21); }),
             "budget: 21 is kept; the ledger adds up to 20");
  kept_after(changed<BudgetChanged>([](BudgetChanged& one) { one.budget = Money::whole(21); }),
             state);
  const std::size_t answer = place_of<Answered>();
  const Answered given = get<Answered>(answer).value();
  const Ledger released = with(answer, Released{given.item, given.worker});
  kept_after(released, "labels: ");
  kept_after(released, "spent: ");
  kept_after(released, beliefs);
  const std::size_t back = place_of<Released>();
  kept_after(with(back, BudgetChanged{Money::whole(12)}),
             "reserved: 1 is kept; the ledger adds up to 0");
  const Ledger skipped =
      with(back, Skipped{get<Released>(back)->item, get<Released>(back)->worker});
  kept_after(skipped, state);
  const Ledger other_label = changed<Answered>([](Answered& one) { one.label = ClassId{0}; });
  kept_after(other_label, beliefs);
}

/// Beliefs alone: bytes of others, under a checksum that is right.
TEST_F(VerifyTest, FindsBeliefsThatNobodyWouldHold) {
  const store::Snapshot other =
      snapshot_of(changed<Answered>([](Answered& one) { one.label = ClassId{0}; }));
  store::Snapshot mixed = snapshot_;
  mixed.parts[2] = other.parts[2];
  ByteReader head(mixed.parts[0]);
  ByteWriter again;
  again.number(head.number());
  for (const std::size_t part : {1U, 2U}) {
    const std::string& bytes = mixed.parts[part];
    again.number(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  }
  mixed.parts[0] = std::move(again).take();
  EXPECT_EQ(found_in(base_, mixed),
            std::vector<std::string>{
                "the kept beliefs differ from those that the labels of the ledger give"});
}

TEST_F(VerifyTest, FindsALedgerThatEndsEarlyOrCannotBeRead) {
  const auto found_by = [&](std::function<Changed::Records(std::uint64_t)> read) {
    Changed store(*store_, std::move(read));
    return Campaign::open(store, "c").value()->verify()->differences;
  };
  const auto records = store_->read("c", 0, 1000).value();
  const auto first_ten = [&](std::uint64_t after) -> Changed::Records {
    if (after >= 10) return std::vector<store::Record>{};
    return std::vector(records.begin() + static_cast<std::ptrdiff_t>(after), records.begin() + 10);
  };
  EXPECT_EQ(found_by(first_ten),
            std::vector{"the ledger ends at 10; expected " + std::to_string(records.size())});
  const auto damaged = [&](std::uint64_t after) -> Changed::Records {
    if (after == records.size()) return std::vector<store::Record>{};
    return fail(ErrorCode::store_failure, "record 3 is not what was written");
  };
  EXPECT_EQ(found_by(damaged), std::vector<std::string>{"record 3 is not what was written"});
  const auto gap = [&](std::uint64_t after) -> Changed::Records {
    if (after == records.size()) return std::vector<store::Record>{};
    return std::vector{records[0], records[2]};
  };
  EXPECT_EQ(found_by(gap), std::vector<std::string>{"record 3 of the ledger; expected 2"});
}

}  // namespace
}  // namespace allot::campaign::verify_test
