#include "serve/server_file.hpp"

#include <fmt/format.h>

#include "allot/base/text.hpp"
#include "base/try.hpp"

namespace allot::serve {
namespace {

using store::Statement;

/// "alls" in ASCII.
constexpr std::int64_t kApplication = 0x616C6C73;

constexpr const char* kTokensAndCampaigns = R"(
  CREATE TABLE token (
    id TEXT PRIMARY KEY, role INTEGER NOT NULL, campaign TEXT NOT NULL, worker TEXT NOT NULL,
    label TEXT NOT NULL, created INTEGER NOT NULL, revoked INTEGER, digest BLOB NOT NULL)
    STRICT, WITHOUT ROWID;
  CREATE TABLE campaign (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL, created INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
)";

/// See webhook_store.hpp.
constexpr const char* kWebhooks = R"(
  CREATE TABLE webhook (
    id TEXT PRIMARY KEY, campaign TEXT NOT NULL, maker TEXT NOT NULL, url TEXT NOT NULL,
    events INTEGER NOT NULL, description TEXT NOT NULL, secret BLOB NOT NULL,
    active INTEGER NOT NULL, off_reason TEXT NOT NULL, created INTEGER NOT NULL,
    cursor INTEGER NOT NULL, failing_since INTEGER)
    STRICT, WITHOUT ROWID;
  CREATE INDEX webhook_by_campaign ON webhook (campaign);
  CREATE TABLE delivery (
    number INTEGER PRIMARY KEY AUTOINCREMENT, webhook TEXT NOT NULL, id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL, body TEXT NOT NULL, state INTEGER NOT NULL, attempts INTEGER NOT NULL,
    due INTEGER NOT NULL, made INTEGER NOT NULL, last INTEGER, status INTEGER NOT NULL,
    trouble TEXT NOT NULL)
    STRICT;
  CREATE INDEX delivery_by_webhook ON delivery (webhook, state, due, number);
)";

/// Workers' pages, twins, and the accuracy history (table `course`, see accuracy_history.hpp).
constexpr const char* kPagesAndHistory = R"(
  ALTER TABLE campaign ADD COLUMN page TEXT NOT NULL DEFAULT '';
  ALTER TABLE campaign ADD COLUMN twin_of TEXT NOT NULL DEFAULT '';
  CREATE TABLE course (
    campaign TEXT NOT NULL, labels INTEGER NOT NULL, point BLOB NOT NULL,
    PRIMARY KEY (campaign, labels))
    STRICT, WITHOUT ROWID;
)";

/// Campaigns whose file may exist although they were never finished.
constexpr const char* kUnfinished = R"(
  CREATE TABLE unfinished (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
)";

/// The request that created a campaign.
constexpr const char* kCreationRequests = R"(
  ALTER TABLE campaign ADD COLUMN key TEXT NOT NULL DEFAULT '';
  ALTER TABLE campaign ADD COLUMN request BLOB NOT NULL DEFAULT x'';
)";

/// The secret of a webhook before the current one.
constexpr const char* kOldSecrets = R"(
  ALTER TABLE webhook ADD COLUMN old_secret BLOB NOT NULL DEFAULT x'';
  ALTER TABLE webhook ADD COLUMN old_until INTEGER;
)";

/// Campaign files have format 3 from here on: an older program must refuse the folder at its start,
/// not at the first request.
constexpr const char* kCampaignFormat3 = "SELECT 1";

constexpr const char* kMigrations[] = {kTokensAndCampaigns, kWebhooks,         kPagesAndHistory,
                                       kUnfinished,         kCreationRequests, kOldSecrets,
                                       kCampaignFormat3};
constexpr store::Schema kSchema{kApplication, kMigrations};

}  // namespace

Result<void> prepare_server_file(store::Connection& file) {
  const auto owner = TRY(file.number("PRAGMA application_id"));
  const auto format = TRY(file.number("PRAGMA user_version"));
  if (owner != kApplication && (owner != 0 || format != 0)) {
    return fail(ErrorCode::store_failure,
                fmt::format("{}: not the file of a server; expected one made by allot serve",
                            in_quotes(file.path())));
  }
  if (format > kSchema.format()) {
    return fail(ErrorCode::store_failure,
                fmt::format("{}: written by a newer allot (format {}); expected format {} or older",
                            in_quotes(file.path()), format, kSchema.format()));
  }
  return store::migrate(file, kSchema);
}

}  // namespace allot::serve
