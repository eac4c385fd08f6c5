#include "serve/backup.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "allot/store/sqlite_store.hpp"
#include "serve/backup_manifest.hpp"
#include "serve/folder_check.hpp"
#include "serve/restore.hpp"
#include "store/sqlite.hpp"
#include "support/test_api.hpp"

namespace allot::serve::backup_test {
namespace {

namespace fs = std::filesystem;

/// A server at work, and its backups.
class BackupTest : public testing::Test {
 protected:
  test::TestApi api_;
  test::Folder folder_;
  const std::string backups_ = folder_ / "backups", restored_ = folder_ / "restored";

  Result<BackupReport> back_up(bool full = false) {
    return serve::back_up(api_.data(), backups_, {.full = full, .now = campaign::now()});
  }
  BackupReport made(bool full = false) {
    const auto report = back_up(full);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : BackupReport();
  }
  /// The id of a new campaign.
  std::string campaign(int items) {
    const std::string path = api_.campaign(items);
    return path.substr(path.rfind('/') + 1);
  }
  void label(const std::string& campaign, const std::string& worker) {
    api_.label("/api/v1/campaigns/" + campaign, worker);
  }
  /// Restores a backup, the newest if no number is given, in place of the last one.
  void expect_restored(std::optional<std::uint64_t> number = {}) {
    fs::remove_all(restored_);
    const auto report = restore_backup(backups_, number, restored_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(fs::exists(restored_ + ".restoring"));
  }
  static store::LedgerPosition end(const std::string& folder, const std::string& campaign) {
    return store::LedgerSource::open(folder + "/" + campaign_path(campaign)).value()->end();
  }
};

TEST_F(BackupTest, ARestoredFolderIsTheServerAsItWas) {
  const std::string one = campaign(5), two = campaign(3);
  label(one, "ann");
  const BackupReport report = made();
  EXPECT_EQ(report.number, 1U);
  EXPECT_EQ(report.campaigns, 2U);
  EXPECT_EQ(report.whole, 2U);
  const auto before = end(api_.data(), one);
  label(one, "bob");
  expect_restored();
  EXPECT_EQ(end(restored_, one), before);
  EXPECT_EQ(end(restored_, two), end(api_.data(), two));
  const auto hub = Hub::open({.folder = restored_}).value();
  EXPECT_EQ(hub->vault().tokens().size() + 1, api_.hub().vault().tokens().size()) << "bob's";
  EXPECT_EQ(hub->vault().campaigns(), api_.hub().vault().campaigns());
}

TEST_F(BackupTest, ALaterBackupHasOnlyWhatIsNew) {
  const std::string one = campaign(50), two = campaign(5);
  made();
  EXPECT_EQ(made().unchanged, 2U);
  label(one, "ann");
  const BackupReport third = made();
  EXPECT_EQ(third.unchanged, 1U);
  EXPECT_EQ(third.whole, 0U);
  EXPECT_EQ(third.records, 3U) << "a worker, a lease and a label";
  EXPECT_FALSE(fs::exists(backups_ + "/000003/" + campaign_path(two)));
  const std::string three = campaign(4);
  label(one, "bob");
  EXPECT_EQ(made().whole, 1U) << "the new campaign";
  for (const std::string& id : {one, two, three}) {
    expect_restored();
    EXPECT_EQ(end(restored_, id), end(api_.data(), id));
  }
  expect_restored(1);
  EXPECT_EQ(end(restored_, one).last, end(api_.data(), one).last - 6);
  EXPECT_FALSE(fs::exists(restored_ + "/" + campaign_path(three)));
}

TEST_F(BackupTest, ATokenThatWasChangedOnDiskIsNamed) {
  campaign(2);
  EXPECT_TRUE(made().damaged_tokens.empty());
  EXPECT_EQ(check_folder(api_.data()).value().problems(), 0U);
  const auto file =
      store::Connection::open(api_.data() + "/server.db", SQLITE_OPEN_READWRITE, 1000);
  const std::string id = api_.hub().vault().tokens().front().id;
  ASSERT_TRUE(
      (*file)->execute(("UPDATE token SET role = (role + 1) % 2 WHERE id = '" + id + "'").c_str()));
  EXPECT_EQ(made().damaged_tokens, std::vector{id});
  const auto check = check_folder(api_.data()).value();
  EXPECT_EQ(check.problems(), 1U);
  EXPECT_NE(check.files.front().problem.find(id), std::string::npos) << check.files.front().problem;
  EXPECT_EQ(check.files.size(), 2U) << "the campaign is checked too";
}

TEST_F(BackupTest, AnotherUsersBackupIsRefusedWithTheCommandThatHelps) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  constexpr uid_t kService = 65'534;
  campaign(2);
  made();
  for (const std::string& path : {api_.data(), folder_.path()}) {
    fs::permissions(fs::path(path).parent_path(), fs::perms::group_exec | fs::perms::others_exec,
                    fs::perm_options::add);
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.path().string().starts_with(backups_ + "/0")) continue;
      ASSERT_EQ(chown(entry.path().c_str(), kService, kService), 0);
    }
    ASSERT_EQ(chown(path.c_str(), kService, kService), 0);
  }
  fs::permissions(backups_ + "/000001/manifest", fs::perms(0600));
  ASSERT_EQ(seteuid(kService), 0);
  const auto refused = back_up();
  ASSERT_EQ(seteuid(0), 0);
  ASSERT_FALSE(refused);
  const std::string& message = refused.error().message;
  EXPECT_NE(message.find("/000001' belongs to user 'root'"), std::string::npos) << message;
  EXPECT_NE(message.find("runuser -u nobody -- allot backup"), std::string::npos) << message;
}

