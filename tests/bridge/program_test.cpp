// `allot bridge` and `allot work` as people start them, killed at any time and started again.
#include "support/program.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "support/chat_endpoint.hpp"
#include "support/child.hpp"
#include "support/label_studio.hpp"

namespace allot::test::program_test {
namespace {

using namespace std::chrono_literals;

/// `allot ARGUMENTS` in the background; killed at the end if it still runs.
class Running {
 public:
  Running(const Folder& folder, const std::vector<std::string>& arguments,
          const std::vector<std::string>& variables)
      : out_(folder / "run.out"), err_(folder / "run.err"), pid_(fork()) {
    if (pid_ > 0) return;
    std::freopen(out_.c_str(), "w", stdout);
    std::freopen(err_.c_str(), "w", stderr);
    become_program(arguments, variables);
  }
  ~Running() {
    if (pid_ > 0) end(SIGKILL);
  }
  Running(const Running&) = delete;

  /// Exit status, or minus the signal; waits for the program, after a signal if one is given.
  int end(int signal = 0) {
    if (signal != 0) kill(pid_, signal);
    int raw = 0;
    waitpid(pid_, &raw, 0);
    pid_ = 0;
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : -WTERMSIG(raw);
  }
  std::string output() const { return read_file(out_); }
  std::string errors() const { return read_file(err_); }

 private:
  const std::string out_, err_;
  pid_t pid_;
};

class Programs : public testing::Test {
 protected:
  Folder folder_;
  const std::string db_ = folder_ / "c.db";

