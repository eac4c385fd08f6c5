// Restores of single campaigns.
#include "serve/restore.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "serve/backup.hpp"
#include "serve/backup_manifest.hpp"
#include "serve/folder_check.hpp"
#include "store/ledger_backup.hpp"
#include "store/sqlite.hpp"
#include "support/test_api.hpp"

namespace allot::serve::restore_test {
namespace {

namespace fs = std::filesystem;

/// A folder `data_` of a server that is gone, with two campaigns. Backup 1 is from before the last
/// labels of both.
class CampaignRestore : public testing::Test {
 protected:
  CampaignRestore() {
    one_ = campaign(5);
    two_ = campaign(3);
    label(one_, "ann");
    const std::string hook = R"({"url": "https://example.org/hook", "events": ["item.settled"]})";
    EXPECT_EQ(api_.post("/api/v1/campaigns/" + one_ + "/webhooks", api_.requester, hook).status,
              201);
    back_up_now();
    then_ = end(api_.data(), one_);
    label(one_, "bob");
    label(two_, "bob");
    back_up_now();
    EXPECT_TRUE(restore_backup(backups_, {}, data_));
    now_ = end(data_, one_);
    two_now_ = end(data_, two_);
  }

  std::string campaign(int items) {
    const std::string path = api_.campaign(items);
    return path.substr(path.rfind('/') + 1);
  }
  void label(const std::string& campaign, const std::string& worker) {
    api_.label("/api/v1/campaigns/" + campaign, worker);
  }
  void back_up_now() { EXPECT_TRUE(back_up(api_.data(), backups_, {.now = campaign::now()})); }
  static store::LedgerPosition end(const std::string& folder, const std::string& campaign) {
    return store::LedgerSource::open(folder + "/" + campaign_path(campaign)).value()->end();
  }
  Result<CampaignRestoreReport> restore(const std::string& campaign, std::uint64_t number = 1) {
    return restore_campaign(backups_, number, data_, campaign, campaign::now());
  }
  std::string file() const { return data_ + "/" + campaign_path(one_); }
  /// A number from server.db.
  std::int64_t number(const std::string& sql) const {
    const auto server =
        store::Connection::open(data_ + "/server.db", SQLITE_OPEN_READWRITE, 1000).value();
    return server->number(sql.c_str()).value();
  }
  void expect_refusal(const Result<CampaignRestoreReport>& report, const std::string& words) {
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().message.find(words), std::string::npos) << report.error().message;
    EXPECT_EQ(end(data_, one_), now_);
    EXPECT_FALSE(fs::exists(data_ + "/restoring"));
    EXPECT_FALSE(fs::exists(data_ + "/replaced"));
  }

