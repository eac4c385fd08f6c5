// `allot backup` and `allot restore`: of a server at work, killed, and on a full disk.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "support/child.hpp"
#include "support/http_client.hpp"
#include "support/program.hpp"
#include "support/started.hpp"

namespace allot::test::backup_test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// A data folder with a campaign of 900 items, made by a server that is gone.
class BackupCommand : public testing::Test {
 protected:
  BackupCommand() { serve(); }

  void serve() const {
    Started server(folder_, {"serve", "--data", data_, "--listen", "127.0.0.1:0", "--log",
                             folder_ / "log", "--admin-token-file", folder_ / "token"});
    Client client(std::make_unique<PlainWire>(server.address()));
    const std::string token = read_file(folder_ / "token").substr(0, 87);
    std::string items;
    for (int n = 0; n < 900; ++n) {
      items += (n == 0 ? "" : ",") + std::string(R"({"id": "i)") + std::to_string(n) +
               R"(", "fields": {"text": "some words to label"}})";
    }
    const auto post = [&](const std::string& path, const std::string& body) {
      client.send("POST /api/v1/campaigns" + path +
                  " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token +
                  "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
      return client.answer();
    };
    const Answer made = post("", R"({"name": "c", "classes": ["no", "yes"], "budget": 100})");
    ASSERT_EQ(made.status, 201) << made.body;
    const std::string path = made.field("Location");
    EXPECT_EQ(post(path.substr(path.rfind('/')) + "/items", R"({"items": [)" + items + "]}").status,
              201);
    EXPECT_EQ(server.stop(SIGTERM), 0);
  }

  /// Starts the command, kills it after that time, and says whether it had ended by then.
  bool killed_after(const std::vector<std::string>& arguments, Clock::duration wait) const {
    const pid_t child = fork();
    if (child == 0) {
      std::freopen("/dev/null", "w", stdout);
      become_program(arguments);
    }
    std::this_thread::sleep_for(wait);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status);
  }

  /// Time that the command takes.
  Clock::duration duration(const std::string& arguments) const {
    const auto begin = Clock::now();
    EXPECT_EQ(allot(arguments).status, 0);
    return Clock::now() - begin;
  }
  std::string ok(const std::string& arguments) const {
    const Outcome outcome = allot(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return outcome.output;
  }
  /// The file of the campaign in a data folder.
  static std::string campaign_in(const std::string& data) {
    for (const auto& file : fs::directory_iterator(data + "/campaigns")) {
      if (file.path().extension() == ".db") return file.path();
    }
    return "";
  }
  /// Records 50 labels of another worker.
  void add_labels(int worker) const {
    std::ofstream rows(folder_ / "labels.csv");
    rows << "item,worker,label\n";
    for (int n = 0; n < 50; ++n) rows << 'i' << n << ",w" << worker << ",yes\n";
    rows.close();
    ok("campaign import " + campaign_in(data_) + " " + folder_ / "labels.csv");
  }
  /// Everything that happened in the campaign of a data folder.
  std::string events(const std::string& data) const {
    return ok("campaign export " + campaign_in(data) + " events");
  }
  /// The number of the newest backup, 0 for none. Every one must have its manifest.
  std::uint64_t newest_backup() const {
    std::uint64_t newest = 0;
    if (!fs::exists(backups_)) return newest;  // killed before its first step
    for (const auto& entry : fs::directory_iterator(backups_)) {
      if (entry.path().filename() == "partial") continue;
      EXPECT_TRUE(fs::exists(entry.path() / "manifest")) << entry.path();
      newest = std::max<std::uint64_t>(newest, std::stoull(entry.path().filename()));
    }
    return newest;
  }
  int rounds() const { return std::getenv("ALLOT_STRESS") ? 300 : 25; }

  Folder folder_;
  const std::string data_ = folder_ / "data", backups_ = folder_ / "backups",
                    restored_ = folder_ / "restored";
};

TEST_F(BackupCommand, BacksUpAServerAtWorkAndRestoresIt) {
  const Started server(
      folder_, {"serve", "--data", data_, "--listen", "127.0.0.1:0", "--log", folder_ / "log"});
  EXPECT_EQ(ok("backup " + data_ + " " + backups_),
            "backup 1 in " + backups_ +
                ": 1 campaign, of which 1 whole, 0 continued, 0 unchanged; 2 records, all read "
                "back\n");
  EXPECT_NE(ok("backup " + data_ + " " + backups_).find("1 unchanged; 0 records"),
            std::string::npos);
  EXPECT_NE(ok("restore " + backups_ + " " + restored_).find(": 1 campaign with 2 records"),
            std::string::npos);
  const Started again(folder_, {"serve", "--data", restored_, "--listen", "127.0.0.1:0", "--log",
                                folder_ / "log2"});
  EXPECT_NE(again.address(), "");
  EXPECT_EQ(fs::status(backups_ + "/000001").permissions() & fs::perms::others_all,
            fs::perms::none);
}

TEST_F(BackupCommand, KilledAtAnyMomentABackupIsWholeOrNotThere) {
  const auto whole = duration("backup " + data_ + " " + folder_ / "warm");
  std::mt19937 random(23);
  for (int round = 0; round < rounds(); ++round) {
    killed_after({"backup", data_, backups_, "--full"}, whole * (random() % 1200) / 1000);
    if (newest_backup() == 0) continue;
    fs::remove_all(restored_);
    ok("restore " + backups_ + " " + restored_);
  }
  ok("backup " + data_ + " " + backups_);
  EXPECT_FALSE(fs::exists(backups_ + "/partial"));
  ok("campaign verify " + campaign_in(data_));
}

