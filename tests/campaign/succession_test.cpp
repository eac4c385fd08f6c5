// Versions of models that follow each other, in a campaign.
#include <cmath>
#include <numeric>

#include "allot/base/rng.hpp"
#include "campaign_fixture.hpp"

namespace allot::campaign::succession_test {
namespace {

/// What a version inherits at most, as docs/guide/language-models.md says.
constexpr double kMost = 10;

class SuccessionTest : public CampaignTest {
 protected:
  Result<void> follow(const std::string& worker, const std::string& before) {
    return campaign_->set_version({.worker = worker, .follows = before}, now_);
  }
  /// Workers label items in turn, each right by a rule of its own.
  void work(const std::vector<std::string>& workers, int rounds) {
    for (int n = 0; n < rounds; ++n, now_ += seconds(3)) {
      const std::string& worker = workers[static_cast<std::size_t>(n) % workers.size()];
      const auto handed = campaign_->next(worker, 1, now_);
      if (!handed) continue;
      const std::string& item = handed->assignments.at(0).item;
      const int number = std::stoi(item.substr(1));
      const bool wrong = (number + static_cast<int>(worker.size())) % 5 == 0;
      ASSERT_TRUE(answer(item, worker, ((number % 2 == 0) != wrong) ? "yes" : "no"));
    }
  }
  WorkerFacts facts(const std::string& worker) {
    return campaign_->view()
        .read([&](const State& state) { return state[state.find_worker(worker).value()]; })
        .value();
  }
  double reliability(const std::string& worker) {
    const auto rows = campaign_->view().workers().value();
    for (const WorkerRow& row : rows)
      if (row.worker == worker) return row.reliability;
    ADD_FAILURE() << worker;
    return 0;
  }
};

/// The weakened posterior, by hand: the version's labels by class as believed, times its mean
/// table, which the crowd of two coins shows as its mean reliability.
TEST_F(SuccessionTest, InheritsTheBeliefAboutTheVersionBefore) {
  start(some_options(400), 40);
  work({"old", "ann", "bob"}, 90);
  const WorkerFacts old = facts("old");
  ASSERT_GT(old.labels, kMost);
  const double believed = reliability("old"), newcomer = reliability("ann");
  std::vector<double> seen(2);
  const auto answers = campaign_->view().answers().value();
  for (const AnswerRow& row : answers) {
    const bool labelled =
        campaign_->view()
            .read([&](const State& state) {
              return state.pairs().label(*state.find_item(row.item), *state.find_worker("old"));
            })
            ->has_value();
    if (!labelled) continue;
    const auto shown = campaign_->view().explain(row.item, "old").value();
    for (std::size_t k = 0; k < 2; ++k) seen[k] += shown.probabilities[k];
  }
  ASSERT_TRUE(follow("new", "old"));
  const std::vector<double> inherited = facts("new").inherited;
  ASSERT_EQ(inherited.size(), 4U);
  EXPECT_NEAR(std::accumulate(inherited.begin(), inherited.end(), 0.0), kMost, 1e-9);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(inherited[2 * k] + inherited[2 * k + 1], kMost * seen[k] / old.labels, 1e-9);
  }
  const double right = (inherited[0] / (inherited[0] + inherited[1]) +
                        inherited[3] / (inherited[2] + inherited[3])) /
                       2;
  EXPECT_NEAR(right, believed, 1e-9) << "the mean of both coins";
  EXPECT_EQ(
      facts("new").follows,
      campaign_->view().read([](const State& state) { return state.find_worker("old"); }).value());
  EXPECT_NE(reliability("new"), newcomer);
  expect_verified();
}

TEST_F(SuccessionTest, AVersionHasThePriceOfTheOneBeforeUnlessItHasItsOwn) {
  start(some_options(400), 40);
  work({"old", "ann"}, 12);
  const Money price = parse_money("0.25").value(), own = Money::whole(2);
  ASSERT_TRUE(campaign_->set_price("old", price, now_));
  ASSERT_TRUE(campaign_->set_price("expensive", own, now_));
  ASSERT_TRUE(follow("new", "old"));
  ASSERT_TRUE(follow("expensive", "old"));
  ASSERT_TRUE(follow("bob", "ann"));
  EXPECT_EQ(facts("new").price, price);
  EXPECT_EQ(facts("expensive").price, own);
  EXPECT_FALSE(facts("bob").price);
  expect_verified();
}

TEST_F(SuccessionTest, FewLabelsCountAsTheyAre) {
  start(some_options(400), 40);
  work({"old", "ann"}, 12);
  ASSERT_TRUE(follow("new", "old"));
  const std::vector<double> inherited = facts("new").inherited;
  EXPECT_NEAR(std::accumulate(inherited.begin(), inherited.end(), 0.0), 6, 1e-9);
  ASSERT_TRUE(follow("newer", "new"));
  const std::vector<double> again = facts("newer").inherited;
  EXPECT_NEAR(std::accumulate(again.begin(), again.end(), 0.0), 6, 1e-9);
  expect_verified();
}

TEST_F(SuccessionTest, DecisionsAreMadeAgainByVerifyAndFromSnapshots) {
  for (const bool grouped : {false, true}) {
    SCOPED_TRACE(grouped);
    store_ = store::memory_store();
    Options options = some_options(600);
    options.refit_every = 7;
    start(options, 25);
    work({"old", "ann", "bob"}, 30);
    if (grouped) {
      const std::vector<std::pair<std::string, std::string>> groups{{"old", "models"},
                                                                    {"other", "models"}};
      ASSERT_TRUE(campaign_->set_groups(groups, now_));
    }
    ASSERT_TRUE(follow("new", "old"));
    EXPECT_EQ(facts("new").group, grouped ? "models" : "");
    work({"new", "ann", "bob"}, 20);
    ASSERT_TRUE(campaign_->save_snapshot());
    const auto live = stated(*campaign_);
    campaign_ = Campaign::open(*store_, "c").value();
    EXPECT_EQ(stated(*campaign_), live);
    work({"new", "bob"}, 9);
    ASSERT_TRUE(follow("newer", "new"));
    work({"newer", "ann"}, 12);
    expect_verified();
    expect_equal_from_the_ledger();
  }
}

TEST_F(SuccessionTest, HoldsInEveryKindOfBelief) {
  for (const model::Refit refit :
       {model::Refit::off, model::Refit::em, model::Refit::integrated, model::Refit::pooled}) {
    for (const std::vector<std::string>& classes :
         {std::vector<std::string>{"no", "yes"}, std::vector<std::string>{"no", "yes", "maybe"}}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(refit)) + " " + std::to_string(classes.size()));
      store_ = store::memory_store();
      Options options = some_options(600);
      options.refit = refit;
      options.classes = classes;
      options.policy = "eig";
      if (!Campaign::create(*store_, "c", options, now_)) continue;  // no such combination
      store_ = store::memory_store();
      start(options, 40);
      work({"good", "ann", "bob"}, 60);
      ASSERT_TRUE(follow("heir", "good"));
      ASSERT_TRUE(campaign_->set_price("fresh", Money::whole(1), now_));
      EXPECT_NE(reliability("heir"), reliability("fresh"));
      if (classes.size() == 2) {
        EXPECT_LT(std::abs(reliability("heir") - reliability("good")),
                  std::abs(reliability("fresh") - reliability("good")));
      }
      work({"heir", "ann"}, 12);
      expect_verified();
      expect_equal_from_the_ledger();
    }
  }
}