TEST_F(BackupTest, ADamagedNewestManifestNamesTheBackupBefore) {
  campaign(2);
  made();
  made();
  std::ofstream(backups_ + "/000002/manifest") << "{}";
  const auto refused = restore_backup(backups_, {}, restored_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("--number 1"), std::string::npos)
      << refused.error().message;
  expect_restored(1);
}

TEST_F(BackupTest, AFullBackupNeedsNoEarlierOne) {
  const std::string one = campaign(5);
  made();
  label(one, "ann");
  EXPECT_EQ(made(true).whole, 1U);
  fs::remove_all(backups_ + "/000001");
  expect_restored();
  EXPECT_EQ(end(restored_, one), end(api_.data(), one));
  label(one, "bob");
  made();
  fs::remove_all(backups_ + "/000002");
  fs::remove_all(restored_);
  const auto refused = restore_backup(backups_, {}, restored_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("000002"), std::string::npos) << refused.error().message;
  EXPECT_EQ(folder_.size(), 1U) << "nothing half restored is left";
}

TEST_F(BackupTest, ACampaignThatWentBackIsCopiedWhole) {
  const std::string one = campaign(5);
  made();
  label(one, "ann");
  made();
  expect_restored(1);
  const auto again = serve::back_up(restored_, backups_, {.now = campaign::now()});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->whole, 1U);
  expect_restored(2);
  EXPECT_EQ(end(restored_, one), end(api_.data(), one)) << "the earlier backup stays";
}

TEST_F(BackupTest, ACampaignWhoseEarlierFilesAreGoneOrDamagedIsCopiedWhole) {
  const std::string one = campaign(5), two = campaign(3);
  label(one, "ann");
  made();
  label(one, "bob");
  EXPECT_EQ(made().renewed, 0U) << "as long as the files are there";
  fs::remove(backups_ + "/000001/" + campaign_path(one));
  const std::string other = backups_ + "/000001/" + campaign_path(two);
  std::fstream(other, std::ios::in | std::ios::out | std::ios::binary).seekp(5000).write("x", 1);
  const BackupReport report = made();
  EXPECT_EQ(report.renewed, 2U);
  EXPECT_EQ(report.whole, 2U);
  expect_restored();
  EXPECT_EQ(end(restored_, one), end(api_.data(), one));
  EXPECT_EQ(end(restored_, two), end(api_.data(), two));
}

TEST_F(BackupTest, RestoresIntoAPathWithASlashAtItsEnd) {
  const std::string one = campaign(3);
  made();
  fs::create_directory(restored_);
  ASSERT_TRUE(restore_backup(backups_, {}, restored_ + "/"));
  EXPECT_EQ(end(restored_, one), end(api_.data(), one));
}

TEST_F(BackupTest, RefusesAMountPointBeforeAnyWork) {
  campaign(3);
  made();
  const auto refused = restore_backup(backups_, {}, "/proc");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "'/proc' is a mount point; expected a folder inside it, such as '/proc/data'");
}

/// Somebody may copy the folder without logs of the database.
TEST_F(BackupTest, TheServersTablesAreWholeWithoutTheirLog) {
  const std::string copy = folder_ / "copy";
  const auto token = api_.hub().vault().issue({.role = Role::requester}, campaign::now()).value();
  fs::create_directories(copy);
  fs::copy_file(api_.data() + "/server.db", copy + "/server.db");
  const auto hub = Hub::open({.folder = copy}).value();
  EXPECT_TRUE(hub->vault().with_id(token.token.id));
}

