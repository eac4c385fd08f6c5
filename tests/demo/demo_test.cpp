// What the demo shows is the real thing: its messages, its crowd, and that the policy it shows off
// is ahead of equal splitting for other reasons than luck.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "allot/aggregate/group_errors.hpp"
#include "allot/campaign/campaign.hpp"
#include "allot/store/memory_store.hpp"
#include "demo/crowd.hpp"
#include "demo/show.hpp"

namespace allot::test::demo_test {
namespace {

using namespace demo;

TEST(DemoMessages, AreThreeHundredDifferentOnesOfEveryKind) {
  std::set<std::string> ids, texts;
  std::map<Reading, int> readings;
  int today = 0;
  for (const Message& one : messages()) {
    ids.insert(one.id);
    texts.insert(one.text);
    ++readings[one.reading];
    today += one.today;
    EXPECT_GT(one.text.size(), 10U) << one.id;
    EXPECT_LT(one.text.size(), 250U) << one.id;
    EXPECT_EQ(messages()[message_at(one.id).value()].text, one.text);
  }
  EXPECT_EQ(ids.size(), 300U);
  EXPECT_EQ(texts.size(), 300U);
  EXPECT_EQ(today, 150);
  EXPECT_EQ(readings[Reading::clear], 180);
  EXPECT_EQ(readings[Reading::tricky], 75);
  EXPECT_EQ(readings[Reading::open], 45);
  EXPECT_FALSE(message_at("m000"));
  EXPECT_FALSE(message_at("zzz"));
}

TEST(DemoCrowd, ComesInAFixedOrderWithoutRuns) {
  for (const Cast* const cast : {&crowd(), &models_and_people()}) {
    std::map<std::size_t, int> turns;
    for (std::uint64_t n = 0; n < kRound; ++n) {
      ++turns[cast->person_of_turn(n)];
      EXPECT_NE(cast->person_of_turn(n), cast->person_of_turn(n + 1));
      EXPECT_EQ(cast->person_of_turn(n), cast->person_of_turn(n + 7 * kRound));
    }
    for (std::size_t n = 0; n < cast->people().size(); ++n)
      EXPECT_EQ(turns[n], cast->people()[n].turns);
  }
}

/// Correlation of the errors of two people, over 40 seeds.
double error_correlation(const Cast& cast, std::size_t one, std::size_t other) {
  double all = 0, first = 0, second = 0, both = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (std::size_t n = 0; n < messages().size(); ++n) {
      if (messages()[n].reading != Reading::clear) continue;  // others are harder for all
      const bool a = cast.says_yes(seed, one, n) != messages()[n].today,
                 b = cast.says_yes(seed, other, n) != messages()[n].today;
      ++all;
      first += a;
      second += b;
      both += a && b;
    }
  }
  const double p = first / all, q = second / all;
  return (both / all - p * q) / std::sqrt(p * (1 - p) * q * (1 - q));
}

TEST(DemoCrowd, ModelsErrTogetherAndPeopleDoNot) {
  const std::vector<Person>& all = models_and_people().people();
  ASSERT_EQ(all.size(), 10U);
  EXPECT_EQ(all[8].group, all[9].group);
  // 7,200 pairs of labels: independent errors correlate by 4 / sqrt(7200) once in 16,000.
  EXPECT_LT(std::abs(error_correlation(models_and_people(), 0, 7)), 4 / std::sqrt(7200));
  EXPECT_LT(std::abs(error_correlation(models_and_people(), 0, 8)), 4 / std::sqrt(7200));
  // Both repeat a shared view with probability .75, so about .56 of the errors are common.
  EXPECT_GT(error_correlation(models_and_people(), 8, 9), 0.35);
  // People say the same in either cast.
  for (std::size_t n = 0; n < messages().size(); ++n)
    EXPECT_EQ(models_and_people().says_yes(1, 3, n), crowd().says_yes(1, 3, n));
}

TEST(DemoCrowd, SaysTheSameAgainAndIsAsReliableAsItIsSaidToBe) {
  // Of 180 clear messages and 40 seeds, 7,200 answers a person: the share of right ones is off by
  // more than 4 standard errors once in 16,000.
  std::vector<std::pair<const Cast*, std::size_t>> everybody;
  for (const Cast* const cast : {&crowd(), &models_and_people()})
    for (std::size_t n = 0; n < cast->people().size(); ++n) everybody.emplace_back(cast, n);
  for (const auto& [cast, person] : everybody) {
    std::array<int, kReadings> right{}, all{};
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      for (std::size_t n = 0; n < messages().size(); ++n) {
        const bool yes = cast->says_yes(seed, person, n);
        EXPECT_EQ(cast->says_yes(seed, person, n), yes);
        const auto reading = static_cast<std::size_t>(messages()[n].reading);
        ++all[reading];
        right[reading] += yes == messages()[n].today;
      }
    }
    for (std::size_t n = 0; n < kReadings; ++n) {
      const double chance = cast->people()[person].right[n];
      EXPECT_NEAR(right[n] / double(all[n]), chance, 4 * std::sqrt(chance * (1 - chance) / all[n]))
          << cast->people()[person].name;
    }
  }
}

