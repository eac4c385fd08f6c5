// Tables of a server: the same promises in a file and in a database.
#include "serve/server_tables.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "serve/accuracy_history.hpp"
#include "serve/model_run_store.hpp"
#include "serve/server_store.hpp"
#include "serve/vault.hpp"
#include "serve/webhook_store.hpp"
#include "support/folder.hpp"
#include "support/postgres_server.hpp"

namespace allot::test::server_tables_test {
namespace {

using serve::Role;
using serve::ServerTables;
using serve::Time;
using serve::Vault;
using serve::Webhook;
using serve::WebhookStore;

const Time kNow{std::chrono::seconds(1'800'000'000)};

/// A folder or a database.
class Tables : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!GetParam()) {
      store_ = serve::open_folder(folder_ / "data").value();
      return;
    }
    PostgresServer* const server = PostgresServer::get();
    if (!server) GTEST_SKIP() << "PostgreSQL is not installed (Debian package postgresql)";
    store_ = serve::open_database(server->new_database()).value();
  }

  std::unique_ptr<ServerTables> tables() { return store_->open_tables(false).value(); }
  std::unique_ptr<Vault> opened() { return Vault::open(tables()).value(); }

  Folder folder_;
  std::unique_ptr<serve::ServerStore> store_;
};

TEST_P(Tables, FindsATokenByItsTextAndByNothingElse) {
  const auto vault = opened();
  const auto issued =
      vault->issue({.role = Role::worker, .campaign = "c", .person = "ann", .label = "link"}, kNow);
  ASSERT_TRUE(issued);
  EXPECT_EQ(vault->find(issued->text), issued->token);
  EXPECT_EQ(issued->token.person, "ann");
  EXPECT_FALSE(vault->find(""));
  EXPECT_FALSE(vault->find("allot_"));
  EXPECT_FALSE(vault->find(issued->text + "0"));
  for (const std::size_t place : {std::size_t{8}, issued->text.size() - 1}) {
    std::string other = issued->text;
    other[place] = other[place] == '0' ? '1' : '0';
    EXPECT_FALSE(vault->find(other));
  }
}

TEST_P(Tables, ARevokedTokenStaysOut) {
  const auto vault = opened();
  const auto first = vault->issue({.role = Role::admin}, kNow);
  const auto second = vault->issue({.role = Role::admin}, kNow);
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(vault->revoke(first->token.id, kNow));
  ASSERT_TRUE(vault->revoke(first->token.id, kNow)) << "twice is once";
  EXPECT_FALSE(vault->find(first->text));
  EXPECT_TRUE(vault->find(second->text));
  const auto last = vault->revoke(second->token.id, kNow);
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, ErrorCode::conflict);
  EXPECT_TRUE(vault->find(second->text));
  EXPECT_EQ(vault->revoke("nobody", kNow).error().code, ErrorCode::not_found);
  EXPECT_FALSE(opened()->find(first->text)) << "also after a start";
}

TEST_P(Tables, TheFirstAdminIsMadeOnce) {
  const auto vault = opened();
  const auto first = vault->first_admin(kNow, false);
  ASSERT_TRUE(first && *first);
  EXPECT_EQ(vault->find((*first)->text)->role, Role::admin);
  EXPECT_FALSE(vault->first_admin(kNow, false).value());
  EXPECT_FALSE(opened()->first_admin(kNow, false).value());
}

TEST_P(Tables, ManyThreadsMakeAndFindTokens) {
  const auto vault = opened();
  std::vector<std::thread> threads;
  for (int n = 0; n < 8; ++n) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const auto issued = vault->issue({.role = Role::requester}, kNow);
        ASSERT_TRUE(issued);
        ASSERT_TRUE(vault->find(issued->text));
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(vault->tokens().size(), 160U);
}

TEST_P(Tables, AVaultSeesWhatAnotherChanges) {
  const auto here = opened(), there = opened();
  const auto first = here->first_admin(kNow, false).value();
  ASSERT_TRUE(first);
  EXPECT_FALSE(there->first_admin(kNow, false).value()) << "although it was not refreshed";
  EXPECT_TRUE(there->find(first->text));
  const auto issued = here->issue({.role = Role::requester}, kNow);
  ASSERT_TRUE(issued && here->add({"abc", "Reviews", issued->token.id, kNow}, {"key", "digest"}));
  EXPECT_FALSE(there->find(issued->text));
  ASSERT_TRUE(there->refresh());
  EXPECT_TRUE(there->find(issued->text));
  EXPECT_EQ(there->campaign("abc"), here->campaign("abc"));
  EXPECT_EQ(there->created_under("key")->campaign, "abc");
  ASSERT_TRUE(there->revoke(issued->token.id, kNow));
  ASSERT_TRUE(there->change("abc", [](serve::CampaignEntry& entry) { entry.name = "Better"; }));
  ASSERT_TRUE(here->refresh());
  EXPECT_FALSE(here->find(issued->text));
  EXPECT_EQ(here->campaign("abc")->name, "Better");
}