TEST_F(BackupCommand, KilledAtAnyMomentALaterBackupIsWholeOrNotThere) {
  ok("backup " + data_ + " " + backups_);
  add_labels(0);
  const auto whole = duration("backup " + data_ + " " + backups_);
  std::map<std::uint64_t, std::string> events_by_backup{{2, events(data_)}};
  std::mt19937 random(25);
  for (int round = 1; round <= rounds(); ++round) {
    add_labels(round);
    const std::string then = events(data_);
    killed_after({"backup", data_, backups_}, whole * (random() % 1200) / 1000);
    ASSERT_EQ(events(data_), then) << "round " << round;
    const std::uint64_t newest = newest_backup();
    events_by_backup.try_emplace(newest, then);
    ASSERT_LE(newest, 2U + static_cast<unsigned>(round));
    fs::remove_all(restored_);
    ok("restore " + backups_ + " " + restored_);
    ASSERT_EQ(events(restored_), events_by_backup.at(newest)) << "round " << round;
  }
  EXPECT_NE(ok("backup " + data_ + " " + backups_).find("0 whole"), std::string::npos);
  EXPECT_FALSE(fs::exists(backups_ + "/partial"));
  ok("campaign verify " + campaign_in(data_));
  // Later runs left every earlier backup as it was.
  fs::remove_all(restored_);
  ok("restore " + backups_ + " " + restored_ + " --number 2");
  EXPECT_EQ(events(restored_), events_by_backup.at(2));
}

TEST_F(BackupCommand, KilledAtAnyMomentARestoredFolderIsWholeOrNotThere) {
  for (int piece = 0; piece < 4; ++piece) {
    ok("backup " + data_ + " " + backups_);
    add_labels(piece);
  }
  ok("backup " + data_ + " " + backups_);
  const std::string all = events(data_);
  const auto whole = duration("restore " + backups_ + " " + folder_ / "warm");
  std::mt19937 random(24);
  int there = 0;
  for (int round = 0; round < rounds(); ++round) {
    killed_after({"restore", backups_, restored_}, whole * (random() % 1200) / 1000);
    if (!fs::exists(restored_)) continue;
    ++there;
    ASSERT_EQ(events(restored_), all) << "round " << round;
    ok("campaign verify " + campaign_in(restored_));
    fs::remove_all(restored_);
  }
  ok("restore " + backups_ + " " + restored_);
  EXPECT_EQ(events(restored_), all);
  EXPECT_FALSE(fs::exists(restored_ + ".restoring"));
  EXPECT_EQ(events(data_), all);
  RecordProperty("whole", there);
}

TEST_F(BackupCommand, KilledAtAnyMomentARestoredCampaignIsAsBeforeOrNew) {
  add_labels(0);
  ok("backup " + data_ + " " + backups_);
  const std::string then = events(data_), file = campaign_in(data_);
  const std::string arguments =
      "restore " + backups_ + " " + data_ + " --campaign " + fs::path(file).stem().string();
  const auto whole = duration(arguments);
  std::mt19937 random(26);
  for (int round = 1; round <= rounds(); ++round) {
    add_labels(round);
    const std::string now = events(data_);
    killed_after({"restore", backups_, data_, "--campaign", fs::path(file).stem()},
                 whole * (random() % 1200) / 1000);
    if (fs::exists(file)) {
      const Outcome left = allot("campaign export " + file + " events");
      // Without its log the file is refused, not taken for a shorter campaign.
      ASSERT_TRUE(left.status != 0 || left.output == now || left.output == then)
          << "round " << round;
    }
    ok(arguments);
    ASSERT_EQ(events(data_), then) << "round " << round;
    EXPECT_FALSE(fs::exists(data_ + "/restoring"));
  }
  ok("campaign verify " + file);
}

TEST_F(BackupCommand, AFullDiskLeavesNothingBehind) {
  const auto limited = [&](const std::string& arguments, int kilobytes) {
    const std::string command = "(ulimit -f " + std::to_string(kilobytes) + "; '" +
                                std::string(program()) + "' " + arguments + " >/dev/null 2>" +
                                folder_ / "err" + ")";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(limited("backup " + data_ + " " + backups_, 64), 1) << read_file(folder_ / "err");
  EXPECT_TRUE(fs::is_empty(backups_));
  ok("backup " + data_ + " " + backups_);
  EXPECT_EQ(limited("restore " + backups_ + " " + restored_, 64), 1);
  EXPECT_FALSE(fs::exists(restored_));
  EXPECT_FALSE(fs::exists(restored_ + ".restoring"));
  ok("restore " + backups_ + " " + restored_);
}

TEST_F(BackupCommand, RefusesDatabasesAndOtherFolders) {
  expect_refusal("backup postgresql://u@h/d " + backups_, "is a database", "pg_dump");
  expect_refusal("restore " + backups_ + " postgresql://u@h/d", "is a database", "data folder");
  expect_refusal("backup " + folder_.path() + " " + backups_, "has no server.db", "data folder");
  ok("backup " + data_ + " " + backups_);
  expect_refusal("restore " + backups_ + " " + data_, "is there already", "missing or empty");
  expect_refusal("restore " + backups_ + " " + restored_ + " --number 7", "no backup 7", "1 to 1");
}

}  // namespace
}  // namespace allot::test::backup_test
