#include "serve/backup.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "allot/base/text.hpp"
#include "allot/campaign/campaign.hpp"
#include "allot/store/sqlite_store.hpp"
#include "base/errors.hpp"
#include "campaign/field_check.hpp"
#include "serve/backup_folder.hpp"
#include "serve/backup_manifest.hpp"
#include "serve/data_folder.hpp"
#include "serve/server_file.hpp"

namespace allot::serve {
namespace {

namespace fs = std::filesystem;

using store::Connection;
using store::LedgerPosition;
using store::LedgerSource;

/// Every campaign held open takes three descriptors.
void allow_many_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// A data folder as it is at one moment.
struct HeldFolder {
  struct Campaign {
    std::string id;
    std::unique_ptr<LedgerSource> source;
  };
  std::unique_ptr<Connection> server;
  std::vector<Campaign> campaigns;
  /// Ids of campaigns that are not in the list.
  std::vector<std::string> unlisted;
};

Result<HeldFolder> hold(const std::string& folder) {
  allow_many_files();
  const std::string path = folder + "/server.db";
  const auto writer = TRY(Connection::open(path, SQLITE_OPEN_READWRITE, kLockTimeoutMs));
  TRY(check_server_file(*writer));
  const auto lock = TRY(store::Transaction::begin(*writer));
  HeldFolder held;
  held.server = TRY(Connection::open(path, SQLITE_OPEN_READONLY, kLockTimeoutMs));
  TRY(held.server->execute("BEGIN"));
  const auto ids = TRY(campaign_ids(*held.server));
  held.unlisted = ids.unlisted(campaign_files(folder));
  if (ids.listed.empty() && !held.unlisted.empty()) {
    return fail(ErrorCode::store_failure,
                "{} lists no campaign, but there are some in {}; expected the list of a server: "
                "'allot check' says more",
                in_quotes(path), in_quotes(folder + "/campaigns"));
  }
  for (const std::string& id : ids.listed) {
    auto source = TRY(LedgerSource::open(folder + "/" + campaign_path(id)));
    held.campaigns.push_back({id, std::move(source)});
  }
  return held;
}

/// One run of `back_up`, in the folder of the backup that is being made.
class BackupRun {
 public:
  BackupRun(std::string backups, std::string folder, std::uint64_t number,
            std::optional<BackupManifest> previous)
      : backups_(std::move(backups)), folder_(std::move(folder)), previous_(std::move(previous)) {
    report_.number = number;
  }

  Result<BackupReport> run(const HeldFolder& held, const BackupOptions& options) {
    TRY(check_server(held));
    BackupManifest manifest{
        .number = report_.number, .made = options.now, .version = options.version};
    TRY(copy_server(*held.server));
    manifest.server = TRY(stored("server.db"));
    for (const auto& [id, source] : held.campaigns) {
      manifest.campaigns.push_back(TRY(copy_campaign(id, *source, options.full)));
    }
    report_.campaigns = held.campaigns.size();
    report_.unlisted = held.unlisted;
    report_.damaged_tokens = TRY(damaged_tokens(*held.server));
    TRY(write_manifest(manifest, folder_ + "/manifest"));
    return report_;
  }

 private:
  /// Refuses backups of another server, which has other campaigns.
  Result<void> check_server(const HeldFolder& held) const {
    if (!previous_ || previous_->campaigns.empty() || held.campaigns.empty()) return {};
    const auto is_known = [&](const HeldFolder::Campaign& one) { return previous_->find(one.id); };
    if (std::ranges::any_of(held.campaigns, is_known)) return {};
    return fail(ErrorCode::conflict,
                "{} has backups of another server: none of the campaigns is in backup {}; expected "
                "a folder for the backups of this server (or --full, if all earlier campaigns were "
                "deleted)",
                in_quotes(backups_), previous_->number);
  }

  Result<void> copy_server(Connection& server) const {
    const auto copy = TRY(Connection::open(
        folder_ + "/server.db", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, kLockTimeoutMs));
    TRY(copy->execute("PRAGMA synchronous = OFF"));
    TRY(server.copy_to(*copy));
    TRY(copy->execute("PRAGMA journal_mode = DELETE"));
    TRY(check_server_file(*copy));
    return {};
  }

  Result<CampaignBackup> copy_campaign(const std::string& id, const LedgerSource& source,
                                       bool full) {
    const CampaignBackup* const known = previous_ ? previous_->find(id) : nullptr;
    if (full || !known || !TRY(source.continues(known->end()))) return copy_whole(id, source);
    if (!is_intact(*known)) {
      ++report_.renewed;
      return copy_whole(id, source);
    }
    if (known->end() == source.end()) {
      ++report_.unchanged;
      return *known;
    }
    return add_part(*known, source);
  }