TEST_F(BackupTest, ALostListOfCampaignsIsNotReplacedByAnEmptyOne) {
  const std::string one = campaign(3), copy = folder_ / "copy", file = copy + "/server.db";
  made();
  fs::create_directories(copy + "/campaigns");
  fs::copy_file(api_.data() + "/" + campaign_path(one), copy + "/" + campaign_path(one));
  const auto refused = Hub::open({.folder = copy});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("is missing or empty"), std::string::npos);
  EXPECT_FALSE(fs::exists(file));
  std::ofstream(file).close();
  EXPECT_FALSE(Hub::open({.folder = copy}));
  EXPECT_EQ(fs::file_size(file), 0U);
  // Another server's list, which is empty.
  Hub::open({.folder = folder_ / "new"}).value()->stop();
  fs::copy_file(folder_ / "new/server.db", file, fs::copy_options::overwrite_existing);
  const auto hub = Hub::open({.folder = copy}).value();
  const auto made = hub->vault().first_admin(campaign::now(), true);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("no admin token"), std::string::npos);
  const auto backup = serve::back_up(copy, backups_, {});
  ASSERT_FALSE(backup);
  EXPECT_NE(backup.error().message.find("lists no campaign"), std::string::npos);
}

TEST_F(BackupTest, RefusesToBackUpIntoTheDataFolder) {
  campaign(2);
  const std::string link = folder_ / "link";
  fs::create_symlink(api_.data(), link);
  for (const std::string& place :
       {api_.data(), api_.data() + "/backups", api_.data() + "/campaigns/x/", link + "/x"}) {
    const auto refused = serve::back_up(api_.data(), place, {});
    ASSERT_FALSE(refused) << place;
    EXPECT_NE(refused.error().message.find("inside the data folder"), std::string::npos);
  }
  EXPECT_TRUE(serve::back_up(api_.data(), api_.data() + "-backups", {}));
}

TEST_F(BackupTest, RefusesWhatIsNoBackupAndWhatIsInTheWay) {
  EXPECT_FALSE(restore_backup(backups_, {}, restored_));
  EXPECT_FALSE(serve::back_up(folder_.path(), backups_, {}));
  EXPECT_FALSE(fs::exists(backups_));
  campaign(2);
  made();
  EXPECT_FALSE(restore_backup(backups_, 2, restored_));
  folder_.file("file", "x");
  for (const std::string& taken : {api_.data(), folder_ / "file"}) {
    const auto refused = restore_backup(backups_, {}, taken);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict) << refused.error().message;
  }
}

TEST(IdleCampaign, IsWholeWithoutItsLog) {
  test::TestApi api(test::TestApi::generous(), {.expire_every = std::chrono::milliseconds(5)});
  const std::string path = api.campaign(5);
  const std::string file = api.data() + "/" + campaign_path(path.substr(path.rfind('/') + 1));
  const test::Folder folder;
  std::uint64_t last = 0;
  for (int n = 0; n < 6000 && last < 2; ++n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    fs::copy_file(file, folder / "copy.db", fs::copy_options::overwrite_existing);
    const auto copy = store::LedgerSource::open(folder / "copy.db");
    if (copy) last = (*copy)->end().last;
  }
  EXPECT_EQ(last, 2U);
}

TEST_F(BackupTest, EveryDamagedFileIsNoticed) {
  const std::string one = campaign(5);
  made();
  label(one, "ann");
  made();
  std::mt19937 random(20);
  const std::vector<std::string> files{"000002/manifest", "000002/server.db",
                                       "000001/" + campaign_path(one),
                                       "000002/" + campaign_path(one)};
  for (const std::string& name : files) {
    const std::string path = backups_ + "/" + name, good = test::read_file(path);
    for (int n = 0; n < 10; ++n) {
      std::string bad = good;
      const std::size_t at = random() % bad.size();
      bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
      std::ofstream(path, std::ios::binary) << bad;
      EXPECT_FALSE(restore_backup(backups_, {}, restored_)) << name << ", byte " << at;
      EXPECT_FALSE(fs::exists(restored_));
    }
    std::ofstream(path, std::ios::binary) << good;
  }
  expect_restored();
}