TEST_F(SuccessionTest, VerifyFindsAnInheritanceThatIsNotTheBelief) {
  start(some_options(400), 20);
  work({"old", "ann"}, 20);
  ASSERT_TRUE(follow("new", "old"));
  std::vector<store::Draft> ledger;
  const auto records = store_->read("c", 0, 1000).value();
  for (const store::Record& record : records) {
    ledger.push_back(record);
    Event event = decode(record.kind, record.payload).value();
    auto* const one = std::get_if<WorkerVersioned>(&event);
    if (one == nullptr) continue;
    one->inherited[0] += 1e-9;
    ledger.back().payload = encode(event);
  }
  const auto changed = store::memory_store();
  ASSERT_TRUE(changed->append("c", 0, ledger, store_->contents("c", 0, 1000).value()));
  const auto found = Campaign::open(*changed, "c").value()->verify().value();
  ASSERT_EQ(found.differences.size(), 1U);
  EXPECT_NE(found.differences.front().find(
                "what worker 'new' inherits is not the belief about worker 'old'"),
            std::string::npos);
}

TEST_F(SuccessionTest, GuardsAgainstNonsense) {
  start(some_options(400), 20);
  work({"a", "b"}, 10);
  expect_refusal(follow("a", "a"), ErrorCode::invalid_argument,
                 {"worker 'a' cannot follow itself"});
  expect_refusal(follow("c", "nobody"), ErrorCode::not_found, {"'nobody'"});
  EXPECT_FALSE(campaign_->view()
                   .read([](const State& state) { return state.find_worker("c").has_value(); })
                   .value())
      << "nothing happened";
  expect_refusal(follow("a", "b"), ErrorCode::conflict,
                 {"worker 'a' has 5 labels; expected a worker without labels"});
  expect_refusal(follow("", "b"), ErrorCode::invalid_argument, {"a worker needs a name"});
  ASSERT_TRUE(follow("c", "a"));
  ASSERT_TRUE(follow("d", "c"));
  expect_refusal(follow("c", "d"), ErrorCode::conflict, {"worker 'd' follows worker 'c'"});
  const std::uint64_t events = status().events;
  ASSERT_TRUE(follow("d", "c"));
  EXPECT_EQ(status().events, events) << "nothing new";
  ASSERT_TRUE(follow("d", "b"));
  ASSERT_TRUE(follow("d", ""));
  EXPECT_FALSE(facts("d").follows);
  EXPECT_TRUE(facts("d").inherited.empty());
  ASSERT_TRUE(campaign_->set_standing("b", Standing::excluded, "", now_));
  expect_refusal(follow("e", "b"), ErrorCode::conflict,
                 {"worker 'b' is excluded; expected one whose labels count"});
  expect_verified();
}