  test::TestApi api_;
  test::Folder folder_;
  const std::string backups_ = folder_ / "backups", data_ = folder_ / "data";
  std::string one_, two_;
  store::LedgerPosition then_, now_, two_now_;
};

TEST_F(CampaignRestore, PutsOneCampaignBackAndKeepsItsFilesAndAllOthers) {
  const auto report = restore(one_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(fs::exists(file() + "-wal")) << "the file is whole by itself";
  EXPECT_TRUE(report->was_listed);
  EXPECT_EQ(report->records, then_.last);
  EXPECT_EQ(end(data_, one_), then_);
  EXPECT_EQ(end(data_, two_), two_now_);
  EXPECT_EQ(store::LedgerSource::open(report->replaced + "/" + one_ + ".db").value()->end(), now_);
  EXPECT_FALSE(fs::exists(data_ + "/restoring"));
  EXPECT_EQ(check_folder(data_).value().problems(), 0U);
  const auto hub = Hub::open({.folder = data_}).value();
  EXPECT_EQ(hub->vault().campaigns(), api_.hub().vault().campaigns());
  EXPECT_EQ(hub->vault().tokens().size(), api_.hub().vault().tokens().size()) << "also bob's";
}

TEST_F(CampaignRestore, TakesTheNewestBackupIfNoneIsNamed) {
  ASSERT_TRUE(restore(one_));
  ASSERT_TRUE(restore_campaign(backups_, {}, data_, one_, campaign::now()));
  EXPECT_EQ(end(data_, one_), now_);
}

TEST_F(CampaignRestore, MendsDamagedFilesAndWhatAKilledRunLeft) {
  std::ofstream(file(), std::ios::trunc) << "not a database";
  std::ofstream(file() + "-wal") << "the log of something";
  ASSERT_TRUE(restore(one_));
  EXPECT_EQ(end(data_, one_), then_);
  // Killed after the files were moved away, one after the other.
  for (const char* left : {"", "-wal"}) {
    fs::remove(file());
    if (*left != '\0') std::ofstream(file() + left) << "the log of something";
    fs::create_directories(data_ + "/restoring/campaigns");
    std::ofstream(data_ + "/restoring/lock") << "1\n";
    ASSERT_TRUE(restore(one_));
    EXPECT_EQ(end(data_, one_), then_);
  }
}

TEST_F(CampaignRestore, ListsADeletedCampaignAgainWithItsLinks) {
  {
    auto hub = Hub::open({.folder = data_}).value();
    ASSERT_TRUE(hub->vault().remove(one_));
  }
  for (const char* end : {"", "-wal", "-shm"}) fs::remove(file() + end);
  const auto report = restore(one_);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->was_listed);
  EXPECT_EQ(report->replaced, "");
  EXPECT_EQ(number("SELECT count(*) FROM webhook"), 1);
  const auto hub = Hub::open({.folder = data_}).value();
  EXPECT_EQ(hub->vault().campaigns(), api_.hub().vault().campaigns());
  EXPECT_EQ(hub->vault().tokens().size() + 1, api_.hub().vault().tokens().size())
      << "bob had no link yet";
  EXPECT_TRUE(fs::exists(file())) << "the server does not take it for the rest of a deletion";
  EXPECT_EQ(end(data_, one_), then_);
}

TEST_F(CampaignRestore, LetsWebhooksRepeatTheMessagesThatTheCampaignHasAgain) {
  const auto cursor = [&] { return number("SELECT cursor FROM webhook"); };
  const auto set = [&](std::uint64_t last) {
    number("UPDATE webhook SET cursor = " + std::to_string(last) + " RETURNING cursor");
  };
  const auto message = [&](std::uint64_t event) {
    return number("INSERT INTO delivery SELECT " + std::to_string(event) +
                  ", id, 'msg_' || id || '_" + std::to_string(event) +
                  "_0', 'item.settled', '', 1, 1, 0, 0, 0, 200, '' FROM webhook"
                  " RETURNING number");
  };
  set(now_.last);
  message(then_.last);
  message(then_.last + 1);
  ASSERT_TRUE(restore(one_));
  EXPECT_EQ(number("SELECT count(*) FROM delivery"), 1);
  EXPECT_EQ(message(then_.last + 1), static_cast<std::int64_t>(then_.last + 1))
      << "the id is free for the event that is next";
  EXPECT_EQ(cursor(), static_cast<std::int64_t>(then_.last));
  set(2);
  ASSERT_TRUE(restore(one_));
  EXPECT_EQ(cursor(), 2) << "one that is behind stays there";
}

TEST_F(CampaignRestore, RefusesWhatItCannotPutBack) {
  expect_refusal(restore("nobody"), "backup 1 of '" + backups_ + "' has no campaign 'nobody'");
  expect_refusal(restore(one_, 9), "has no backup 9; expected one of 1 to 2");
  expect_refusal(restore_campaign(backups_, {}, folder_ / "none", one_, campaign::now()),
                 "has no server.db");
  expect_refusal(restore_campaign(backups_, {}, api_.data(), one_, campaign::now()),
                 "is in use by another allot");
  test::TestApi other;
  const std::string path = other.campaign(2);
  const std::string others = folder_ / "others";
  ASSERT_TRUE(back_up(other.data(), others, {.now = campaign::now()}));
  expect_refusal(
      restore_campaign(others, {}, data_, path.substr(path.rfind('/') + 1), campaign::now()),
      "has backups of another server");
}

TEST_F(CampaignRestore, AnotherUsersBackupsAreRefusedWithTheCommandThatHelps) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  constexpr uid_t kOther = 65'534;
  for (const std::string& path : {folder_.path(), fs::path(folder_.path()).parent_path().string()})
    fs::permissions(path, fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
  fs::permissions(backups_, fs::perms::owner_all);
  ASSERT_EQ(seteuid(kOther), 0);
  const auto refused = restore_backup(backups_, {}, folder_ / "other");
  ASSERT_EQ(seteuid(0), 0);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("chown -R "), std::string::npos)
      << refused.error().message;
}

TEST_F(CampaignRestore, ADamagedBackupLeavesTheCampaignAsItIs) {
  const std::string piece = backups_ + "/000001/" + campaign_path(one_);
  std::fstream(piece, std::ios::in | std::ios::out).seekp(5000) << 'x';
  expect_refusal(restore(one_), "000001");
}

}  // namespace
}  // namespace allot::serve::restore_test
