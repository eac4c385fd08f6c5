// The bridge against a stand-in that plays Label Studio's documented rules.
#include "bridge/label_studio.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "allot/store/memory_store.hpp"
#include "bridge/webhook_receiver.hpp"
#include "support/label_studio.hpp"

namespace allot::bridge::label_studio_test {
namespace {

using campaign::Campaign;
using campaign::State;
using namespace std::chrono_literals;
using test::eventually;

campaign::Time now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

Money units(int count) { return parse_money(std::to_string(count)).value(); }

class LabelStudio : public testing::Test {
 protected:
  static constexpr std::uint64_t kProject = 7;

  test::LabelStudioStandIn studio_;
  std::unique_ptr<store::Store> store_ = store::memory_store();
  std::unique_ptr<Campaign> campaign_;
  LabelStudioOptions options_{.window = 4, .poll = 20ms, .sweep = 1h};
  std::vector<std::string> lines_;
  std::mutex lines_mutex_;
  // Of the bridge that runs.
  std::unique_ptr<StopFlag> stop_;
  std::unique_ptr<WebApi> web_;
  std::unique_ptr<LabelStudioApi> api_;
  std::unique_ptr<LabelStudioBridge> bridge_;
  std::thread thread_;
  Result<LabelStudioReport> report_ = fail(ErrorCode::internal, "not run");

  LabelStudio() {
    options_.say = [this](const std::string& line) {
      const std::scoped_lock lock(lines_mutex_);
      lines_.push_back(line);
    };
  }
  ~LabelStudio() override {
    if (thread_.joinable()) stop();
  }

  void create(int items, int budget, campaign::Options options = {}) {
    options.classes = {"no", "yes"};
    options.budget = units(budget);
    std::vector<campaign::ItemDraft> drafts;
    for (int i = 0; i < items; ++i)
      drafts.push_back({"r" + std::to_string(i), R"({"text": "t", "price": 1.10})"});
    campaign_ = Campaign::create(*store_, "c", options, now(), {drafts, {}}).value();
  }
  Result<void> open(const std::string& token = "secret-token") {
    stop_ = std::make_unique<StopFlag>();
    web_ = WebApi::open({.base = studio_.url() + "/", .first_pause = 1ms, .longest_pause = 5ms},
                        *stop_)
               .value();
    api_ = std::make_unique<LabelStudioApi>(*web_, token, kProject);
    bridge_ = std::make_unique<LabelStudioBridge>(*campaign_, *api_, options_, *stop_);
    return bridge_->start();
  }
  void run() {
    const auto opened = open();
    ASSERT_TRUE(opened) << opened.error().message;
    thread_ = std::thread([this] { report_ = bridge_->run(); });
  }
  void stop() {
    stop_->raise();
    bridge_->wake();
    join();
  }
  LabelStudioReport join() {
    thread_.join();
    EXPECT_TRUE(report_) << report_.error().message;
    return report_.value_or(LabelStudioReport{});
  }

  /// What a person would say: mostly yes on even items.
  static std::string choice(const std::string& item, int person) {
    const bool even = (item.back() - '0') % 2 == 0;
    return even == (person % 5 != 0) ? "yes" : "no";
  }
  bool label_once(int person) {
    const auto task = studio_.next_task(person);
    if (!task) return false;
    studio_.annotate(person, *task, choice(studio_.item_of(*task), person));
    return true;
  }
  /// People work until the bridge ends or there are that many annotations.
  void people(int count, std::size_t most = SIZE_MAX) {
    EXPECT_TRUE(eventually([&] {
      for (int person = 1; person <= count; ++person)
        if (studio_.annotations() < most) label_once(person);
      return studio_.annotations() >= most || is_done();
    }));
  }
  bool is_done() { return labels() >= wanted_; }
  bool has_line(const std::string& part) {
    const std::scoped_lock lock(lines_mutex_);
    return std::ranges::any_of(lines_, [&](const auto& one) { return one.find(part) != one.npos; });
  }
  std::uint64_t labels() const {
    return campaign_->view().read([](const State& s) { return s.label_counts().all; }).value();
  }
  Money spent() const {
    return campaign_->view().read([](const State& s) { return s.account().spent; }).value();
  }
  void expect_sound() {
    const auto checked = campaign_->verify().value();
    EXPECT_TRUE(checked.differences.empty()) << checked.differences.front();
    EXPECT_TRUE(studio_.open_tasks().empty()) << studio_.open_tasks().size();
    EXPECT_EQ(campaign_->view().status(false).value().leases, 0U);
  }