/// Changes the fields of an item in the file of a campaign, as a failing disk would.
void damage_fields(const std::string& path) {
  const auto file = store::Connection::open(path, SQLITE_OPEN_READWRITE, 10'000).value();
  ASSERT_TRUE(
      file->execute("UPDATE content SET fields = replace(fields, '\"', '!') WHERE item = 1"));
}

TEST_F(BackupTest, ChangedFieldsOfAnItemAreNeitherCopiedNorOverlooked) {
  const std::string whole = campaign(5), continued = campaign(5);
  made();
  label(continued, "ann");
  for (const std::string& one : {whole, continued}) {
    const std::string path = api_.data() + "/" + campaign_path(one);
    const auto held = check_folder(api_.data()).value();
    EXPECT_EQ(held.problems(), 0U);
    damage_fields(path);
    EXPECT_EQ(check_folder(api_.data()).value().problems(), 1U);
    const auto refused = back_up(one == whole);
    ASSERT_FALSE(refused) << one;
    EXPECT_NE(refused.error().message.find("fields of item 'i1'"), std::string::npos)
        << refused.error().message;
    expect_restored();
    const std::string good = restored_ + "/" + campaign_path(one);
    EXPECT_EQ(store::LedgerSource::open(good).value()->contents(1, 1)->front().fields[0], '{');
    const auto file = store::Connection::open(path, SQLITE_OPEN_READWRITE, 10'000).value();
    ASSERT_TRUE(file->execute("UPDATE content SET fields = replace(fields, '!', '\"')"));
  }
  made();
  expect_restored();
}

TEST_F(BackupTest, NamesCampaignFilesThatTheServerDoesNotKnow) {
  const std::string one = campaign(3);
  fs::copy_file(api_.data() + "/" + campaign_path(one), api_.data() + "/campaigns/stray.db");
  EXPECT_EQ(made().unlisted, std::vector<std::string>{"stray"});
  expect_restored();
  EXPECT_FALSE(fs::exists(restored_ + "/campaigns/stray.db"));
}

TEST_F(BackupTest, AFolderHasTheBackupsOfOneServer) {
  const std::string one = campaign(3);
  made();
  test::TestApi other;
  const auto into = [&](bool full) {
    return serve::back_up(other.data(), backups_, {.full = full, .now = campaign::now()});
  };
  EXPECT_TRUE(into(false)) << "it has no campaigns yet";
  made();
  other.campaign(3);
  const auto refused = into(false);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("of another server"), std::string::npos);
  EXPECT_TRUE(into(true));
}

TEST_F(BackupTest, RemovesNothingThatItDidNotMake) {
  campaign(3);
  for (const std::string& taken : {backups_ + "/partial", restored_ + ".restoring"}) {
    fs::create_directories(taken);
  }
  folder_.file("backups/partial/mine", "x");
  const auto refused = back_up();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("in the way"), std::string::npos);
  fs::rename(backups_ + "/partial", folder_ / "kept");
  // What a run leaves that is killed at its beginning, or later.
  fs::create_directories(backups_ + "/partial/campaigns");
  made();
  fs::create_directories(backups_ + "/partial");
  folder_.file("backups/partial/lock", "1");
  folder_.file("backups/partial/server.db", "x");
  made();
  folder_.file("restored.restoring/mine", "x");
  EXPECT_FALSE(restore_backup(backups_, {}, restored_));
  EXPECT_EQ(test::read_file(restored_ + ".restoring/mine"), "x");
  EXPECT_FALSE(restore_backup(backups_, {}, backups_ + "/restored"));
}

TEST_F(BackupTest, HoldsAllCampaignsAtOneMomentWhileOthersWrite) {
  const std::string one = campaign(200);
  std::atomic<bool> stop = false;
  std::thread labels([&] {
    for (int n = 0; n < 60 && !stop; ++n) label(one, "w" + std::to_string(n));
  });
  for (int n = 0; n < 4; ++n) made();
  stop = true;
  labels.join();
  for (std::uint64_t number = 1; number <= 4; ++number) {
    expect_restored(number);
    // A worker who labelled has a token in the same backup.
    const auto hub = Hub::open({.folder = restored_}).value();
    const auto store = store::open_sqlite(restored_ + "/" + campaign_path(one)).value();
    const auto campaign =
        campaign::Campaign::open(*store, store->campaigns().value().front()).value();
    const auto workers =
        campaign->view().read([](const campaign::State& state) { return state.worker_count(); });
    std::size_t tokens = 0;
    for (const Token& token : hub->vault().tokens()) tokens += token.role == Role::worker;
    EXPECT_GE(tokens, workers.value());
  }
}

TEST(BackupManifest, RefusesCampaignsOutsideOfTheBackup) {
  const auto read = [](const std::string& id) {
    BackupManifest manifest{.number = 1, .made = campaign::now(), .version = "0.2.0"};
    manifest.campaigns.push_back({.id = id, .pieces = {{}}});
    return parse_manifest(manifest_text(manifest), "manifest");
  };
  EXPECT_TRUE(read("5f3a90aa12cd"));
  for (const std::string id : {"", "..", "../x", "a/b", "a.b", "/etc/passwd"})
    EXPECT_FALSE(read(id));
}

}  // namespace
}  // namespace allot::serve::backup_test
