// Long random interleavings of all that workers and requesters do, on two objects over one store,
// beside a plain account of every number.
//
// Runs are numbered: ALLOT_SEED=N plays run N alone, ALLOT_STRESS=1 many long ones.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "allot/base/rng.hpp"
#include "allot/campaign/campaign.hpp"
#include "allot/store/memory_store.hpp"
#include "campaign/plain_account.hpp"

namespace allot::campaign::interleaving_test {
namespace {

using std::chrono::seconds;

Options some_options(Rng& rng) {
  const auto coin = [&] { return below(rng, 2) == 0; };
  Options options;
  if (coin()) options.classes = {"red", "green", "blue"};
  if (below(rng, 3) == 0) options.features = {"size"};
  const bool plain = options.classes.size() == 2 && options.features.empty();
  options.budget = Money::whole(10 + below(rng, 60));
  options.price = Money::billionths(static_cast<std::int64_t>(1 + below(rng, 3)) * 500'000'000);
  options.policy = std::vector<std::string>{"opt-kg", "kg", "uniform"}[below(rng, 3)];
  options.ties = coin() ? policy::TieBreak::first : policy::TieBreak::random;
  options.seed = below(rng, 1000);
  options.lease = seconds(60 + below(rng, 200));
  options.labels_per_item = static_cast<std::uint32_t>(below(rng, 5));
  options.labels_per_worker = static_cast<std::uint32_t>(coin() ? 0 : 3 + below(rng, 15));
  options.gold_rate = coin() ? 0 : 0.3;
  const std::uint64_t first = options.features.empty() ? 0 : 1;  // features need refits
  options.refit = static_cast<model::Refit>(first + below(rng, 4 - first));
  options.refit_every = static_cast<std::uint32_t>(1 + below(rng, 8));
  options.learn_workers = below(rng, 3) == 0;
  if (coin()) options.stop.accuracy = 0.8 + 0.15 * uniform(rng);
  options.local_reviews = options.seed % 2 == 0;
  options.mean_answers = options.seed % 3 != 0;
  options.lower_end = options.stop.accuracy > 0.9;  // few known answers would hardly reach it
  if (coin()) options.stop.settled = 0.85 + 0.1 * uniform(rng);
  if (plain && coin()) options.stop.worth = Money::whole(1 + below(rng, 9));
  return options;
}

/// A store, two objects that drive one campaign in it, and what was promised to whom.
class Play {
 public:
  explicit Play(std::uint64_t seed)
      : rng_(seed), options_(some_options(rng_)), prices_(below(rng_, 2) == 0) {
    const auto items = drafts(8);
    auto made = Campaign::create(*store_, "c", options_, now_, {items});
    EXPECT_TRUE(made) << made.error().message;
    drivers_[0] = std::move(*made);
    drivers_[1] = Campaign::open(*store_, "c").value();
  }

  void run(int steps) {
    for (int n = 0; n < steps && !testing::Test::HasFailure(); ++n) {
      tick();
      step();
      follow();
    }
    compare();
  }
  const std::set<std::string>& seen() const { return account_.seen; }

 private:
  Campaign& driver() { return *drivers_[below(rng_, 2)]; }
  std::string worker() { return "w" + std::to_string(below(rng_, 6)); }
  std::string item() { return "i" + std::to_string(below(rng_, item_count_)); }
  std::string label() { return options_.classes[below(rng_, options_.classes.size())]; }
  /// Mostly none.
  std::string key() {
    if (below(rng_, 3) > 0) return "";
    return "k" + std::to_string(++key_count_);
  }
  Money amount(std::uint64_t most) {
    return Money::billionths(static_cast<std::int64_t>(below(rng_, 2 * most)) * 500'000'000);
  }