  std::uint64_t wanted_ = UINT64_MAX;
};

TEST_F(LabelStudio, SpendsTheBudgetThroughAWindow) {
  create(20, 30);
  wanted_ = 30;
  run();
  people(3);
  const LabelStudioReport report = join();
  EXPECT_EQ(report.labels, 30U);
  EXPECT_EQ(report.extra, 0U);
  EXPECT_EQ(report.refused, 0U);
  EXPECT_EQ(spent(), units(30));
  EXPECT_NE(report.reason.find("budget"), std::string::npos) << report.reason;
  EXPECT_EQ(studio_.annotations(), 30U);
  EXPECT_LE(studio_.most_open, options_.window);
  const auto guard = studio_.guard();
  EXPECT_EQ(studio_.sampling, "Sequential sampling");
  for (const auto& [number, job] : studio_.jobs) {
    EXPECT_EQ(job.predictions.size(), job.notes.empty() ? 0U : 1U) << number;
    EXPECT_EQ(job.data.at("text").as_string(), "t");
  }
}

TEST_F(LabelStudio, LeavesNothingOpenAndAValidLedger) {
  create(8, 10);
  wanted_ = 10;
  run();
  people(2);
  join();
  expect_sound();
  const auto people = campaign_->view().workers().value();
  EXPECT_EQ(people.size(), 3U) << "two people and the holder";
}

TEST_F(LabelStudio, FollowsWebhooksWithoutPolling) {
  create(10, 12);
  wanted_ = 12;
  options_.poll = 1h;
  ASSERT_TRUE(open());
  WebhookReceiver receiver([&](std::uint64_t task) { bridge_->look_at(task); });
  const auto server = test::serve(receiver);
  ASSERT_TRUE(api_->add_webhook("http://" + server->addresses().front() + "/"));
  ASSERT_TRUE(api_->add_webhook("http://" + server->addresses().front() + "/"));
  EXPECT_EQ(studio_.webhooks.size(), 1U);
  thread_ = std::thread([this] { report_ = bridge_->run(); });
  people(2);
  EXPECT_EQ(join().labels, 12U);
  server->stop();
  expect_sound();
}

TEST_F(LabelStudio, ForgedWebhooksChangeNothing) {
  create(4, 100);
  options_.poll = 1h;
  ASSERT_TRUE(open());
  WebhookReceiver receiver([&](std::uint64_t task) { bridge_->look_at(task); });
  const auto server = test::serve(receiver);
  thread_ = std::thread([this] { report_ = bridge_->run(); });
  ASSERT_TRUE(eventually([&] { return studio_.open_tasks().size() == 4; }));
  const auto client = http::Client::start({.private_addresses = true}).value();
  std::atomic<int> replies = 0;
  const std::vector<std::string> bodies{
      R"({"action": "ANNOTATION_CREATED", "annotation": {"id": 1, "task": 1, "completed_by": 9,
          "result": [{"from_name": "mood", "value": {"choices": ["yes"]}}]}})",
      R"({"task": {"id": 99999}})", "[]", "not json", R"({"tasks": [{"id": -1}, 7, {"id": "x"}]})"};
  for (const std::string& body : bodies) {
    client->post("http://" + server->addresses().front() + "/", {}, body,
                 [&](const Result<int>& status) { replies += status.has_value(); });
  }
  ASSERT_TRUE(eventually([&] { return replies == 5; }));
  stop();
  EXPECT_EQ(labels(), 0U);
  server->stop();
  expect_sound();
}

