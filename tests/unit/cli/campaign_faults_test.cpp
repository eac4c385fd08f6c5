// Campaigns driven by processes that are killed, that come at once, or that find a damaged file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "allot/campaign/event.hpp"
#include "allot/store/sqlite_store.hpp"
#include "support/program.hpp"

namespace allot::test::campaign_faults_test {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class CampaignFaults : public testing::Test {
 protected:
  Folder folder_;
  const std::string db_ = folder_ / "c.db";

  void create(int items, int budget) const {
    std::string text = "id,text\n";
    for (int i = 0; i < items; ++i) text += "i" + std::to_string(i) + ",x\n";
    const Outcome outcome =
        allot("campaign create " + db_ + " --items " + folder_.file("items.csv", text) +
              " --classes no,yes --budget " + std::to_string(budget));
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
  }
  /// Asks for items and answers them as long as there are any; meant to run in its own process.
  std::string work_script(const std::string& worker) const {
    const std::string allot = std::string("'") + program() + "' campaign ";
    const std::string batch = folder_ / (worker + ".jsonl"), log = folder_ / (worker + ".log");
    return "while " + allot + "next " + db_ + " --worker " + worker +
           " --count 2 2>/dev/null | sed 's/}$/, \"label\": \"yes\"}/' >" + batch + " && test -s " +
           batch + "; do " + allot + "record " + db_ + " " + batch + " >>" + log +
           " || exit 1; done";
  }
  std::uint64_t labels() const {
    const std::string csv = allot("campaign list " + db_ + " --format csv").output;
    std::size_t at = csv.find("budget-kg,") + 10;
    at = csv.find(',', at) + 1;
    return std::stoull(csv.substr(at));
  }
  /// Runs a copy of the program as a user who may not write all files, as root may.
  Outcome run_as_other(const std::string& arguments) const {
    namespace fs = std::filesystem;
    const std::string copy = folder_ / "allot", out = folder_ / "out";
    if (!fs::exists(copy)) fs::copy_file(program(), copy);
    fs::permissions(folder_.path(), fs::perms::all);
    const std::string who =
        geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
    const int raw = std::system((who + copy + " " + arguments + " >" + out + " 2>&1").c_str());
    return Outcome{WEXITSTATUS(raw), read_file(out), ""};
  }
  void expect_sound() const {
    const Outcome verified = allot("campaign verify " + db_);
    EXPECT_EQ(verified.status, 0) << verified.output << verified.errors;
    EXPECT_TRUE(has(verified.output, "no differences"));
  }
};

TEST_F(CampaignFaults, TwoProcessesAtOnceSpendTheBudgetAndNoMore) {
  create(30, 24);
  {
    std::vector<std::jthread> workers;
    for (const std::string worker : {"ann", "bob"}) {
      workers.emplace_back([&, worker] {
        const std::string script = folder_.file(worker + ".sh", work_script(worker));
        EXPECT_EQ(std::system(("sh " + script).c_str()), 0);
      });
    }
  }
  EXPECT_EQ(labels(), 24U);
  expect_sound();
}

TEST_F(CampaignFaults, KilledInTheMiddleNothingAcknowledgedIsLost) {
  create(200, 10'000);
  for (int round = 0; round < 6; ++round) {
    const std::string worker = "w" + std::to_string(round);
    const std::string script = folder_.file("work.sh", work_script(worker));
    const pid_t child = fork();
    if (child == 0) {
      setpgid(0, 0);
      execl("/bin/sh", "sh", script.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    setpgid(child, child);
    // Acknowledged: one line "2 recorded" per command.
    const auto acknowledged = [&] {
      const std::string log = read_file(folder_ / (worker + ".log"));
      return static_cast<std::uint64_t>(std::ranges::count(log, '\n'));
    };
    const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (acknowledged() < 1 && std::chrono::steady_clock::now() < patience) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(37 * round));
    kill(-child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::uint64_t said = acknowledged();
    EXPECT_GT(said, 0U);
    const std::string exported = allot("campaign export " + db_ + " labels").output;
    std::uint64_t kept = 0;
    for (std::size_t at = 0; (at = exported.find("," + worker + ",", at)) != std::string::npos;
         ++at)
      ++kept;
    EXPECT_GE(kept, 2 * said);
    EXPECT_LE(kept, 2 * said + 2);
    // Repeating the last request counts nothing twice.
    const std::string last = folder_ / (worker + ".jsonl");
    if (read_file(last).ends_with("}\n")) {
      const Outcome again = allot("campaign record " + db_ + " " + last);
      EXPECT_EQ(again.status, 0) << again.errors << read_file(last);
    }
  }
  expect_sound();
}

TEST_F(CampaignFaults, RefusesOtherFilesAndLeavesThemAlone) {
  const std::string text = folder_.file("notes.txt", "dear diary, this is no database at all\n");
  for (const std::string& command :
       {"status " + text, "next " + text + " --worker ann",
        "create " + text + " --items " + folder_.file("i.csv", "id\na\n") +
            " --classes no,yes --budget 1"}) {
    const Outcome outcome = allot("campaign " + command);
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_TRUE(has(outcome.errors, "not a campaign file")) << outcome.errors;
  }
  EXPECT_EQ(read_file(text), "dear diary, this is no database at all\n");
  const Outcome missing = allot("campaign status " + (folder_ / "none.db"));
  EXPECT_NE(missing.status, 0);
  EXPECT_TRUE(has(missing.errors, "none.db")) << missing.errors;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.db"));
}

TEST_F(CampaignFaults, AReadOnlyFileCanBeLookedAtAndIsNotChanged) {
  namespace fs = std::filesystem;
  create(3, 10);
  fs::permissions(db_, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  if (run_as_other("--version").status != 0) GTEST_SKIP() << "only root can run programs here";
  const Outcome looked = run_as_other("campaign status " + db_);
  EXPECT_EQ(looked.status, 0) << looked.output;
  const Outcome refused = run_as_other("campaign next " + db_ + " --worker ann");
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(has(refused.output, "the file is read-only; expected one that can be written"))
      << refused.output;
}

TEST_F(CampaignFaults, FilesInAFolderThatMayNotBeWrittenCanBeLookedAt) {
  namespace fs = std::filesystem;
  constexpr fs::perms kReadable = fs::perms::owner_read | fs::perms::owner_exec |
                                  fs::perms::group_read | fs::perms::group_exec |
                                  fs::perms::others_read | fs::perms::others_exec;
  create(3, 10);
  if (run_as_other("--version").status != 0) GTEST_SKIP() << "only root can run programs here";
  const std::string data = folder_ / "a folder? 100%";
  fs::copy(root() + "/tests/serve/releases/0.1.0", data, fs::copy_options::recursive);
  fs::copy_file(db_, data + "/c.db");
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    fs::permissions(entry.path(), kReadable);
  }
  fs::permissions(data, kReadable);
  const std::string quoted = "'" + data + "'";
  const Outcome looked = run_as_other("campaign status " + quoted + "/c.db");
  EXPECT_EQ(looked.status, 0) << looked.output;
  EXPECT_TRUE(has(looked.output, "Campaign 'c': running")) << looked.output;
  const Outcome checked = run_as_other("check " + quoted);
  EXPECT_EQ(checked.status, 0) << checked.output;
  EXPECT_FALSE(has(checked.output, "cannot be used")) << checked.output;
  const Outcome refused = run_as_other("campaign next " + quoted + "/c.db --worker ann");
  EXPECT_EQ(refused.status, 1) << refused.output;
  fs::permissions(data, fs::perms::owner_all);
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    fs::permissions(entry.path(), fs::perms::owner_all);
  }
}

TEST_F(CampaignFaults, AFileThatMayNotGrowIsRefusedWithALineAndGoesOnLater) {
  std::string text = "id,text\n";
  for (int i = 0; i < 5000; ++i) text += "i" + std::to_string(i) + ",some text\n";
  const std::string create = "campaign create " + db_ + " --items " +
                             folder_.file("items.csv", text) + " --classes no,yes --budget 9";
  const std::string errors = folder_ / "errors";
  const int raw = std::system(
      ("ulimit -f 80; '" + std::string(program()) + "' " + create + " >/dev/null 2>" + errors)
          .c_str());
  ASSERT_TRUE(WIFEXITED(raw));
  EXPECT_EQ(WEXITSTATUS(raw), 1);
  EXPECT_TRUE(has(read_file(errors), "nothing was saved")) << read_file(errors);
  EXPECT_EQ(std::ranges::count(read_file(errors), '\n'), 1);
  EXPECT_EQ(allot(create).status, 0);
  EXPECT_EQ(labels(), 0U);
  expect_sound();
}

/// A ledger that somebody changed, every record with a checksum that is right.
TEST_F(CampaignFaults, VerifyPrintsWhatDiffersAndEndsWith1) {
  create(3, 10);
  ASSERT_EQ(allot("campaign next " + db_ + " --worker ann --count 2").status, 0);
  const auto store = store::open_sqlite(db_).value();
  const auto records = store->read("c", 0, 100).value();
  const auto changed = [&](const std::string& name, campaign::Event event) {
    std::vector<store::Draft> ledger(records.begin(), records.end());
    ledger.back().kind = campaign::kind(event);
    ledger.back().payload = campaign::encode(event);
    const auto copy = store::open_sqlite(folder_ / name, {.mode = store::OpenMode::create}).value();
    ASSERT_TRUE(copy->append("c", 0, ledger, store->contents("c", 0, 100).value()));
  };
  auto lease = std::get<campaign::Leased>(
      campaign::decode(records.back().kind, records.back().payload).value());
  lease.expires += std::chrono::seconds(1);
  changed("longer.db", lease);
  const Outcome longer = allot("campaign verify " + (folder_ / "longer.db"));
  EXPECT_EQ(longer.status, 1);
  EXPECT_EQ(longer.output,
            "Campaign 'c': 5 events replayed and 2 decisions repeated, 1 difference\n"
            "  record 5: a lease of 601 s; expected 600 s\n");
  EXPECT_EQ(longer.errors, "");
  const Outcome json = allot("campaign verify " + (folder_ / "longer.db") + " --format json");
  EXPECT_EQ(json.status, 1);
  EXPECT_TRUE(has(json.output, "\"differences\": [\"record 5: a lease of 601 s")) << json.output;
  // An impossible ledger is not even opened.
  changed("never.db", campaign::Resumed{});
  const Outcome never = allot("campaign verify " + (folder_ / "never.db"));
  EXPECT_EQ(never.status, 1);
  EXPECT_TRUE(has(never.errors, "record 5 of the ledger: resumed while it was running"));
}

TEST_F(CampaignFaults, AnOutputThatCannotBeWrittenIsRefusedBeforeItemsAreHandedOut) {
  create(3, 10);
  const Outcome outcome =
      allot("campaign next " + db_ + " --worker ann --output " + (folder_ / "none/a.csv"));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(has(allot("campaign status " + db_ + " --format csv").output, ",10,0,0,10,"));
}

}  // namespace
}  // namespace allot::test::campaign_faults_test