TEST_F(SuccessionTest, NothingIsInheritedFromAnExcludedVersion) {
  start(some_options(400), 30);
  work({"old", "ann", "bob"}, 45);
  ASSERT_TRUE(campaign_->set_price("fresh", Money::whole(1), now_));
  ASSERT_TRUE(follow("new", "old"));
  const double heir = reliability("new");
  EXPECT_NE(heir, reliability("fresh"));
  ASSERT_TRUE(campaign_->set_standing("old", Standing::excluded, "a bug", now_));
  EXPECT_EQ(reliability("new"), reliability("fresh"));
  ASSERT_TRUE(campaign_->set_standing("old", Standing::active, "", now_));
  EXPECT_NEAR(reliability("new"), heir, 1e-6);
  ASSERT_TRUE(follow("newer", "new"));
  ASSERT_TRUE(campaign_->set_standing("new", Standing::excluded, "no labels yet", now_));
  EXPECT_EQ(reliability("newer"), reliability("fresh"));
  expect_verified();
  expect_equal_from_the_ledger();
}

TEST_F(SuccessionTest, AVersionIsANoteThatMovesNoBelief) {
  start(some_options(400), 20);
  work({"a", "b"}, 20);
  const auto before = stated(*campaign_);
  ASSERT_TRUE(campaign_->set_version({"a", "2024-08-06"}, now_));
  EXPECT_EQ(facts("a").version, "2024-08-06");
  EXPECT_EQ(stated(*campaign_), before);
  expect_refusal(campaign_->set_version({"a", std::string(201, 'x')}, now_),
                 ErrorCode::invalid_argument, {"a version of 201 bytes; expected at most 200"});
  ASSERT_TRUE(campaign_->set_version({"c", "2025-01-01", "a"}, now_));
  EXPECT_EQ(facts("c").version, "2025-01-01");
  EXPECT_FALSE(facts("c").inherited.empty());
  expect_verified();
}

