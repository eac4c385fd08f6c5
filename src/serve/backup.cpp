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
#include "serve/backup_manifest.hpp"
#include "serve/data_folder.hpp"
#include "serve/server_file.hpp"

namespace allot::serve {
namespace {

namespace fs = std::filesystem;

using store::Connection;
using store::LedgerPosition;
using store::LedgerSource;

constexpr int kLockTimeoutMs = 10'000;

tl::unexpected<Error> unwritten(const std::string& path, const std::error_code& wrong) {
  return fail(ErrorCode::write_failure, "{} cannot be written ({}); expected a folder that can",
              in_quotes(path), wrong.message());
}

/// Whether the folder is new, or was left by a run that was killed: such a run first makes the lock
/// and the folder of campaigns.
bool is_of_a_run(const std::string& path) {
  std::error_code missing;
  if (fs::is_symlink(path, missing)) return false;
  if (!fs::exists(path, missing) || fs::is_regular_file(path + "/lock", missing)) return true;
  return std::ranges::all_of(fs::directory_iterator(path, missing), [&](const auto& entry) {
    return entry.path().filename() == "campaigns" && fs::is_empty(entry.path(), missing);
  });
}

/// Makes the folder with its lock, and removes the remains of an earlier run.
Result<DataFolder> empty_folder(const std::string& path) {
  if (!is_of_a_run(path)) {
    return fail(ErrorCode::conflict,
                "{} is in the way and not of allot; expected that name to be free",
                in_quotes(path));
  }
  auto folder = TRY(DataFolder::open(path));
  std::error_code wrong;
  for (const auto& entry : fs::directory_iterator(path, wrong)) {
    if (entry.path().filename() == "lock") continue;
    fs::remove_all(entry.path(), wrong);
    if (wrong) return unwritten(entry.path(), wrong);
  }
  fs::create_directory(path + "/campaigns", wrong);
  fs::permissions(path + "/campaigns", fs::perms::owner_all, wrong);
  if (wrong) return unwritten(path, wrong);
  return folder;
}

/// Syncs the folder and everything in it, and moves it to its place.
Result<void> move_into_place(const std::string& from, const std::string& to) {
  for (const auto& entry : fs::recursive_directory_iterator(from))
    TRY(sync_path(entry.path().string()));
  TRY(sync_path(from));
  std::error_code wrong;
  fs::rename(from, to, wrong);
  if (wrong) return unwritten(to, wrong);
  const fs::path parent = fs::absolute(to).parent_path();
  return sync_path(parent.string());
}

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

/// Numbers of the backups in the folder, in order.
std::vector<std::uint64_t> backup_numbers(const std::string& backups) {
  std::vector<std::uint64_t> numbers;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(backups, missing)) {
    const std::string name = entry.path().filename();
    const auto number = parse_whole(name);
    if (number && backup_name(*number) == name) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::string manifest_path(const std::string& backups, std::uint64_t number) {
  return fmt::format("{}/{}/manifest", backups, backup_name(number));
}

std::string piece_path(const std::string& backups, const std::string& campaign,
                       const BackupFile& file) {
  return fmt::format("{}/{}/{}", backups, backup_name(file.backup), campaign_path(campaign));
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

/// Puts the campaign together, in a file that is not there yet.
Result<void> restore_campaign(const std::string& backups, const CampaignBackup& campaign,
                              const std::string& path) {
  const auto file = [&](const BackupFile& one) { return piece_path(backups, campaign.id, one); };
  const auto& pieces = campaign.pieces;
  TRY(copy_checked(file(pieces.front().file), pieces.front().file, path));
  const auto store = TRY(store::open_sqlite(path));
  for (std::size_t n = 1; n < pieces.size(); ++n) {
    const std::string part = path + ".part";
    TRY(copy_checked(file(pieces[n].file), pieces[n].file, part));
    TRY(TRY(LedgerSource::open_part(part))->append_to(*store, pieces[n - 1].end));
    fs::remove(part);
  }
  TRY(campaign::Campaign::open(*store, campaign.end().campaign));
  const auto restored = TRY(LedgerSource::open(path));
  TRY(restored->check(0));
  TRY(campaign::check_fields(*restored));
  if (restored->end().last == campaign.end().last &&
      restored->end().checksum == campaign.end().checksum) {
    return {};
  }
  return fail(ErrorCode::store_failure, "{}: the ledger ends at record {}; expected record {}",
              in_quotes(path), restored->end().last, campaign.end().last);
}

/// The absolute path of a folder, without a slash at its end.
std::string absolute_folder(const std::string& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path.string() : path.parent_path().string();
}

/// Whether a folder, which need not be there yet, is the other one or inside it.
bool is_within(const std::string& inner, const std::string& outer) {
  const auto whole = [](const std::string& folder) {
    return absolute_folder(fs::weakly_canonical(fs::absolute(folder)).string()) + "/";
  };
  return whole(inner).starts_with(whole(outer));
}

/// Another folder cannot be moved to a mount point.
bool is_mount_point(const std::string& folder) {
  using Stat = struct stat;
  Stat here = {}, above = {};
  return ::stat(folder.c_str(), &here) == 0 && ::stat((folder + "/..").c_str(), &above) == 0 &&
         (here.st_dev != above.st_dev || here.st_ino == above.st_ino);
}

Result<void> check_free(const std::string& folder) {
  std::error_code missing;
  if (is_mount_point(folder)) {
    return fail(ErrorCode::conflict, "{} is a mount point; expected a folder inside it, such as {}",
                in_quotes(folder), in_quotes(folder + "/data"));
  }
  if (!fs::exists(folder, missing) ||
      (fs::is_directory(folder, missing) && fs::is_empty(folder, missing))) {
    return {};
  }
  return fail(ErrorCode::conflict,
              "{} is there already; expected a folder that is missing or empty", in_quotes(folder));
}

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
    fs::remove_all(partial, wrong);
    return tl::unexpected(made.error());
  }
  const std::string target = backups + "/" + backup_name(number);
  TRY(move_into_place(partial, target));
  fs::remove(target + "/lock", wrong);
  return *made;
}

Result<RestoreReport> restore_backup(const std::string& backups,
                                     std::optional<std::uint64_t> number, const std::string& to) {
  const std::string folder = absolute_folder(to);
  const auto numbers = backup_numbers(backups);
  if (numbers.empty() && fs::exists(backups + "/manifest")) {
    const fs::path one = absolute_folder(backups);
    return fail(ErrorCode::not_found, "{} is one backup; expected the folder with all of them, {}",
                in_quotes(backups), in_quotes(one.parent_path().string()));
  }
  if (numbers.empty()) {
    return fail(ErrorCode::not_found,
                "{} has no backup; expected a folder that 'allot backup' made", in_quotes(backups));
  }
  if (number && !std::ranges::binary_search(numbers, *number)) {
    return fail(ErrorCode::not_found, "{} has no backup {}; expected one of {} to {}",
                in_quotes(backups), *number, numbers.front(), numbers.back());
  }
  TRY(check_free(folder));
  if (is_within(folder, backups)) {
    return fail(ErrorCode::invalid_argument, "{} is inside the backups; expected a place outside",
                in_quotes(to));
  }
  auto manifest_read = read_manifest(manifest_path(backups, number.value_or(numbers.back())));
  if (!manifest_read && !number && numbers.size() > 1) {
    manifest_read.error().message +=
        fmt::format(" (--number {} restores the backup before it)", numbers[numbers.size() - 2]);
  }
  const BackupManifest manifest = TRY(std::move(manifest_read));
  const std::string partial = folder + ".restoring";
  const auto place = TRY(empty_folder(partial));
  RestoreReport report{manifest.number, manifest.made, manifest.campaigns.size(), 0};
  const auto restore_all = [&]() -> Result<void> {
    TRY(copy_checked(fmt::format("{}/{}/server.db", backups, backup_name(manifest.server.backup)),
                     manifest.server, partial + "/server.db"));
    for (const CampaignBackup& campaign : manifest.campaigns) {
      TRY(restore_campaign(backups, campaign, partial + "/" + campaign_path(campaign.id)));
      report.records += campaign.end().last;
    }
    return move_into_place(partial, folder);
  };
  if (const auto done = restore_all(); !done) {
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    return tl::unexpected(done.error());
  }
  return report;
}

}  // namespace allot::serve