TEST_P(Tables, OfTwoChangesAtOnceOneComesSecond) {
  const auto here = opened(), there = opened();
  const auto first = here->issue({.role = Role::admin}, kNow);
  const auto second = there->issue({.role = Role::admin}, kNow);
  ASSERT_TRUE(first && second);
  // Neither has heard of the other's change: still one admin stays.
  ASSERT_TRUE(here->revoke(first->token.id, kNow));
  EXPECT_EQ(there->revoke(second->token.id, kNow).error().code, ErrorCode::conflict);
  ASSERT_TRUE(here->add({"a", "A", "", kNow}, {"key", "1"}));
  EXPECT_EQ(there->add({"b", "B", "", kNow}, {"key", "1"}).error().code, ErrorCode::conflict);
  ASSERT_TRUE(here->change("a", [](serve::CampaignEntry& entry) { entry.name = "A2"; }));
  ASSERT_TRUE(there->change("a", [](serve::CampaignEntry& entry) { entry.owner = "o"; }));
  EXPECT_EQ(there->campaign("a")->name, "A2") << "the other's change is kept";
}

TEST_P(Tables, AnUnfinishedCampaignIsRemovedUnlessItWasAdded) {
  const auto vault = opened();
  int removed = 0;
  const auto remove = [&](serve::TableSession& session) {
    ++removed;
    return store_->remove("a", session);
  };
  ASSERT_TRUE(vault->begin("a", kNow) && vault->begin("b", kNow + std::chrono::hours(1)));
  EXPECT_EQ(vault->unfinished(kNow + std::chrono::seconds(1)), std::vector<std::string>{"a"});
  ASSERT_TRUE(vault->give_up("a", remove));
  EXPECT_EQ(removed, 1);
  ASSERT_TRUE(vault->add({"b", "B", "", kNow}));
  ASSERT_TRUE(vault->give_up("b", remove));
  EXPECT_EQ(removed, 1);
  EXPECT_TRUE(vault->unfinished(Time::max())->empty());
}

TEST_P(Tables, ATransactionThatRefusesLeavesNothing) {
  const auto own = tables();
  const auto refused = own->transact([](serve::TableSession& session) -> Result<void> {
    TRY(session.query("INSERT INTO server.unfinished (id, since) VALUES (?1, ?2)", "x", 1).run());
    return fail(ErrorCode::conflict, "no");
  });
  EXPECT_EQ(refused.error().message, "no");
  EXPECT_EQ(own->query("SELECT count(*) FROM server.unfinished").count(), 0);
  const std::string bytes("\0a\xff", 3);
  ASSERT_TRUE(own->query("INSERT INTO server.course (campaign, labels, point) VALUES (?1, ?2, ?3)",
                         "Grün '?", INT64_MAX, serve::Bytes{bytes})
                  .run());
  ASSERT_TRUE(own->query("SELECT campaign, labels, point FROM server.course")
                  .each([&](const serve::TableRow& row) {
                    EXPECT_EQ(row.text(0), "Grün '?");
                    EXPECT_EQ(row.number(1), INT64_MAX);
                    EXPECT_EQ(row.bytes(2), bytes);
                  }));
}

TEST_P(Tables, WebhooksAndTheirMessagesGoTheirWay) {
  WebhookStore store(tables());
  const auto made = store.make({.campaign = "c", .url = "https://a.org", .events = 3}, 2, 2);
  ASSERT_TRUE(made);
  const std::string id = made->webhook.id;
  const std::vector<serve::Message> messages{{.sequence = 1, .type = "a", .body = "1"},
                                             {.sequence = 2, .type = "b", .body = "2"}};
  EXPECT_EQ(store.advance(id, 0, 2, messages, kNow), true);
  EXPECT_EQ(store.advance(id, 0, 2, messages, kNow), false) << "the cursor has moved";
  ASSERT_TRUE(store.add_test(made->webhook, 9, kNow));
  EXPECT_EQ(store.waiting(id), 3U);
  std::vector<std::string> bodies;
  for (int n = 0; n < 3; ++n) {
    auto next = store.next(id, kNow);
    ASSERT_TRUE(next && next->delivery);
    bodies.push_back(next->delivery->body);
    next->delivery->state = serve::DeliveryState::delivered;
    next->delivery->last = kNow;
    ASSERT_TRUE(store.record({&*next->delivery, 1}, 2));
  }
  EXPECT_EQ(bodies[0] + bodies[1], "12");
  EXPECT_EQ(store.deliveries(id, 9)->size(), 2U);
  const auto old = store.keys(id, kNow);
  ASSERT_TRUE(store.rotate(id, kNow + std::chrono::hours(1)));
  EXPECT_EQ(store.keys(id, kNow)->at(1), old->at(0));
  EXPECT_EQ(store.keys(id, kNow + std::chrono::hours(2))->size(), 1U);
  Webhook off = made->webhook;
  off.off_reason = "gone";
  off.failing_since = kNow;
  ASSERT_TRUE(store.note(off));
  EXPECT_FALSE(store.find("c", id)->active);
  EXPECT_EQ(store.find("c", id)->failing_since, kNow);
  ASSERT_TRUE(store.remove(id));
  EXPECT_EQ(store.find("c", id).error().code, ErrorCode::not_found);
  EXPECT_TRUE(store.deliveries(id, 9)->empty());
}