  std::vector<ItemDraft> drafts(std::size_t count) {
    std::vector<ItemDraft> items(count);
    for (ItemDraft& one : items) {
      one.id = "i" + std::to_string(item_count_++);
      one.fields = R"({"text": ")" + one.id + R"("})";
      if (below(rng_, 5) == 0) one.gold = label();
      if (prices_ && below(rng_, 4) == 0) one.price = amount(3);
      for (std::size_t f = 0; f < options_.features.size(); ++f)
        one.features.push_back(uniform(rng_));
    }
    return items;
  }

  /// The clock mostly goes on; it jumps, and goes back.
  void tick() {
    switch (below(rng_, 12)) {
      case 0:
        now_ += seconds(below(rng_, 400));
        break;
      case 1:
        now_ -= seconds(below(rng_, 300));
        break;
      case 2:
        if (below(rng_, 20) == 0) now_ += std::chrono::days(below(rng_, 2) == 0 ? 1 : -1);
        break;
      default:
        now_ += seconds(below(rng_, 20));
    }
  }

  void change_policy() {
    Options options =
        driver().view().read([](const State& state) { return state.options(); }).value();
    options.policy = options.policy == "kg" ? "opt-kg" : "kg";
    static_cast<void>(driver().set_model(options, now_));
  }

  void change_options() {
    Options options =
        driver().view().read([](const State& state) { return state.options(); }).value();
    switch (below(rng_, 4)) {
      case 0:
        options.lease = seconds(60 + below(rng_, 200));
        break;
      case 1:
        options.labels_per_item = static_cast<std::uint32_t>(below(rng_, 6));
        break;
      case 2:
        options.gold_rate = options.gold_rate > 0 ? 0 : 0.3;
        options.policy = options.policy == "kg" ? "opt-kg" : "kg";
        break;
      default:
        options.stop.settled = options.stop.settled ? std::nullopt : std::optional(0.9);
    }
    static_cast<void>(driver().set_options(options, now_));
    static_cast<void>(driver().set_page("{}", now_));
  }

  void change_standing() {
    static constexpr Standing kAll[]{Standing::active, Standing::blocked, Standing::excluded};
    static_cast<void>(driver().set_standing(worker(), kAll[below(rng_, 3)], "", now_));
  }

  void change_group() {
    static constexpr const char* kGroups[]{"", "judges", "desk"};
    const std::vector<std::pair<std::string, std::string>> groups{
        {worker(), kGroups[below(rng_, 3)]}};
    static_cast<void>(driver().set_groups(groups, now_));
  }

  void change_version() {
    const std::string name = below(rng_, 2) == 0 ? worker() : "v" + std::to_string(below(rng_, 9));
    static_cast<void>(driver().set_version({name, "2", below(rng_, 5) == 0 ? "" : worker()}, now_));
  }

  void review() {
    const std::vector<VerdictDraft> two{{item(), label()}, {item(), label(), "clear"}};
    const std::string name = key();
    const auto outcomes = driver().review("eve", two, now_, name);
    // A repeat whose refused verdict has become possible since counts as another request.
    const std::string undone = item();
    const bool matters = undone == two[0].item || undone == two[1].item;
    if (below(rng_, 2) == 0 && (name.empty() || !matters))
      static_cast<void>(driver().undo_review(undone, "eve", now_));
    if (below(rng_, 3) == 0) static_cast<void>(driver().start_audit({.target = 0.8}, now_));
    if (name.empty() || !(outcomes[0] || outcomes[1])) return;
    const auto again = driver().review("eve", two, now_, name);
    for (std::size_t n = 0; n < 2; ++n) EXPECT_EQ(again[n].has_value(), outcomes[n].has_value());
  }