  void create(int items, int budget) const {
    std::string text = "id,text\n";
    for (int i = 0; i < items; ++i) text += "r" + std::to_string(i) + ",some words\n";
    const Outcome made =
        allot("campaign create " + db_ + " --classes no,yes --budget " + std::to_string(budget) +
              " --items " + folder_.file("items.csv", text));
    ASSERT_EQ(made.status, 0) << made.errors;
  }
  std::uint64_t number(const std::string& name) const {
    const std::string json = allot("campaign status " + db_ + " --format json").output;
    const std::size_t at = json.find("\"" + name + "\": ");
    return at == std::string::npos ? 0 : std::stoul(json.substr(at + name.size() + 4));
  }
  void expect_verified() const {
    const Outcome checked = allot("campaign verify " + db_);
    EXPECT_EQ(checked.status, 0) << checked.output << checked.errors;
  }
};

TEST_F(Programs, TheBridgeSpendsTheBudgetExactlyThoughItIsKilled) {
  constexpr int kBudget = 24;
  create(12, kBudget);
  LabelStudioStandIn studio;
  const std::vector<std::string> words{
      "bridge", "label-studio", db_,    "--url",   studio.url(), "--project", "7", "--window",
      "4",      "--poll",       "0.05", "--sweep", "0.5"};
  const auto people_label = [&](std::size_t most) {
    EXPECT_TRUE(eventually([&] {
      for (int person = 1; person <= 4; ++person) {
        if (studio.annotations() >= most) return true;
        if (const auto task = studio.next_task(person)) studio.annotate(person, *task, "yes");
      }
      return false;
    }));
  };
  for (const std::size_t killed_at : {5, 11}) {
    Running bridge(folder_, words, {"LABEL_STUDIO_API_KEY=secret-token"});
    people_label(killed_at);
    bridge.end(SIGKILL);
    // People go on with what is open.
    if (const auto task = studio.next_task(5)) studio.annotate(5, *task, "no");
  }
  Running bridge(folder_, words, {"LABEL_STUDIO_API_KEY=secret-token"});
  people_label(kBudget);
  EXPECT_EQ(bridge.end(), 0) << bridge.output() << bridge.errors();
  EXPECT_NE(bridge.output().find("finished: the budget of 24 is spent"), std::string::npos)
      << bridge.output();
  EXPECT_EQ((bridge.output() + bridge.errors()).find("secret-token"), std::string::npos);
  EXPECT_EQ(number("spent"), static_cast<std::uint64_t>(kBudget));
  EXPECT_EQ(number("labels"), studio.annotations());
  EXPECT_EQ(number("leases"), 0U);
  EXPECT_TRUE(studio.open_tasks().empty());
  expect_verified();
}

TEST_F(Programs, TheBridgeStopsCleanly) {
  create(5, 10);
  LabelStudioStandIn studio;
  const std::string token = folder_.file("token", "secret-token\n");
  Running bridge(folder_,
                 {"bridge", "label-studio", db_, "--url", studio.url(), "--project", "7",
                  "--token-file", token, "--listen", "127.0.0.1:0"},
                 {});
  ASSERT_TRUE(eventually([&] { return studio.open_tasks().size() == 5; })) << bridge.errors();
  EXPECT_EQ(bridge.end(SIGTERM), 0) << bridge.errors();
  EXPECT_NE(bridge.output().find("stopped; the same command goes on"), std::string::npos);
  EXPECT_TRUE(studio.open_tasks().empty());
  EXPECT_EQ(number("leases"), 0U);
}

TEST_F(Programs, ACampaignHasOneBridge) {
  create(5, 10);
  LabelStudioStandIn studio;
  const std::string token = folder_.file("token", "secret-token\n");
  Running bridge(folder_,
                 {"bridge", "label-studio", db_, "--url", studio.url(), "--project", "7",
                  "--token-file", token},
                 {});
  ASSERT_TRUE(eventually([&] { return studio.open_tasks().size() == 5; })) << bridge.errors();
  const std::string again = "bridge label-studio " + db_ + " --project 7 --url " + studio.url() +
                            " --token-file " + token;
  const Outcome second = allot(again);
  EXPECT_NE(second.status, 0);
  EXPECT_NE(second.errors.find("campaign 'c' has a bridge already (process "), std::string::npos)
      << second.errors;
  EXPECT_NE(second.errors.find("expected one bridge per campaign"), std::string::npos);
  EXPECT_EQ(studio.open_tasks().size(), 5U) << "the first one goes on";
  EXPECT_EQ(bridge.end(SIGKILL), -SIGKILL);
  // The lock ends with its process.
  const Folder other;
  Running next(other,
               {"bridge", "label-studio", db_, "--url", studio.url(), "--project", "7",
                "--token-file", token},
               {});
  ASSERT_TRUE(eventually([&] {
    return next.output().find("control") != std::string::npos ||
           next.errors().find("control") != std::string::npos;
  })) << next.errors();
  EXPECT_EQ(next.end(SIGTERM), 0) << next.errors();
  EXPECT_TRUE(studio.open_tasks().empty());
}

TEST_F(Programs, TheBridgeNamesWhatIsWrong) {
  create(2, 2);
  LabelStudioStandIn studio;
  const std::string rest = " bridge label-studio " + db_ + " --project 7 --url ";
  const auto refuses = [&](const std::string& words, const std::string& wrong,
                           const std::string& accepted) { expect_refusal(words, wrong, accepted); };
  refuses(rest.substr(1) + studio.url(), "LABEL_STUDIO_API_KEY is not set", "--token-file");
  const std::string token = " --token-file " + folder_.file("token", "wrong-token");
  const Outcome refused = allot(rest.substr(1) + studio.url() + token);
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("status 401"), std::string::npos) << refused.errors;
  EXPECT_EQ(refused.errors.find("wrong-token"), std::string::npos) << refused.errors;
  refuses(rest.substr(1) + "labels.example.org" + token, "--url", "http");
  refuses(rest.substr(1) + studio.url() + token + " --webhook-url http://x/", "--webhook-url",
          "--listen");
  refuses(rest.substr(1) + studio.url() + token + " --window 0", "--window '0'", "1 to 1000");
}

TEST_F(Programs, ModelsLabelEveryItemOnceThoughTheyAreKilled) {
  constexpr int kItems = 120;
  create(kItems, 1000);
  ChatEndpoint endpoint([](const ChatEndpoint::Asked&) { return ChatEndpoint::says("yes"); }, 20ms);
  const std::string prompt = folder_.file("prompt.txt", "{{item}} {{text}}\n{{classes}}\n");
  const std::vector<std::string> words{"work",    db_,     "--endpoint", endpoint.url(),
                                       "--model", "small", "--prompt",   prompt,
                                       "--price", "1",     "--at-once",  "8"};
  for (const std::size_t killed_at : {20, 60}) {
    Running work(folder_, words, {"OPENAI_API_KEY=sk-secret"});
    ASSERT_TRUE(eventually([&] { return endpoint.asked().size() >= killed_at; })) << work.errors();
    work.end(SIGKILL);
  }
  Running work(folder_, words, {"OPENAI_API_KEY=sk-secret"});
  EXPECT_EQ(work.end(), 0) << work.errors();
  EXPECT_EQ((work.output() + work.errors()).find("sk-secret"), std::string::npos);
  EXPECT_EQ(number("labels"), static_cast<std::uint64_t>(kItems));
  EXPECT_EQ(number("spent"), static_cast<std::uint64_t>(kItems));
  EXPECT_EQ(number("leases"), 0U);
  EXPECT_LE(endpoint.asked().size(), kItems + 2 * 8U) << "only requests under way are repeated";
  expect_verified();
}

TEST_F(Programs, AModelThatChangesIsExactThoughItsRunsAreKilled) {
  constexpr std::uint64_t kItems = 60;
  create(kItems, 1000);
  ChatEndpoint endpoint(
      [](const ChatEndpoint::Asked& asked) {
        const bool is_old = asked.number <= 30;
        return ChatEndpoint::by_version(ChatEndpoint::says(is_old ? "yes" : "no"),
                                        is_old ? "1" : "2");
      },
      10ms);
  const std::string prompt = folder_.file("prompt.txt", "{{item}} {{text}}\n{{classes}}\n");
  const std::vector<std::string> words{
      "work", db_,       "--endpoint", endpoint.url(), "--model", "small",   "--prompt",
      prompt, "--price", "2",          "--at-once",    "8",       "--no-key"};
  for (const std::size_t killed_at : {20, 34, 50}) {
    Running work(folder_, words, {});
    ASSERT_TRUE(eventually([&] { return endpoint.asked().size() >= killed_at; })) << work.errors();
    work.end(SIGKILL);
  }
  Running work(folder_, words, {});
  EXPECT_EQ(work.end(), 0) << work.errors();
  const std::string workers = allot("campaign workers " + db_ + " --format csv").output;
  EXPECT_NE(workers.find("\nsmall@2,60,0,0,"), std::string::npos) << workers;
  EXPECT_NE(workers.find(",2,small\n"), std::string::npos) << workers;
  EXPECT_EQ(number("spent"), 2 * number("labels"));
  EXPECT_EQ(number("leases"), 0U);
  expect_verified();
  // Labels of the old version say "yes", those of the new one "no".
  const std::string labels = allot("campaign export " + db_ + " labels").output;
  EXPECT_EQ(labels.find("small@2,yes"), std::string::npos) << labels;
  EXPECT_EQ(labels.find("small,no"), std::string::npos) << labels;
}

TEST_F(Programs, AModelFollowsAnEarlierOne) {
  create(12, 100);
  ChatEndpoint endpoint([](const ChatEndpoint::Asked&) { return ChatEndpoint::says("yes"); }, 1ms);
  const std::string prompt = folder_.file("prompt.txt", "{{text}}\n{{classes}}\n");
  const std::string rest =
      "work " + db_ + " --no-key --prompt " + prompt + " --endpoint " + endpoint.url();
  EXPECT_EQ(allot(rest + " --model old-1 --family mine").status, 0);
  const std::string next = rest + " --model new-2 --follows new-2=old-1 --cost-cap 4";
  for (int run = 0; run < 2; ++run) {
    const Outcome outcome = allot(next);
    EXPECT_EQ(outcome.status, 0) << "also the same command again: " << outcome.errors;
  }
  const std::string workers = allot("campaign workers " + db_ + " --format csv").output;
  EXPECT_NE(workers.find(",mine,0,,old-1\n"), std::string::npos) << workers;
  expect_refusal(rest + " --model new-3 --follows new-4=old-1", "'new-4', which is no --model",
                 "'new-3'");
  expect_refusal(rest + " --model new-3 --follows new-3", "names no two workers", "NEW=OLD");
  expect_verified();
}

TEST_F(Programs, ModelsOfOneFamilyAreOneGroup) {
  create(6, 100);
  ChatEndpoint endpoint([](const ChatEndpoint::Asked&) { return ChatEndpoint::says("yes"); }, 1ms);
  const std::string prompt = folder_.file("prompt.txt", "{{text}}\n{{classes}}\n");
  const std::string rest =
      "work " + db_ + " --no-key --prompt " + prompt + " --endpoint " + endpoint.url();
  const auto groups = [&] { return allot("campaign groups " + db_ + " --format csv").output; };
  const Outcome first = allot(rest + " --model maker/Gpt-4,gpt-4-mini,other");
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_NE(groups().find("\ngpt,2,6,"), std::string::npos) << groups();
  EXPECT_NE(groups().find("\nother,1,6,"), std::string::npos) << groups();
  EXPECT_EQ(allot("campaign groups " + db_ + " gpt-4-mini=").status, 0);
  EXPECT_EQ(allot(rest + " --model gpt-4-mini").status, 0);
  EXPECT_NE(groups().find("\ngpt,1,6,"), std::string::npos) << "a group that was set stays";
  EXPECT_EQ(allot(rest + " --model gpt-4-mini,other --family judges").status, 0);
  EXPECT_NE(groups().find("\njudges,2,6,"), std::string::npos) << groups();
  expect_verified();
}

TEST_F(Programs, ModelsThatHangEndWithTheFirstSignal) {
  create(5, 100);
  ChatEndpoint endpoint([](const ChatEndpoint::Asked&) { return ChatEndpoint::says("yes"); },
                        10min);
  const std::string prompt = folder_.file("prompt.txt", "{{text}}\n{{classes}}\n");
  Running work(folder_,
               {"work", db_, "--no-key", "--prompt", prompt, "--endpoint", endpoint.url(),
                "--model", "small", "--timeout", "3600"},
               {});
  ASSERT_TRUE(eventually([&] { return endpoint.asked().size() == 5; })) << work.errors();
  EXPECT_EQ(work.end(SIGINT), 0) << work.errors();
  EXPECT_NE(work.output().find("stopped; the same command goes on"), std::string::npos);
  EXPECT_EQ(number("leases"), 0U);
  EXPECT_EQ(number("spent"), 0U);
  expect_verified();
}

TEST_F(Programs, ModelsNeedAPromptAndAKey) {
  create(2, 2);
  const std::string prompt = folder_.file("prompt.txt", "{{text}} {{classes}}"),
                    poor = folder_.file("poor.txt", "{{text}}");
  const std::string rest = "work " + db_ + " --endpoint http://127.0.0.1:1/v1 --model m --prompt ";
  expect_refusal(rest + prompt, "OPENAI_API_KEY is not set", "--key-file");
  expect_refusal(rest + poor + " --no-key", "does not list the classes", "{{classes}}");
  expect_refusal(rest + prompt + " --no-key --price n=1", "'n', which is no --model", "'m'");
  expect_refusal(rest + prompt + " --no-key --family n=g", "'n', which is no --model", "'m'");
  const Outcome unreachable = allot(rest + prompt + " --no-key --tries 1 --at-once 1");
  EXPECT_EQ(unreachable.status, 1) << unreachable.output;
  EXPECT_NE(unreachable.errors.find("no connection"), std::string::npos) << unreachable.errors;
}

}  // namespace
}  // namespace allot::test::program_test