TEST_P(Tables, KeepTheLastRunOfModelsPerCampaign) {
  serve::ModelRunStore runs(tables());
  EXPECT_FALSE(runs.find("c").value());
  serve::ModelRun run{.campaign = "c",
                      .models = {"small", "large-2026"},
                      .prompt = "{{text}}\n{{classes}}",
                      .cost_cap = parse_money("2.5").value(),
                      .spent_before = parse_money("0.25").value(),
                      .started = kNow};
  ASSERT_TRUE(runs.begin(run));
  ASSERT_TRUE(runs.begin({.campaign = "d", .models = {"small"}, .started = kNow}));
  const auto all = runs.running().value();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.front().models, run.models);
  EXPECT_EQ(all.front().prompt, run.prompt);
  EXPECT_EQ(all.front().cost_cap, run.cost_cap);
  EXPECT_EQ(all.front().spent_before, run.spent_before);
  EXPECT_FALSE(all.front().ended);
  EXPECT_FALSE(all.back().cost_cap);
  run.state = serve::RunState::failed;
  run.reason = "the key was refused";
  run.failed = 3;
  run.trouble = "status 401";
  run.ended = kNow;
  ASSERT_TRUE(runs.end(run));
  const auto ended = runs.find("c").value().value();
  EXPECT_EQ(ended.state, serve::RunState::failed);
  EXPECT_EQ(ended.reason + ended.trouble, "the key was refusedstatus 401");
  EXPECT_EQ(ended.failed, 3U);
  EXPECT_EQ(ended.ended, kNow);
  EXPECT_EQ(runs.running().value().size(), 1U);
  run.models = {"other"};
  run.state = serve::RunState::running;
  run.ended.reset();
  ASSERT_TRUE(runs.begin(run));
  EXPECT_EQ(runs.find("c").value().value().models, run.models) << "in the place of the last";
}

TEST_P(Tables, KeepPointsOfCurves) {
  ASSERT_TRUE(store_->open_tables(false)) << "makes them";
  serve::AccuracyStore store(store_->open_tables(true).value());
  for (const std::uint64_t labels : {3U, 1U, 2U, 2U}) {
    ASSERT_TRUE(store.add("c", {.labels = labels, .expected_accuracy = .5}));
  }
  ASSERT_TRUE(store.drop("c", {1}));
  const auto points = store.load("c");
  ASSERT_TRUE(points);
  ASSERT_EQ(points->size(), 2U);
  EXPECT_EQ(points->front(), (serve::AccuracyPoint{.labels = 2, .expected_accuracy = .5}));
}

INSTANTIATE_TEST_SUITE_P(InAFile, Tables, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(InPostgres, Tables, testing::Values(true));

/// A table or column that one place has, the other has too.
TEST(TablesOfPostgres, AreThoseOfTheFile) {
  PostgresServer* const server = PostgresServer::get();
  if (!server) GTEST_SKIP() << "PostgreSQL is not installed (Debian package postgresql)";
  const Folder folder;
  const auto file = serve::open_folder(folder / "data").value()->open_tables(false).value();
  const auto database =
      serve::open_database(server->new_database()).value()->open_tables(false).value();
  std::set<std::string> in_file, in_database;
  const auto note = [](std::set<std::string>& names) {
    return [&](const serve::TableRow& row) { names.insert(row.text(0) + "." + row.text(1)); };
  };
  ASSERT_TRUE(file->query("SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
                          " WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'")
                  .each(note(in_file)));
  ASSERT_TRUE(database
                  ->query("SELECT substr(table_name, 8)::text, column_name::text"
                          " FROM information_schema.columns WHERE table_schema = 'allot' AND"
                          " table_name LIKE 'server_%' AND table_name NOT IN"
                          " ('server_node', 'server_owner')")
                  .each(note(in_database)));
  EXPECT_EQ(in_file, in_database);
}

}  // namespace
}  // namespace allot::test::server_tables_test