TEST(DemoTicket, IsReadAsItWasWritten) {
  const Ticket one{"allot_a", "allot_\"r", "c1", "c2", "/label/c1#allot_w", 12345678901};
  EXPECT_EQ(Ticket::parse(one.text()).value(), one);
  const char* const old =
      R"({"admin": "a", "requester": "r", "campaign": "c", "link": "l", "seed": 1})";
  EXPECT_EQ(Ticket::parse(old)->models, "") << "a demo without language models";
  for (const char* text : {"", "{}", "[1]", "nothing", "{\"seed\": 1}", "{\"seed\": -1}"}) {
    EXPECT_FALSE(Ticket::parse(text)) << text;
  }
  std::string wrong = one.text();
  EXPECT_FALSE(Ticket::parse(wrong.replace(wrong.find("12345678901"), 11, "-1")));
}

/// A campaign of the demo without a server.
class Rehearsal final : public Workplace {
 public:
  Rehearsal(const std::string& policy, std::uint64_t seed, const Cast& cast = crowd())
      : store_(store::memory_store()) {
    const bool has_models = &cast == &models_and_people();
    campaign::Options options;
    options.policy = policy;
    options.seed = seed;
    if (has_models) {
      options.people_sample = kPeopleSample;
    } else {
      options.coins = model::Coins::one;
    }
    options.budget = parse_money(has_models ? kModelsBudget : kBudget).value();
    options.price = parse_price(kVisitorPrice).value();
    std::vector<campaign::ItemDraft> items;
    for (const Message& one : messages()) items.push_back({.id = one.id});
    std::vector<std::pair<std::string, Money>> prices;
    std::vector<std::pair<std::string, std::string>> groups;
    for (const Person& one : cast.people()) {
      prices.emplace_back(one.name, parse_price(one.price).value());
      if (!one.group.empty()) groups.emplace_back(one.name, one.group);
    }
    campaign_ =
        campaign::Campaign::create(*store_, "demo", options, {}, {items, prices, groups}).value();
  }

  Result<Item> ask(const std::string& worker) override {
    const auto handed = campaign_->next(worker, 1, {});
    if (!handed) return Item();  // there is nothing
    return Item(handed->assignments.front().item);
  }
  Result<Item> give(const std::string& worker, const std::string& item, const std::string& label,
                    bool next) override {
    const auto given = campaign_->record({item, worker, label}, {});
    if (!given) return tl::unexpected(given.error());
    bought_.emplace_back(worker, item);
    return next ? ask(worker) : Item();
  }

  campaign::Campaign* operator->() const { return campaign_.get(); }
  const std::vector<std::pair<std::string, std::string>>& bought() const { return bought_; }
  /// How many answers are right.
  double accuracy() const {
    int right = 0;
    const auto rows = campaign_->view().answers().value();
    for (const campaign::AnswerRow& row : rows) {
      const Message& one = messages()[message_at(row.item).value()];
      right += row.answer && (position(*row.answer) == 1) == one.today;
    }
    return right / double(rows.size());
  }

 private:
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<campaign::Campaign> campaign_;
  std::vector<std::pair<std::string, std::string>> bought_;
};

const Shift::Progress kNew{.left = parse_money(kCrowdBudget).value()};

/// Labels of the best without end would promise certainty after a third of the labels.
TEST(Demo, BoundIsBelowCertaintyFromTheFirstLabelOn) {
  Rehearsal rehearsal("budget-kg", 1);
  Shift shift(crowd(), 1, rehearsal, kNew);
  double last = 0;
  for (int labels = 1; shift.next_label().value(); ++labels) {
    if (labels > 3 && labels % 100 != 0) continue;
    const campaign::Status status = rehearsal->view().status().value();
    last = status.bound.value();
    EXPECT_LT(last, 0.9999) << labels;
    EXPECT_GE(last, status.expected_accuracy) << labels;
  }
  EXPECT_GT(last, 0.5) << "there were labels";
}