  void step() {
    const std::uint64_t what = below(rng_, 100);
    if (what < 30) return hand_out();
    if (what < 60) return answer();
    const auto ignore = [](const auto&) {};
    if (what < 61) return change_options();
    if (what < 62) return change_standing();
    if (what < 67) return give_back(true);
    if (what < 72) return give_back(false);
    if (what < 76) return ignore(driver().set_budget(account_.spent() + amount(30), now_));
    if (what < 78) return ignore(driver().set_price(worker(), amount(3), now_));
    if (what < 79) return below(rng_, 2) == 0 ? change_group() : change_version();
    if (what < 82) return ignore(driver().add_items(drafts(1 + below(rng_, 2)), now_, key()));
    if (what < 83) return change_policy();
    if (what < 84) return ignore(below(rng_, 2) ? driver().pause(now_) : driver().archive(now_));
    if (what < 88) {
      ignore(driver().unarchive(now_));
      return ignore(driver().resume(now_));
    }
    if (what < 92) return import();
    if (what < 94) return ignore(driver().settle(item(), "r" + std::to_string(what), now_));
    if (what < 95) return ignore(driver().expire(now_));
    if (what < 96) return review();
    if (what < 99) return reopen();
    if (below(rng_, 20) == 0) ignore(driver().close("enough", now_));
  }

  /// An item that the worker has at hand, as far as the account knows, else any.
  std::pair<std::string, std::string> held_or_any() {
    if (account_.held.empty() || below(rng_, 6) == 0) return {item(), worker()};
    auto one = account_.held.begin();
    std::advance(one, static_cast<std::ptrdiff_t>(below(rng_, account_.held.size())));
    return {account_.items[one->first.first].id, account_.workers[one->first.second].name};
  }
  /// One that the worker let go, if there is any: the answer comes late.
  std::pair<std::string, std::string> lapsed_or_any() {
    if (account_.lapsed.empty()) return held_or_any();
    auto one = account_.lapsed.begin();
    std::advance(one, static_cast<std::ptrdiff_t>(below(rng_, account_.lapsed.size())));
    return {account_.items[one->first].id, account_.workers[one->second].name};
  }

  void hand_out() {
    const std::string who = worker(), name = key();
    const auto count = static_cast<std::uint32_t>(1 + below(rng_, 3));
    const auto handed = driver().next(who, count, now_, name);
    if (!handed) return;
    EXPECT_LE(handed->assignments.size(), count);
    EXPECT_EQ(handed->shortfall.empty(), handed->assignments.size() == count);
    for (const Assignment& one : handed->assignments) {
      EXPECT_EQ(one.fields, R"({"text": ")" + one.item + R"("})");
    }
    if (name.empty()) return;
    const auto again = drivers_[below(rng_, 2)]->next(who, count, now_, name);
    ASSERT_TRUE(again) << again.error().message;
    ASSERT_EQ(again->assignments.size(), handed->assignments.size());
    for (std::size_t n = 0; n < again->assignments.size(); ++n)
      EXPECT_EQ(again->assignments[n].item, handed->assignments[n].item);
  }

  void answer() {
    const auto [what, who] = below(rng_, 4) == 0 ? lapsed_or_any() : held_or_any();
    Answer one{what, who, label()};
    if (below(rng_, 2) == 0)
      one.remark.milliseconds = static_cast<std::uint32_t>(below(rng_, 9000));
    if (below(rng_, 4) == 0) one.confidence = static_cast<float>(below(rng_, 5)) / 4;
    const std::string name = key();
    const auto outcome = driver().record(one, now_, below(rng_, 2) == 0, name);
    promised(one, outcome);
    if (name.empty() || !outcome || *outcome == Outcome::already) return;
    EXPECT_EQ(driver().record(one, now_, true, name).value(), *outcome);
  }
  void import() {
    const std::vector<Answer> two{{item(), worker(), label()}, {item(), worker(), label()}};
    const auto outcomes = driver().import(two, now_);
    for (std::size_t n = 0; n < two.size(); ++n) promised(two[n], outcomes[n]);
  }
  void promised(const Answer& one, const Result<Outcome>& outcome) {
    if (!outcome) return;
    const std::pair pair{one.item, one.worker};
    switch (*outcome) {
      case Outcome::recorded:
        EXPECT_TRUE(told_.emplace(pair, one.label).second);
        break;
      case Outcome::already:
        EXPECT_EQ(told_.at(pair), one.label);
        break;
      case Outcome::revised:
        EXPECT_NE(told_.at(pair), one.label);
        told_.at(pair) = one.label;
        break;
    }
  }

