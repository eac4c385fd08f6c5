#include "allot/campaign/event.hpp"

#include <gtest/gtest.h>

#include <set>

namespace allot::campaign::event_test {
namespace {

std::vector<Event> one_of_each() {
  Options options;
  options.classes = {"a", "b", "ü"};
  options.budget = Money::billionths(1'234'567'890);
  options.coins = model::Coins::one;
  options.refit = model::Refit::em;
  options.gold_rate = 0.1;
  options.features = {"x", "y"};
  options.learn_workers = true;
  options.stop = {0.9, 0.99, Money::whole(20)};
  RecruitingTerms terms = usual_terms(Platform::prolific);
  terms.codes = {"DONE", "OUT", "NONE", "PART"};
  terms.qualification = {5, 0.8, true};
  terms.secret = std::string(64, 'a');
  terms.consent = "I *agree*.";
  RecruitingTerms old_terms = terms;
  old_terms.codes.incomplete = "";
  const ItemId item{70'000};
  const WorkerId worker{300};
  return {Created{options},
          ItemsAdded{{{"p", {}, {}, {}},
                      {"q", Money::whole(2), {}, {0.5, -1e300}},
                      {"r", {}, ClassId{1}, {}},
                      {"s", Money::whole(3), ClassId{1}, {}, ClassId{0}},
                      {"t", {}, {}, {}, {}, 0xcbf43926}}},
          WorkerJoined{"ann"},
          WorkerPriced{worker, Money::billionths(1)},
          Leased{item, worker, Money::whole(1), Time(std::chrono::microseconds(-5)),
                 LeaseReason::waiting, 3},
          Answered{item, worker, ClassId{2}, Money::whole(1), AnswerOrigin::late},
          Answered{item, worker, ClassId{2}, Money(), AnswerOrigin::leased, {1500, "", "süß"}},
          Answered{item, worker, ClassId{2}, Money(), AnswerOrigin::leased, {}, 0.75F},
          Revised{item, worker, ClassId{0}},
          Revised{item, worker, ClassId{0}, 0.1F},
          Skipped{item, worker},
          Skipped{item, worker, {0, "unsure", ""}, Money::whole(2)},
          Skipped{item, worker, {0, "none", ""}},
          Released{item, worker},
          Expired{item, worker},
          Settled{item, "sure"},
          Paused{"accuracy"},
          Resumed{},
          BudgetChanged{Money::whole(9'000'000'000)},
          Closed{"done"},
          ModelChanged{options},
          Reviewed{"eve", {{ItemId{3}, ClassId{1}, "irony", {0.75, 0.25}, 3}}},
          Reviewed{"eve",
                   {{ItemId{3}, ClassId{1}, "", {0.75, 0.25}, 3, true},
                    {ItemId{4}, ClassId{0}, "", {}, 0}}},
          GoldStated{{{ItemId{5}, {0.9, 0.1}, 7}, {ItemId{8}, {0.2, 0.8}, 2}}},
          ReviewUndone{ItemId{3}, "eve"},
          StandingChanged{worker, Standing::excluded, "always says yes"},
          OptionsChanged{options},
          PageChanged{"{\"question\": \"Why?\"}"},
          ArchiveChanged{true},
          WorkerGrouped{worker, "judges"},
          WorkerVersioned{worker, "2024-08", WorkerId{2}, {0.5, 0, 3, 4}},
          WorkerVersioned{worker, "2024-05", {}, {}},
          ClockSetBack{},
          AuditStarted{{7, 100, 0.9, 0.95}, {0, 1, 2}, {0, 65535, 40000}},
          RecruitingChanged{"link", terms},
          RecruitingChanged{"link", old_terms},
          SessionJoined{worker, "link", "visit", {{"STUDY_ID", "s1"}}},
          Qualified{worker, true},
          SessionEnded{worker, SessionOutcome::no_work},
          SessionEnded{worker, SessionOutcome::incomplete}};
}

TEST(Event, ComesBackAsItWasWritten) {
  std::set<std::string_view> names;
  std::set<int> kinds;
  for (const Event& event : one_of_each()) {
    const auto back = decode(kind(event), encode(event));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, event) << name(event);
    names.insert(name(event));
    kinds.insert(kind(event));
  }
  EXPECT_EQ(names.size(), std::variant_size_v<Event>);
  EXPECT_EQ(kinds.size(), std::variant_size_v<Event>);
}

TEST(Event, NamesTheVersionThatItNeeds) {
  const ItemsAdded plain{{{"p", Money::whole(1), ClassId{1}, {}}}};
  const ItemsAdded measured{{{"p", {}, {}, {}}, {"q", {}, {}, {}, ClassId{1}}}};
  EXPECT_EQ(encode(plain)[0], 1) << "as it was before there were truths";
  EXPECT_EQ(encode(measured)[0], 2);
  EXPECT_EQ(std::get<ItemsAdded>(*decode(2, encode(measured))).items[1].truth, ClassId{1});
  const ItemsAdded with_fields{{{"p", {}, {}, {}, {}, 7}}};
  EXPECT_EQ(encode(with_fields)[0], 3);
  Created created;
  created.options.calibrated = created.options.lower_end = false;
  created.options.local_reviews = created.options.mean_answers = false;
  EXPECT_EQ(encode(created)[0], 2) << "as it was before there were agreement samples";
  created.options.agreement_sample = AgreementSample{200, 3};
  EXPECT_EQ(encode(created)[0], 3);
  EXPECT_EQ(std::get<Created>(*decode(1, encode(created))), created);
  created.options.calibrated = true;
  created.options.stop.certified = 0.9;
  EXPECT_EQ(encode(created)[0], 4);
  EXPECT_EQ(std::get<Created>(*decode(1, encode(created))), created);
  created.options.lower_end = true;
  EXPECT_EQ(encode(created)[0], 5);
  EXPECT_EQ(std::get<Created>(*decode(1, encode(created))), created);
  created.options.lower_end = false;
  created.options.local_reviews = true;
  EXPECT_EQ(encode(created)[0], 5);
  EXPECT_EQ(std::get<Created>(*decode(1, encode(created))), created);
  created.options.mean_answers = true;
  EXPECT_EQ(encode(created)[0], 7);
  EXPECT_EQ(std::get<Created>(*decode(1, encode(created))), created);
  Reviewed reviewed{"eve", {{ItemId{3}, ClassId{1}, "", {}, 0}}};
  EXPECT_EQ(encode(reviewed)[0], 1) << "as it was before draws were marked";
  reviewed.verdicts[0].drawn = true;
  EXPECT_EQ(encode(reviewed)[0], 2);
  Leased leased{ItemId{1}, WorkerId{2}, Money::whole(1), {}, LeaseReason::waiting, 0};
  EXPECT_EQ(encode(leased)[0], 1);
  leased.reason = LeaseReason::sample;
  EXPECT_EQ(encode(leased)[0], 2);
  EXPECT_EQ(std::get<Leased>(*decode(5, encode(leased))), leased);
  Answered answered{ItemId{1}, WorkerId{2}, ClassId{1}, Money::whole(1), AnswerOrigin::leased};
  EXPECT_EQ(encode(answered)[0], 1) << "as it was before there were remarks";
  answered.remark.milliseconds = 900;
  EXPECT_EQ(encode(answered)[0], 2);
  std::string old = encode(answered);
  old[0] = 1;
  EXPECT_FALSE(decode(6, old)) << "a remark in a version without remarks";
  EXPECT_EQ(encode(SessionEnded{WorkerId{2}, SessionOutcome::no_work})[0], 1);
  EXPECT_EQ(encode(SessionEnded{WorkerId{2}, SessionOutcome::incomplete})[0], 2);
  RecruitingTerms terms = usual_terms(Platform::prolific);
  terms.codes = {"C1", "C2", "C3", ""};
  EXPECT_EQ(encode(RecruitingChanged{"link", terms})[0], 1) << "as links with three codes";
  terms.codes.incomplete = "C4";
  EXPECT_EQ(encode(RecruitingChanged{"link", terms})[0], 2);
  answered.confidence = 0.9F;
  EXPECT_EQ(encode(answered)[0], 3);
  old = encode(answered);
  old[0] = 2;
  EXPECT_FALSE(decode(6, old)) << "a confidence in a version without confidences";
  answered.confidence = 2.0F;
  EXPECT_FALSE(decode(6, encode(answered))) << "no probability";
  EXPECT_EQ(encode(Revised{ItemId{1}, WorkerId{2}, ClassId{1}})[0], 1);
  EXPECT_EQ(encode(Revised{ItemId{1}, WorkerId{2}, ClassId{1}, 0.5F})[0], 2);
  EXPECT_EQ(encode(Skipped{ItemId{1}, WorkerId{2}, {0, "unsure", ""}})[0], 2);
  EXPECT_EQ(encode(Skipped{ItemId{1}, WorkerId{2}, {0, "unsure", ""}, Money::whole(1)})[0], 3);
}

TEST(Event, ThatHappensOftenIsSmall) {
  const Answered answered{ItemId{1'000'000}, WorkerId{1000}, ClassId{1}, Money::whole(1),
                          AnswerOrigin::leased};
  EXPECT_LE(encode(answered).size(), 13U);
}

TEST(Event, CutShortChangedOrOfANewerVersionIsRefused) {
  for (const Event& event : one_of_each()) {
    const std::string bytes = encode(event);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(decode(kind(event), std::string_view(bytes).substr(0, size)))
          << name(event) << " " << size;
    }
    EXPECT_FALSE(decode(kind(event), bytes + "x"));
    std::string newer = bytes;
    newer[0] = 9;
    EXPECT_NE(decode(kind(event), newer).error().message.find("newer allot"), std::string::npos);
  }
  EXPECT_FALSE(decode(0, ""));
  EXPECT_FALSE(decode(200, "\x01"));
}

}  // namespace
}  // namespace allot::campaign::event_test