TEST(Demo, OptKgIsVisiblyAheadOfEqualSplitting) {
  // The numbers are the same on every machine. `uniform` splits by chance, `least-labelled`
  // exactly.
  constexpr int kSeeds = 20;
  int ahead_half_way = 0, ahead = 0, ahead_of_exact = 0;
  double lead_half_way = 0, lead = 0, lead_on_exact = 0, reached = 0, expected = 0;
  for (int n = 1; n <= kSeeds; ++n) {
    const auto seed = static_cast<std::uint64_t>(n);
    Rehearsal clever("opt-kg", seed), equal("uniform", seed), exact("least-labelled", seed);
    Shift clever_shift(crowd(), seed, clever, kNew), equal_shift(crowd(), seed, equal, kNew),
        exact_shift(crowd(), seed, exact, kNew);
    std::uint64_t labels = 0;
    double half_way = 0;
    while (clever_shift.next_label().value() && equal_shift.next_label().value() &&
           exact_shift.next_label().value()) {
      if (++labels == kLabels / 2) half_way = clever.accuracy() - equal.accuracy();
    }
    // As many labels, of the same people, for the same money.
    EXPECT_NEAR(static_cast<double>(labels), kLabels, 0.02 * kLabels);
    for (const Rehearsal* one : {&equal, &exact}) {
      EXPECT_GE(one->bought().size(), labels);
      for (std::size_t k = 0; k < labels - crowd().people().size(); ++k) {
        ASSERT_EQ(clever.bought()[k].first, one->bought()[k].first);
      }
      EXPECT_GT((*one)->view().status()->spent.value(), 0.99 * kNew.left.value());
    }
    const double end = clever.accuracy(), above = end - equal.accuracy();
    ahead_half_way += half_way >= 0.02;
    ahead += above >= 0.02;
    ahead_of_exact += end - exact.accuracy() >= 0.02;
    lead_half_way += half_way / kSeeds;
    lead += above / kSeeds;
    lead_on_exact += (end - exact.accuracy()) / kSeeds;
    reached += end / kSeeds;
    expected += clever->view().status()->expected_accuracy / kSeeds;
    if (n == 1) {  // what everybody sees
      EXPECT_GE(half_way, 0.05);
      EXPECT_GE(above, 0.05);
    }
  }
  EXPECT_GE(ahead_half_way, 18);
  EXPECT_GE(ahead, 18);
  EXPECT_GE(ahead_of_exact, 18);
  EXPECT_GE(lead_half_way, 0.06);
  EXPECT_GE(lead, 0.05);
  EXPECT_GE(lead_on_exact, 0.04);
  EXPECT_GE(reached, 0.94);
  EXPECT_NEAR(expected, reached, 0.02) << "what the board says of itself";
}

TEST(Demo, LeavesALabelOfEveryMessageToTheVisitor) {
  const Money visitor = parse_price(kVisitorPrice).value();
  EXPECT_EQ(parse_money(kCrowdBudget).value() + parse_money(kSeatBudget).value(),
            parse_money(kBudget).value());
  EXPECT_EQ(parse_money(kSeatBudget)->pays(visitor), messages().size());
  for (const char* policy : {"opt-kg", "least-labelled"}) {
    Rehearsal rehearsal(policy, 1);
    Shift shift(crowd(), 1, rehearsal, kNew);
    while (shift.next_label().value()) {
    }
    const auto status = rehearsal->view().status().value();
    EXPECT_LE(status.spent, kNew.left);
    EXPECT_EQ(status.reserved, Money());
    std::set<std::string> asked;
    for (auto item = rehearsal.ask("you").value(); item;
         item = rehearsal.give("you", *item, "yes", true).value()) {
      asked.insert(*item);
    }
    EXPECT_EQ(asked.size(), messages().size()) << policy;
    EXPECT_FALSE(shift.next_label().value()) << "the rest is not for the crowd";
  }
}

// What one sees beside the first campaign: two models are worth little more than one.
TEST(Demo, ModelsOfOneFamilyAreWorthLessThanTwoVotes) {
  Rehearsal rehearsal("budget-kg", 1, models_and_people());
  Shift shift(models_and_people(), 1, rehearsal,
              {.left = parse_money(kModelsBudget).value() - parse_money(kSeatBudget).value()});
  while (shift.next_label().value()) {
  }
  const campaign::Status status = rehearsal->view().status().value();
  EXPECT_EQ(status.people_sample->labelled, kPeopleSample) << "people check the models";
  EXPECT_GT(rehearsal.accuracy(), 0.9);
  const auto labels = rehearsal->view().group_labels().value();
  const auto groups =
      aggregate::group_errors(labels.labels, labels.groups.of_worker,
                              {labels.labels.class_count, {}, labels.probabilities}, labels.known);
  ASSERT_EQ(groups.size(), 1U);
  ASSERT_TRUE(groups.front().bounds);
  EXPECT_GT(groups.front().bounds->low, 0) << "the interval says that they err together";
  EXPECT_LT(*groups.front().effective_votes, 1.6);
}

TEST(Demo, AShiftGoesOnWhereItWas) {
  Rehearsal through("opt-kg", 3), in_two("opt-kg", 3);
  Shift whole(crowd(), 3, through, kNew);
  while (whole.labels() < 300) ASSERT_TRUE(whole.next_label().value());
  {
    Shift first(crowd(), 3, in_two, kNew);
    while (first.labels() < 140) ASSERT_TRUE(first.next_label().value());
  }
  Shift::Progress progress{
      .left = kNew.left - in_two->view().status()->spent - in_two->view().status()->reserved,
      .leased = std::vector<Workplace::Item>(crowd().people().size()),
      .labels = 140};
  for (std::size_t n = 0; n < crowd().people().size(); ++n) {
    const auto leases = in_two->view().leases(crowd().people()[n].name).value();
    if (!leases.empty()) progress.leased[n] = leases.front().item;
  }
  Shift second(crowd(), 3, in_two, progress);
  while (second.labels() < 300) ASSERT_TRUE(second.next_label().value());
  EXPECT_EQ(in_two.bought(), through.bought());
}

}  // namespace
}  // namespace allot::test::demo_test