  void give_back(bool skip) {
    const auto [what, who] = held_or_any();
    if (!skip) return static_cast<void>(driver().release(what, who, now_));
    const bool paid = below(rng_, 3) == 0;
    const Remark remark{0, paid ? std::string(kUnsure) : "", ""};
    static_cast<void>(driver().skip(what, who, now_, {}, remark, paid));
    if (below(rng_, 3) == 0) static_cast<void>(driver().unskip(std::vector{what}, who, now_));
  }

  void reopen() {
    auto& one = drivers_[below(rng_, 2)];
    if (below(rng_, 2) == 0) {
      EXPECT_TRUE(one->save_snapshot());
    }
    one.reset();
    one = Campaign::open(*store_, "c").value();
  }

  /// What was appended since, event by event.
  void follow() {
    const auto records = store_->read("c", account_.events, 1000).value();
    for (const store::Record& record : records) {
      account_.take(decode(record.kind, record.payload).value(),
                    Time(std::chrono::microseconds(record.time)));
    }
    for (const auto& one : drivers_) {
      EXPECT_TRUE(one->view().read([&](const State& state) {
        EXPECT_EQ(state.sequence(), account_.events);
        EXPECT_EQ(state.account().spent, account_.spent());
        EXPECT_EQ(state.account().reserved, account_.reserved());
        EXPECT_EQ(state.account().budget, account_.budget);
      }));
    }
  }

  void compare() {
    for (const auto& one : drivers_) {
      compare_status(*one);
      compare_items(*one);
      compare_workers(*one);
      EXPECT_EQ(one->verify()->differences, std::vector<std::string>{});
    }
    std::map<std::pair<std::string, std::string>, std::string> labels;
    for (const auto& [pair, label] : account_.labels) {
      labels[{account_.items[pair.first].id, account_.workers[pair.second].name}] =
          options_.classes[label];
    }
    EXPECT_EQ(labels, told_) << "a label was lost, or counted twice";
    compare_copies();
  }

  void compare_status(Campaign& campaign) const {
    const Status status = campaign.view().status().value();
    EXPECT_EQ(status.phase, account_.phase);
    EXPECT_EQ(status.reason, account_.reason);
    EXPECT_EQ(status.started, account_.started);
    EXPECT_EQ(status.last_event, account_.time);
    EXPECT_EQ(status.budget, account_.budget);
    EXPECT_EQ(status.spent, account_.spent());
    EXPECT_EQ(status.reserved, account_.reserved());
    EXPECT_EQ(status.left, account_.budget - account_.spent() - account_.reserved());
    EXPECT_EQ(status.events, account_.events);
    EXPECT_EQ(status.items, account_.items.size());
    EXPECT_EQ(status.workers, account_.workers.size());
    EXPECT_EQ(status.leases, account_.held.size());
    EXPECT_EQ(status.labels, account_.labels.size());
    EXPECT_EQ(status.imported, account_.imported);
    EXPECT_EQ(status.excluded, account_.excluded_labels());
    std::uint32_t gold = 0;
    std::uint64_t gold_labels = 0;
    std::map<std::string, std::uint32_t> settled;
    for (std::uint32_t i = 0; i < account_.items.size(); ++i) {
      if (account_.items[i].gold) {
        ++gold;
        for (const auto& [pair, label] : account_.labels) gold_labels += pair.first == i;
      } else if (!account_.settled(i).empty()) {
        ++settled[account_.settled(i)];
      }
    }
    EXPECT_EQ(status.gold, gold);
    EXPECT_EQ(status.gold_labels, gold_labels);
    EXPECT_EQ(
        (std::map<std::string, std::uint32_t>(status.finished.begin(), status.finished.end())),
        settled);
    EXPECT_EQ((std::map<std::int64_t, std::uint64_t>(status.labels_by_day.begin(),
                                                     status.labels_by_day.end())),
              account_.by_day);
  }