/// Items that a new version and some people label after the old version has worked.
struct Change {
  double old_right, new_right;
};
struct Scores {
  double accuracy = 0, log_loss = 0;  // of the items that the new version labelled
};

/// One campaign: people label some items of the old version, and one person each of the new one's.
Scores play(const Change& change, bool follows, std::uint32_t new_items, std::uint64_t seed) {
  constexpr int kOldItems = 80;
  Rng rng(seed);
  const auto store = store::memory_store();
  const int items = kOldItems + static_cast<int>(new_items);
  const auto campaign =
      Campaign::create(*store, "c", some_options(10), kStart, {some_items(items)}).value();
  std::vector<bool> truth;
  for (int i = 0; i < items; ++i) truth.push_back(uniform(rng) < 0.5);
  const auto say = [&](int item, const std::string& worker, double right, std::vector<Answer>& to) {
    const bool yes = truth[static_cast<std::size_t>(item)] == (uniform(rng) < right);
    to.push_back({"i" + std::to_string(item), worker, yes ? "yes" : "no"});
  };
  std::vector<Answer> before, after;
  for (int i = 0; i < kOldItems; ++i) {
    say(i, "old", change.old_right, before);
    if (i % 2 == 0) say(i, "ann", 0.8, before);
    if (i % 4 == 0) say(i, "bob", 0.8, before);
  }
  for (int i = kOldItems; i < items; ++i) {
    say(i, "new", change.new_right, after);
    say(i, i % 2 == 0 ? "ann" : "bob", 0.8, after);
  }
  campaign->import(before, kStart);
  if (follows) {
    EXPECT_TRUE(campaign->set_version({.worker = "new", .follows = "old"}, kStart));
  }
  campaign->import(after, kStart);
  Scores scores;
  const auto rows = campaign->view().answers().value();
  for (int i = kOldItems; i < items; ++i) {
    const double p =
        rows[static_cast<std::size_t>(i)].probabilities[truth[static_cast<std::size_t>(i)] ? 1 : 0];
    scores.accuracy += (p > 0.5) / static_cast<double>(new_items);
    scores.log_loss -= std::log(std::max(p, 1e-12)) / new_items;
  }
  return scores;
}

/// Mean gain of following over starting as any new worker does, and its standard error.
std::pair<Scores, double> gain(const Change& change, std::uint32_t new_items, int runs) {
  Scores sum;
  double squares = 0;
  for (int run = 0; run < runs; ++run) {
    const auto seed = static_cast<std::uint64_t>(run + 1);
    const Scores with = play(change, true, new_items, seed);
    const Scores without = play(change, false, new_items, seed);
    sum.accuracy += (with.accuracy - without.accuracy) / runs;
    const double one = without.log_loss - with.log_loss;
    sum.log_loss += one / runs;
    squares += one * one / runs;
  }
  return {sum, std::sqrt((squares - sum.log_loss * sum.log_loss) / runs)};
}

/// 60 runs with fixed seeds. The bounds leave two standard errors or more.
TEST(Succession, HelpsAVersionThatIsTheSame) {
  const auto [mean, error] = gain({0.9, 0.9}, 10, 60);
  EXPECT_GT(mean.log_loss, 0.01) << "standard error " << error;
  EXPECT_GE(mean.accuracy, 0);
  EXPECT_GT(gain({0.7, 0.7}, 40, 60).first.log_loss, 0.005)
      << "worse than new workers are believed";
}

/// A control: the belief about another version must hurt at first, and be forgotten in time.
TEST(Succession, CostsAVersionThatIsMuchWorseLittle) {
  const Change worse{0.9, 0.55};
  const auto first = gain(worse, 10, 60).first, later = gain(worse, 160, 60).first;
  EXPECT_LT(first.log_loss, -0.01);
  EXPECT_GT(first.log_loss, -0.08);
  EXPECT_GT(later.log_loss, -0.02);
  EXPECT_GT(later.accuracy, -0.02);
  const auto better = gain({0.8, 0.95}, 40, 60).first;
  EXPECT_GT(better.log_loss, -0.03);
}

}  // namespace
}  // namespace allot::campaign::succession_test