  /// Whether the files that a restore would need are as they were written.
  bool is_intact(const CampaignBackup& campaign) const {
    return std::ranges::all_of(campaign.pieces, [&](const CampaignBackup::Piece& piece) {
      const auto now = file_digest(piece_path(backups_, campaign.id, piece.file));
      return now && now->digest == piece.file.digest && now->bytes == piece.file.bytes;
    });
  }

  Result<CampaignBackup> copy_whole(const std::string& id, const LedgerSource& source) {
    const std::string path = folder_ + "/" + campaign_path(id);
    TRY(source.copy_to(path));
    const auto copy = TRY(LedgerSource::open(path));
    TRY(compare(*copy, source, {}));
    TRY(campaign::check_fields(*copy));
    ++report_.whole;
    report_.records += source.end().last;
    const auto file = TRY(stored(campaign_path(id)));
    return CampaignBackup{id, {{file, source.end()}}};
  }

  Result<CampaignBackup> add_part(CampaignBackup known, const LedgerSource& source) {
    const LedgerPosition after = known.end();
    const std::string path = folder_ + "/" + campaign_path(known.id);
    TRY(campaign::check_fields(source));
    TRY(source.write_part(after, path));
    TRY(compare(*TRY(LedgerSource::open_part(path)), source, after));
    report_.records += source.end().last - after.last;
    known.pieces.push_back({TRY(stored(campaign_path(known.id))), source.end()});
    return known;
  }

  /// Reads back what was written.
  static Result<void> compare(const LedgerSource& copy, const LedgerSource& source,
                              const LedgerPosition& after) {
    TRY(copy.check(after.last));
    if (copy.end().last == source.end().last && copy.end().checksum == source.end().checksum)
      return {};
    return fail(ErrorCode::store_failure,
                "campaign {}: the backup ends at record {}; expected record {}",
                in_quotes(source.end().campaign), copy.end().last, source.end().last);
  }

  Result<BackupFile> stored(const std::string& path) const {
    auto file = TRY(file_digest(folder_ + "/" + path));
    file.backup = report_.number;
    return file;
  }

  const std::string backups_, folder_;
  const std::optional<BackupManifest> previous_;
  BackupReport report_;
};

/// A backup whose manifest cannot be read, since another user made it.
std::optional<Error> foreign_backup(const std::string& folder, const std::string& backups,
                                    std::uint64_t number) {
  using Stat = struct stat;
  const std::string path = manifest_path(backups, number);
  Stat made = {}, server = {};
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0 || errno != EACCES ||
      ::stat((backups + "/" + backup_name(number)).c_str(), &made) != 0 ||
      ::stat((folder + "/server.db").c_str(), &server) != 0) {
    return std::nullopt;
  }
  const std::string owner = user_name(server.st_uid);
  return Error{ErrorCode::store_failure,
               fmt::format("backup {} belongs to user {}, and user {} cannot read it; expected all "
                           "backups by user {}, who owns the data folder: chown -R {}: {}, and "
                           "then runuser -u {} -- allot backup ...",
                           in_quotes(backups + "/" + backup_name(number)),
                           in_quotes(user_name(made.st_uid)), in_quotes(user_name(::geteuid())),
                           in_quotes(owner), owner, in_quotes(backups), owner)};
}

}  // namespace

Result<BackupReport> back_up(const std::string& folder, const std::string& backups,
                             const BackupOptions& options) {
  std::error_code wrong;
  if (!fs::exists(folder + "/server.db", wrong)) {
    return fail(ErrorCode::not_found, "{} has no server.db; expected the data folder of a server",
                in_quotes(folder));
  }
  if (is_within(backups, folder)) {
    return fail(ErrorCode::invalid_argument,
                "{} is inside the data folder; expected a place outside, best on another disk",
                in_quotes(backups));
  }
  const std::string partial = backups + "/partial";
  const auto place = TRY(empty_folder(partial));
  const auto numbers = backup_numbers(backups);
  std::optional<BackupManifest> previous;
  if (!numbers.empty() && !options.full) {
    auto newest = read_manifest(manifest_path(backups, numbers.back()));
    if (!newest) {
      if (auto foreign = foreign_backup(folder, backups, numbers.back()))
        return tl::unexpected(*std::move(foreign));
      return fail(newest.error().code, "{} (--full makes a backup that needs no earlier one)",
                  newest.error().message);
    }
    previous = *std::move(newest);
  }
  const std::uint64_t number = numbers.empty() ? 1 : numbers.back() + 1;
  const auto made = hold(folder).and_then([&](const HeldFolder& held) {
    return BackupRun(backups, partial, number, std::move(previous)).run(held, options);
  });
  if (!made) {
    remove_folder(partial);
    return tl::unexpected(made.error());
  }
  const std::string target = backups + "/" + backup_name(number);
  TRY(move_into_place(partial, target));
  fs::remove(target + "/lock", wrong);
  return *made;
}

}  // namespace allot::serve