  void compare_items(Campaign& campaign) const {
    const auto rows = campaign.view().answers().value();
    auto row = rows.begin();
    for (std::uint32_t i = 0; i < account_.items.size(); ++i) {
      const Explanation why = campaign.view().explain(account_.items[i].id).value();
      EXPECT_EQ(why.pending, account_.pending(i));
      std::map<Place, std::uint32_t> labels;
      for (const Share& share : why.shares) {
        const Place pair{i, position(share.worker)};
        EXPECT_EQ(share.status == PairStatus::leased, account_.held.contains(pair));
        EXPECT_EQ(share.status == PairStatus::skipped, account_.skipped.contains(pair));
        EXPECT_EQ(share.status == PairStatus::lapsed, account_.lapsed.contains(pair));
        EXPECT_EQ(share.status >= PairStatus::labelled, account_.labels.contains(pair));
        EXPECT_EQ(share.status == PairStatus::excluded,
                  account_.labels.contains(pair) && !account_.counts(pair.second));
        if (share.status >= PairStatus::labelled) labels[pair] = position(share.label);
      }
      std::uint32_t others = 0;
      const bool gold = account_.items[i].gold.has_value();
      for (const auto& [pair, label] : account_.labels) {
        if (pair.first != i) continue;
        EXPECT_EQ(labels.at(pair), label);
        if (!gold && account_.counts(pair.second)) others += label != position(*row->answer);
      }
      if (gold) continue;
      const std::uint32_t count = account_.labels_of_item(i);
      EXPECT_EQ(row->item, account_.items[i].id);
      EXPECT_EQ(row->labels, count);
      EXPECT_EQ(row->answer.has_value(), count > 0 || !row->reviewer.empty());
      EXPECT_EQ(row->calibrated.has_value(), row->answer.has_value());
      EXPECT_EQ(row->finish_reason, account_.settled(i));
      EXPECT_DOUBLE_EQ(row->disagreement, count == 0 ? 0 : static_cast<double>(others) / count);
      double sum = 0, entropy = 0;
      for (const double p : row->probabilities) {
        sum += p;
        entropy -= p > 0 ? p * std::log(p) : 0;
        if (!row->answer) continue;
        EXPECT_LE(p, row->probabilities[position(*row->answer)] * (1 + 1e-8));
      }
      EXPECT_NEAR(sum, 1, 1e-9);
      EXPECT_NEAR(row->entropy, entropy, 1e-12);
      ++row;
    }
    EXPECT_EQ(row, rows.end());
  }

  void compare_workers(Campaign& campaign) const {
    const auto rows = campaign.view().workers().value();
    ASSERT_EQ(rows.size(), account_.workers.size());
    for (std::uint32_t j = 0; j < rows.size(); ++j) {
      const PlainAccount::Worker& one = account_.workers[j];
      EXPECT_EQ(rows[j].worker, one.name);
      EXPECT_EQ(rows[j].facts.labels, account_.labels_of_worker(j));
      EXPECT_EQ(rows[j].facts.leases, account_.at_hand(j));
      EXPECT_EQ(rows[j].facts.skips, one.skips);
      EXPECT_EQ(rows[j].facts.spent, one.spent);
      EXPECT_EQ(rows[j].facts.price, one.price);
      EXPECT_EQ(rows[j].price, one.price.value_or(options_.price));
      EXPECT_EQ(rows[j].facts.standing, one.standing);
      EXPECT_EQ(rows[j].facts.view_times, one.times);
      std::uint32_t gold = 0, right = 0, reviewed = 0, confirmed = 0;
      for (const auto& [pair, label] : account_.labels) {
        const PlainAccount::Item& item = account_.items[pair.first];
        if (pair.second != j) continue;
        gold += item.gold.has_value();
        right += item.gold == label;
        reviewed += item.verdict.has_value();
        confirmed += item.verdict == label;
      }
      EXPECT_EQ(rows[j].facts.gold, gold);
      EXPECT_EQ(rows[j].facts.gold_right, right);
      EXPECT_EQ(rows[j].facts.reviewed, reviewed);
      EXPECT_EQ(rows[j].facts.reviewed_right, confirmed);
      EXPECT_LE(rows[j].low, rows[j].reliability);
      EXPECT_GE(rows[j].high, rows[j].reliability);
    }
  }

