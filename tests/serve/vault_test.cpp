// Tokens and the list of campaigns, kept in one file.
#include "serve/vault.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "serve/secret.hpp"
#include "serve/server_file.hpp"
#include "serve/webhook_store.hpp"
#include "store/sqlite.hpp"
#include "support/folder.hpp"

namespace allot::test::vault_test {
namespace {

using serve::Role;
using serve::Time;
using serve::Token;
using serve::Vault;

const Time kNow{std::chrono::seconds(1'800'000'000)};

Result<std::unique_ptr<Vault>> open_vault(const std::string& path) {
  return serve::open_server_file(path).and_then(Vault::open);
}

std::unique_ptr<Vault> opened(const std::string& path) {
  auto vault = open_vault(path);
  EXPECT_TRUE(vault) << vault.error().message;
  return *std::move(vault);
}

TEST(Vault, KeepsTokensAndCampaignsButNoSecret) {
  const Folder folder;
  std::string text;
  Token token;
  {
    const auto vault = opened(folder / "server.db");
    const auto issued = vault->issue({.role = Role::requester, .label = "team"}, kNow);
    ASSERT_TRUE(issued);
    text = issued->text;
    token = issued->token;
    ASSERT_TRUE(vault->add({"abc", "Reviews", token.id, kNow}));
    ASSERT_TRUE(
        vault->change("abc", [](serve::CampaignEntry& entry) { entry.name = "Better reviews"; }));
  }
  const auto vault = opened(folder / "server.db");
  EXPECT_EQ(vault->find(text), token);
  ASSERT_EQ(vault->campaigns().size(), 1U);
  EXPECT_EQ(vault->campaign("abc")->name, "Better reviews");
  EXPECT_EQ(vault->campaign("abc")->owner, token.id);
  EXPECT_FALSE(vault->campaign("abd"));
  const std::string secret = text.substr(text.rfind('_') + 1);
  for (const char* name : {"server.db", "server.db-wal"}) {
    EXPECT_EQ(read_file(folder / name).find(secret), std::string::npos) << name;
  }
}

TEST(Vault, RefusesFilesOfOthersAndOfNewerFormats) {
  const Folder folder;
  static_cast<void>(opened(folder / "newer.db"));
  const auto change = [&](const std::string& name, const std::string& sql) {
    auto file =
        store::Connection::open(folder / name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);
    ASSERT_TRUE(file && (*file)->execute(sql));
  };
  change("newer.db", "PRAGMA user_version = 99");
  change("campaign.db", "PRAGMA application_id = 1634495604; CREATE TABLE x (y)");
  EXPECT_NE(open_vault(folder / "newer.db").error().message.find("newer"), std::string::npos);
  EXPECT_NE(open_vault(folder / "campaign.db").error().message.find("not the file of a server"),
            std::string::npos);
  EXPECT_FALSE(open_vault(folder.file("text.db", std::string(2000, 'x'))));
}

/// Runs a statement on the file, behind the back of the vault.
void change_file(const std::string& path, const std::string& sql) {
  auto file = store::Connection::open(path, SQLITE_OPEN_READWRITE, 0);
  ASSERT_TRUE(file && (*file)->execute(sql));
}

TEST(Vault, ATokenThatWasChangedOnDiskLetsNobodyIn) {
  for (const std::string change :
       {"role = 0", "campaign = 'c2'", "worker = 'bob'", "revoked = 1", "digest = x'00'"}) {
    SCOPED_TRACE(change);
    const Folder folder;
    const std::string path = folder / "server.db";
    std::string id, text, other;
    {
      const auto vault = opened(path);
      const auto issued =
          vault->issue({.role = Role::worker, .campaign = "c1", .person = "ann"}, kNow).value();
      id = issued.token.id;
      text = issued.text;
      other = vault->issue({.role = Role::requester}, kNow)->text;
    }
    EXPECT_EQ(opened(path)->find(text)->role, Role::worker);
    change_file(path, "UPDATE token SET " + change + " WHERE id = '" + id + "'");
    const auto vault = opened(path);
    EXPECT_FALSE(vault->find(text));
    EXPECT_FALSE(vault->with_id(id));
    EXPECT_EQ(vault->damaged(), std::vector{id});
    EXPECT_TRUE(vault->find(other)) << "which is intact";
  }
}

TEST(Vault, ARevokedTokenStaysRevokedIfItsRowIsChanged) {
  const Folder folder;
  const std::string path = folder / "server.db";
  const Token person{.id = "0123456789abcdef", .role = Role::requester, .person = "a@b.org"};
  {
    const auto vault = opened(path);
    ASSERT_TRUE(vault->enrol(person, kNow));
    ASSERT_TRUE(vault->revoke(person.id, kNow));
  }
  EXPECT_TRUE(opened(path)->damaged().empty());
  change_file(path, "UPDATE token SET revoked = NULL");
  const auto vault = opened(path);
  EXPECT_FALSE(vault->with_id(person.id));
  EXPECT_NE(vault->enrol(person, kNow).error().message.find("was changed on disk"),
            std::string::npos);
}

TEST(Vault, ChangesOfATokenKeepItIntact) {
  const Folder folder;
  const std::string path = folder / "server.db";
  Token seat{.id = "0123456789abcdef", .role = Role::worker, .campaign = "c1", .person = "a"};
  {
    const auto vault = opened(path);
    ASSERT_TRUE(vault->appoint(seat, kNow));
    ASSERT_TRUE(vault->revoke(seat.id, kNow));
    seat.role = Role::reviewer;
    ASSERT_TRUE(vault->appoint(seat, kNow));
  }
  const auto vault = opened(path);
  EXPECT_TRUE(vault->damaged().empty());
  EXPECT_EQ(vault->with_id(seat.id)->role, Role::reviewer);
}

/// A file as the first version of allot serve left it.
TEST(Vault, BringsAFileOfTheFirstFormatUpToDate) {
  const Folder folder;
  const std::string path = folder / "server.db";
  const std::string text = "allot_0123456789abcdef_" + std::string(32, 'a') + std::string(32, 'b');
  {
    auto file = store::Connection::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0);
    ASSERT_TRUE(file && (*file)->execute(R"(
      CREATE TABLE token (
        id TEXT PRIMARY KEY, role INTEGER NOT NULL, campaign TEXT NOT NULL, worker TEXT NOT NULL,
        label TEXT NOT NULL, created INTEGER NOT NULL, revoked INTEGER, digest BLOB NOT NULL)
        STRICT, WITHOUT ROWID;
      CREATE TABLE campaign (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL, created INTEGER NOT NULL)
        STRICT, WITHOUT ROWID;
      INSERT INTO campaign VALUES ('c1', 'Old reviews', '0123456789abcdef', 1800000000000000);
      PRAGMA application_id = 1634495603; PRAGMA user_version = 1)"));
    const std::string digest = serve::digest_of(text);
    ASSERT_TRUE(store::Query(**file,
                             "INSERT INTO token VALUES ('0123456789abcdef', 1, '', '', 'team',"
                             " 1800000000000000, NULL, ?1)",
                             store::Blob{digest})
                    .run());
  }
  for (int start = 0; start < 2; ++start) {
    const auto vault = opened(path);
    ASSERT_TRUE(vault->find(text));
    EXPECT_EQ(vault->find(text)->role, Role::requester);
    EXPECT_EQ(vault->campaign("c1")->name, "Old reviews");
    EXPECT_TRUE(vault->campaign("c1")->is_owned_by(*vault->find(text)));
    serve::WebhookStore webhooks(serve::open_server_file(path).value());
    EXPECT_EQ(webhooks.list("c1")->size(), static_cast<std::size_t>(start));
    if (start == 0) {
      ASSERT_TRUE(webhooks.make({.campaign = "c1", .url = "https://a.org", .events = 1}, 9, 9));
      ASSERT_TRUE(vault->add({"c2", "New", "0123456789abcdef", kNow, nullptr, "c1"}));
      EXPECT_EQ(vault->campaign("c1")->shown(), serve::Page());
      ASSERT_TRUE(vault->change("c1", [](serve::CampaignEntry& entry) {
        entry.page = std::make_shared<const serve::Page>(
            serve::Page{"Which?", "*So*", {{"text", serve::Page::Kind::html}}});
      }));
    } else {
      EXPECT_EQ(vault->campaign("c2")->twin_of, "c1");
      EXPECT_EQ(vault->campaign("c1")->shown().question, "Which?");
      EXPECT_EQ(vault->campaign("c1")->shown().fields.at("text"), serve::Page::Kind::html);
    }
  }
  change_file(path, "UPDATE token SET role = 0");
  EXPECT_FALSE(opened(path)->find(text)) << "its row has a seal now";
}

TEST(Secret, NamesDifferAndDigestsAreThoseOfBlake2b) {
  EXPECT_EQ(serve::random_hex(16).size(), 32U);
  EXPECT_NE(serve::random_hex(16), serve::random_hex(16));
  // RFC 7693's function with 32 bytes, of "abc".
  const std::string digest = serve::digest_of("abc");
  EXPECT_EQ(digest.substr(0, 4), "\xbd\xdd\x81\x3c");
  EXPECT_TRUE(serve::same_secret("ab", "ab"));
  EXPECT_FALSE(serve::same_secret("ab", "ac"));
  EXPECT_FALSE(serve::same_secret("ab", "abc"));
}

}  // namespace
}  // namespace allot::test::vault_test
