// Laws of campaigns, over random interleavings of what workers and requesters do.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>

#include "allot/campaign/campaign.hpp"
#include "allot/store/memory_store.hpp"

namespace allot::campaign::campaign_laws_test {
namespace {

struct Step {
  int what, who, which, label, seconds;
};

/// A plain account of the same events, kept beside.
class Account {
 public:
  void take(const Event& event) {
    if (const auto* created = std::get_if<Created>(&event)) budget = created->options.budget;
    if (const auto* changed = std::get_if<BudgetChanged>(&event)) budget = changed->budget;
    if (const auto* lease = std::get_if<Leased>(&event)) {
      RC_ASSERT(held.emplace(pair(*lease), lease->price).second);
      RC_ASSERT(!labels.contains(pair(*lease)));
    }
    if (const auto* answer = std::get_if<Answered>(&event)) {
      RC_ASSERT(labels.emplace(pair(*answer), position(answer->label)).second);
      held.erase(pair(*answer));
      spent += answer->price;
    }
    if (const auto* one = std::get_if<Revised>(&event))
      labels.at(pair(*one)) = position(one->label);
    if (const auto* one = std::get_if<Skipped>(&event)) RC_ASSERT(held.erase(pair(*one)) == 1U);
    if (const auto* one = std::get_if<Released>(&event)) RC_ASSERT(held.erase(pair(*one)) == 1U);
    if (const auto* one = std::get_if<Expired>(&event)) RC_ASSERT(held.erase(pair(*one)) == 1U);
    if (std::holds_alternative<Closed>(event)) held.clear();
    reserved = Money();
    for (const auto& [place, price] : held) reserved += price;
    RC_ASSERT(spent + reserved <= budget);
  }

  using Place = std::pair<std::uint32_t, std::uint32_t>;
  template <typename Of>
  static Place pair(const Of& event) {
    return {position(event.item), position(event.worker)};
  }

  Money budget, spent, reserved;
  std::map<Place, Money> held;
  std::map<Place, std::uint32_t> labels;
};

void play(Campaign& campaign, const std::vector<Step>& steps, Time start) {
  Time now = start;
  int items = 10;
  for (const auto& [what, who, which, label, seconds] : steps) {
    now += std::chrono::seconds(seconds - 10);  // now and then it goes back
    const std::string worker = "w" + std::to_string(who), item = "i" + std::to_string(which);
    const std::string text = label == 0 ? "no" : "yes";
    switch (what) {
      case 0:
      case 1:
      case 2:
      case 3:
        static_cast<void>(campaign.next(worker, static_cast<std::uint32_t>(1 + label), now));
        break;
      case 4:
      case 5:
      case 6:
      case 7: {
        // Mostly what the worker has at hand.
        const auto held = campaign.view().leases(worker).value();
        const std::string one = held.empty() || what == 7 ? item : held.front().item;
        static_cast<void>(campaign.record(Answer{one, worker, text}, now, which % 2 == 0));
        break;
      }
      case 8:
        static_cast<void>(campaign.skip(item, worker, now));
        break;
      case 9:
        static_cast<void>(campaign.release(item, worker, now));
        break;
      case 10:
        static_cast<void>(
            campaign.set_budget(Money::whole(static_cast<std::uint64_t>(20 + which * 6)), now));
        break;
      case 11:
        static_cast<void>(
            campaign.set_price(worker, Money::billionths(100'000'000 * (1 + which)), now));
        break;
      case 12: {
        ItemDraft draft;
        draft.id = "i" + std::to_string(items++);
        if (label == 1) draft.gold = "yes";
        static_cast<void>(campaign.add_items(std::vector{draft}, now));
        break;
      }
      case 13:
        static_cast<void>(which == 0 ? campaign.pause(now) : campaign.resume(now));
        break;
      case 14:
        static_cast<void>(campaign.import(std::vector{Answer{item, worker, text}}, now));
        break;
      default:
        static_cast<void>(seconds == 59 ? campaign.close("", now) : campaign.settle(item, "", now));
    }
  }
}

TEST(CampaignLaws, EveryInterleavingKeepsTheAccountsAndCanBeVerified) {
  rc::check([] {
    const auto steps = *rc::gen::scale(
        5, rc::gen::container<std::vector<Step>>(rc::gen::construct<Step>(
               rc::gen::inRange(0, 16), rc::gen::inRange(0, 5), rc::gen::inRange(0, 10),
               rc::gen::inRange(0, 2), rc::gen::inRange(0, 60))));
    Options options;
    options.budget = Money::whole(20);
    options.lease = std::chrono::seconds(120);
    options.labels_per_item = 3;
    options.labels_per_worker = 12;
    options.gold_rate = 0.3;
    options.refit = static_cast<model::Refit>(*rc::gen::inRange(0, 3));
    options.refit_every = 3;
    options.ties = *rc::gen::element(policy::TieBreak::first, policy::TieBreak::random);
    options.learn_workers = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) options.stop.accuracy = 0.85;
    if (*rc::gen::arbitrary<bool>()) options.stop.settled = 0.9;
    if (*rc::gen::arbitrary<bool>()) options.stop.worth = Money::whole(8);
    const auto store = store::memory_store();
    const Time start(std::chrono::microseconds(1'000'000));
    const auto campaign = Campaign::create(*store, "c", options, start).value();
    std::vector<ItemDraft> items(10);
    for (std::size_t i = 0; i < items.size(); ++i) items[i].id = "i" + std::to_string(i);
    RC_ASSERT(campaign->add_items(items, start).has_value());
    play(*campaign, steps, start);

    Account account;
    Time last = start;
    RC_ASSERT(campaign->view()
                  .replay([&](const LedgerEntry& one) {
                    const auto& [sequence, time, key, event] = one;
                    RC_ASSERT(time >= last);
                    last = time;
                    account.take(event);
                  })
                  .has_value());
    const Status status = campaign->view().status().value();
    RC_ASSERT(status.budget == account.budget);
    RC_ASSERT(status.spent == account.spent);
    RC_ASSERT(status.reserved == account.reserved);
    RC_ASSERT(status.labels == account.labels.size());
    RC_ASSERT(status.leases == account.held.size());
    const Verification verified = campaign->verify().value();
    RC_ASSERT(verified.differences == std::vector<std::string>{});
    // Opened again, from the ledger and from a snapshot, it is the same.
    for (const bool snapshot : {false, true}) {
      if (snapshot) RC_ASSERT(campaign->save_snapshot().has_value());
      const auto again = Campaign::open(*store, "c").value();
      RC_ASSERT(again->view().status()->expected_accuracy == status.expected_accuracy);
      RC_ASSERT(again->verify()->differences == std::vector<std::string>{});
    }
  });
}

}  // namespace
}  // namespace allot::campaign::campaign_laws_test