TEST_F(LabelStudio, GoesOnAfterARestart) {
  create(12, 20);
  wanted_ = 20;
  run();
  people(3, 8);
  ASSERT_TRUE(eventually([&] { return labels() == 8; }));
  stop();
  const std::uint64_t before = labels();
  EXPECT_TRUE(studio_.open_tasks().empty());
  EXPECT_EQ(studio_.predictions, 0U) << "people who go on must not see answers";
  // Somebody had a task on the screen while no bridge ran.
  studio_.annotate(9, 1, "yes");
  run();
  ASSERT_TRUE(eventually([&] { return labels() > before; }));
  people(3);
  const LabelStudioReport report = join();
  EXPECT_EQ(spent(), units(20));
  EXPECT_EQ(report.labels, 20 - before);
  EXPECT_EQ(report.extra, 1U);
  expect_sound();
}

TEST_F(LabelStudio, CountsASecondAnnotatorOfATask) {
  create(3, 100);
  options_.window = 1;
  run();
  ASSERT_TRUE(eventually([&] { return studio_.open_tasks().size() == 1; }));
  const std::uint64_t task = studio_.next_task(1).value();
  studio_.annotate(2, task, "yes");
  studio_.annotate(1, task, "no");
  ASSERT_TRUE(eventually([&] { return labels() == 2; }));
  stop();
  EXPECT_EQ(report_->labels, 2U);
  EXPECT_EQ(report_->extra, 1U) << "of the two, one was wanted";
  EXPECT_EQ(report_->refused, 0U);
  expect_sound();
}

TEST_F(LabelStudio, RefusesMoreLabelsThanAnItemMayHave) {
  campaign::Options options;
  options.labels_per_item = 1;
  create(2, 100, options);
  options_.window = 1;
  run();
  ASSERT_TRUE(eventually([&] { return studio_.open_tasks().size() == 1; }));
  const std::uint64_t task = studio_.next_task(1).value();
  studio_.annotate(2, task, "yes");
  studio_.annotate(1, task, "no");
  ASSERT_TRUE(eventually([&] { return has_line("is not counted"); }));
  stop();
  EXPECT_EQ(labels(), 1U);
  EXPECT_EQ(report_->refused, 1U);
  expect_sound();
}

TEST_F(LabelStudio, FollowsEditsAndSurvivesDeletions) {
  create(3, 100);
  options_.window = 1;
  options_.sweep = 50ms;
  run();
  ASSERT_TRUE(eventually([&] { return studio_.open_tasks().size() == 1; }));
  const std::uint64_t task = studio_.next_task(1).value();
  const std::string item = studio_.item_of(task);
  const std::uint64_t note = studio_.annotate(1, task, "yes");
  const auto label = [&] {
    return campaign_->view()
        .read([&](const State& state) -> std::string {
          const auto worker = state.find_worker("1");
          const auto said =
              worker ? state.pairs().label(*state.find_item(item), *worker) : std::nullopt;
          return said ? campaign::class_name(state.options(), *said) : "";
        })
        .value();
  };
  ASSERT_TRUE(eventually([&] { return label() == "yes"; }));
  studio_.edit(task, note, "no");
  ASSERT_TRUE(eventually([&] { return label() == "no"; }));
  studio_.edit(task, note, "maybe");
  ASSERT_TRUE(eventually([&] { return has_line("is left out"); }));
  studio_.erase(task, note);
  ASSERT_TRUE(eventually([&] { return has_line("was deleted; its label stays"); }));
  ASSERT_TRUE(eventually([&] { return studio_.open_tasks().size() == 1; }));
  const std::uint64_t open = studio_.open_tasks().front();
  const std::string gone = studio_.item_of(open);
  studio_.erase_task(open);
  ASSERT_TRUE(eventually([&] { return has_line("nobody is asked about item '" + gone); }));
  stop();
  EXPECT_EQ(report_->revised, 1U);
  EXPECT_EQ(report_->deleted_annotations, 1U);
  EXPECT_EQ(report_->deleted_tasks, 1U);
  EXPECT_EQ(labels(), 1U);
  expect_sound();
}

TEST_F(LabelStudio, OnlyTheLastAnnotationOfAPersonCounts) {
  create(1, 100);
  run();
  ASSERT_TRUE(eventually([&] { return studio_.open_tasks().size() == 1; }));
  studio_.annotate(1, 1, "yes");
  ASSERT_TRUE(eventually([&] { return labels() == 1; }));
  studio_.annotate(1, 1, "no");
  studio_.annotate(2, 1, "", true);
  stop();
  const std::uint64_t events = store_->last("c").value();
  for (int n = 0; n < 2; ++n) {
    run();
    stop();
  }
  EXPECT_EQ(labels(), 1U);
  EXPECT_LE(store_->last("c").value(), events + 1 + 2 * 2) << "one revision, and two leases";
  expect_sound();
}