  /// Folded from the ledger alone, and opened from a snapshot, it believes and decides the same.
  void compare_copies() {
    const auto alone = store::memory_store();
    const auto records = store_->read("c", 0, 100'000).value();
    const std::vector<store::Draft> ledger(records.begin(), records.end());
    ASSERT_TRUE(alone->append("c", 0, ledger));
    ASSERT_TRUE(drivers_[0]->save_snapshot());
    const auto folded = Campaign::open(*alone, "c").value();
    const auto opened = Campaign::open(*store_, "c").value();
    const auto rows = drivers_[0]->view().answers().value();
    for (const auto& copy : {folded.get(), opened.get(), drivers_[1].get()}) {
      const auto same = copy->view().answers().value();
      ASSERT_EQ(same.size(), rows.size());
      for (std::size_t n = 0; n < rows.size(); ++n)
        EXPECT_EQ(same[n].probabilities, rows[n].probabilities);
    }
    // Last, since it changes them.
    const auto one = folded->next("w0", 5, now_), two = opened->next("w0", 5, now_);
    ASSERT_EQ(one.has_value(), two.has_value());
    if (!one) {
      EXPECT_EQ(one.error().message, two.error().message);
      return;
    }
    ASSERT_EQ(one->assignments.size(), two->assignments.size());
    for (std::size_t n = 0; n < one->assignments.size(); ++n)
      EXPECT_EQ(one->assignments[n].item, two->assignments[n].item);
  }

  Rng rng_;
  std::uint64_t item_count_ = 0, key_count_ = 0;
  const Options options_;
  const bool prices_;  // of items
  Time now_{std::chrono::microseconds(1'700'000'000'000'000)};
  const std::unique_ptr<store::Store> store_ = store::memory_store();
  std::unique_ptr<Campaign> drivers_[2];
  PlainAccount account_;
  /// Labels that were acknowledged, by item and worker.
  std::map<std::pair<std::string, std::string>, std::string> told_;
};

TEST(Interleavings, EveryNumberIsThatOfAPlainAccount) {
  const char* const one = std::getenv("ALLOT_SEED");
  const bool stress = std::getenv("ALLOT_STRESS");
  const std::uint64_t first = one ? std::strtoull(one, nullptr, 10) : 1;
  const std::uint64_t last = one ? first : stress ? 500 : 40;
  std::set<std::string> seen;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("ALLOT_SEED=" + std::to_string(seed));
    Play play(seed);
    play.run(stress ? 1500 : 400);
    if (HasFailure()) return;
    seen.insert(play.seen().begin(), play.seen().end());
  }
  if (one) return;
  // All kinds of events but the four of sessions, three ways an answer comes, three reasons to hand
  // out, four pauses; a rule that settles, a paid abstention, a worker who follows another and a
  // skip taken back.
  EXPECT_EQ(seen.size(), std::variant_size_v<Event> - 4 + 3 + 3 + 4 + 1 + 1 + 1 + 1)
      << testing::PrintToString(seen);
}

}  // namespace
}  // namespace allot::campaign::interleaving_test