TEST_F(LabelStudio, SurvivesAServerInTrouble) {
  create(10, 15);
  wanted_ = 15;
  {
    const auto guard = studio_.guard();
    studio_.tells_task_ids = false;
    for (int n = 0; n < 3; ++n) studio_.faults.push_back({.status = 500});
    studio_.faults.push_back({.status = 429, .retry_after = "0"});
  }
  run();
  for (int n = 0; n < 40; ++n) {
    const auto guard = studio_.guard();
    studio_.faults.push_back({.status = n % 3 == 0 ? 502 : 503, .acts = n % 2 == 0});
  }
  people(3);
  EXPECT_EQ(join().labels, 15U);
  EXPECT_EQ(spent(), units(15));
  EXPECT_GT(web_->failures(), 4U);
  const auto guard = studio_.guard();
  std::set<std::string> items;
  for (const auto& [number, job] : studio_.jobs)
    items.insert(std::string(job.data.at("allot_item").as_string()));
  EXPECT_LE(items.size(), 10U);
}

TEST_F(LabelStudio, UsesTasksThatAreThereAndClosesTheOthers) {
  campaign::Options options;
  options.classes = {"no", "yes"};
  options.budget = units(3);
  std::vector<campaign::ItemDraft> drafts;
  for (int i = 1; i <= 150; ++i) {
    studio_.jobs[static_cast<std::uint64_t>(i)].data["text"] = "t";
    if (i <= 120) drafts.push_back({std::to_string(i)});
  }
  campaign_ = Campaign::create(*store_, "c", options, now(), {drafts, {}}).value();
  wanted_ = 3;
  run();
  ASSERT_TRUE(eventually([&] { return studio_.open_tasks().size() == 3; }))
      << "as the budget allows";
  people(2);
  join();
  EXPECT_EQ(studio_.jobs.size(), 150U);
  EXPECT_EQ(spent(), units(3));
  expect_sound();
}

TEST_F(LabelStudio, ClosesTheWindowOfAPausedCampaign) {
  create(5, 100);
  run();
  ASSERT_TRUE(eventually([&] { return studio_.open_tasks().size() == 4; }));
  ASSERT_TRUE(campaign_->pause(now()));
  ASSERT_TRUE(eventually([&] { return studio_.open_tasks().empty(); }));
  ASSERT_TRUE(campaign_->resume(now()));
  ASSERT_TRUE(eventually([&] { return studio_.open_tasks().size() == 4; }));
  stop();
  expect_sound();
}

TEST_F(LabelStudio, ExchangesAPersonalToken) {
  create(3, 2);
  wanted_ = 2;
  studio_.refresh_token = "header.payload.signature";
  ASSERT_TRUE(open("header.payload.signature"));
  {
    const auto guard = studio_.guard();
    studio_.faults.push_back({.status = 401});  // it ended early
  }
  thread_ = std::thread([this] { report_ = bridge_->run(); });
  people(2);
  EXPECT_EQ(join().labels, 2U);
  EXPECT_GE(studio_.refreshes, 2U);
}

TEST_F(LabelStudio, ARefusedTokenIsNeverShown) {
  create(3, 2);
  for (const char* token : {"wrong-token", "wrong.token.jwt"}) {
    const auto opened = open(token);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::forbidden);
    EXPECT_EQ(opened.error().message.find(token), std::string::npos) << opened.error().message;
  }
}

TEST_F(LabelStudio, RefusesAnInterfaceWithoutTheClasses) {
  create(1, 1);
  studio_.config = "<View><Text name='t' value='$t'/></View>";
  EXPECT_NE(open().error().message.find("has no Choices"), std::string::npos);
  studio_.config = "<View><Choices name='a' toName='t'><Choice value='no'/></Choices></View>";
  EXPECT_NE(open().error().message.find("not the class 'yes'"), std::string::npos);
}

}  // namespace
}  // namespace allot::bridge::label_studio_test
