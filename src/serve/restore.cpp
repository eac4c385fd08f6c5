#include "serve/restore.hpp"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "allot/campaign/campaign.hpp"
#include "allot/store/sqlite_store.hpp"
#include "base/errors.hpp"
#include "campaign/field_check.hpp"
#include "serve/backup_folder.hpp"
#include "serve/server_file.hpp"
#include "store/sqlite.hpp"

namespace allot::serve {
namespace {

namespace fs = std::filesystem;

using store::LedgerSource;

/// Puts the campaign together, in a file that is not there yet.
Result<void> put_together(const std::string& backups, const CampaignBackup& campaign,
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

/// The manifest of a backup, the newest one if no number is given.
Result<BackupManifest> chosen_manifest(const std::string& backups,
                                       std::optional<std::uint64_t> number) {
  std::error_code wrong;
  fs::directory_iterator(backups, wrong);
  if (wrong == std::errc::permission_denied) {
    const std::string user = user_name(::geteuid());
    return fail(ErrorCode::store_failure,
                "{} cannot be read by user {} ({}); expected backups of that user: chown -R {}: {}",
                in_quotes(backups), in_quotes(user), wrong.message(), user, in_quotes(backups));
  }
  const auto numbers = backup_numbers(backups);
  if (numbers.empty() && fs::exists(backups + "/manifest", wrong)) {
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
  auto manifest = read_manifest(manifest_path(backups, number.value_or(numbers.back())));
  if (!manifest && !number && numbers.size() > 1) {
    manifest.error().message +=
        fmt::format(" (--number {} restores the backup before it)", numbers[numbers.size() - 2]);
  }
  return manifest;
}

Result<void> copy_server_file(const std::string& backups, const BackupManifest& manifest,
                              const std::string& to) {
  return copy_checked(fmt::format("{}/{}/server.db", backups, backup_name(manifest.server.backup)),
                      manifest.server, to);
}

/// Works in an empty folder, which is removed if that fails.
template <typename Work>
Result<void> work_in(const std::string& partial, Work work) {
  const auto place = TRY(empty_folder(partial));
  const Result<void> done = work();
  if (!done) remove_folder(partial);
  return done;
}

/// Refuses a campaign that is not in the backup, and backups of another server.
Result<void> check_campaign(const BackupManifest& manifest, const std::string& backups,
                            const std::string& folder, const std::string& id) {
  if (manifest.find(id) == nullptr) {
    return fail(ErrorCode::not_found,
                "backup {} of {} has no campaign {}; expected one of its {} (the manifest names "
                "them), or the number of an earlier backup",
                manifest.number, in_quotes(backups), in_quotes(id),
                count_text(manifest.campaigns.size(), "campaign"));
  }
  const auto server =
      TRY(store::Connection::open(folder + "/server.db", SQLITE_OPEN_READWRITE, kLockTimeoutMs));
  TRY(check_server_file(*server));
  const CampaignIds ids = TRY(campaign_ids(*server));
  const auto is_known = [&](const std::string& one) { return manifest.find(one) != nullptr; };
  if (ids.listed.empty() || std::ranges::any_of(ids.listed, is_known)) return {};
  return fail(ErrorCode::conflict,
              "{} has backups of another server: none of the campaigns of {} is in backup {}; "
              "expected the backups of this server",
              in_quotes(backups), in_quotes(folder), manifest.number);
}

/// Moves a campaign's file, if there is one, and what SQLite keeps beside it. The log goes first: a
/// file without its log is refused, and a log without its file is of a run that was killed.
Result<void> move_campaign(const std::string& from, const std::string& to) {
  for (const char* end : {"-wal", "-shm", "-journal", ""}) {
    std::error_code wrong;
    if (!fs::exists(from + end, wrong)) continue;
    fs::create_directories(fs::path(to).parent_path(), wrong);
    if (!wrong) fs::rename(from + end, to + end, wrong);
    if (wrong) return unwritten(to + end, wrong);
  }
  return {};
}

/// Keeps the files of a campaign in a folder, if there are any.
Result<void> set_aside(const std::string& file, const std::string& folder) {
  TRY(move_campaign(file, folder + "/" + fs::path(file).filename().string()));
  if (!fs::exists(folder)) return {};
  TRY(sync_path(folder));
  return sync_path(fs::path(folder).parent_path().string());
}

}  // namespace

Result<RestoreReport> restore_backup(const std::string& backups,
                                     std::optional<std::uint64_t> number, const std::string& to) {
  const std::string folder = absolute_folder(to);
  const BackupManifest manifest = TRY(chosen_manifest(backups, number));
  TRY(check_free(folder));
  if (is_within(folder, backups)) {
    return fail(ErrorCode::invalid_argument, "{} is inside the backups; expected a place outside",
                in_quotes(to));
  }
  RestoreReport report{manifest.number, manifest.made, manifest.campaigns.size(), 0};
  const std::string partial = folder + ".restoring";
  TRY(work_in(partial, [&]() -> Result<void> {
    TRY(copy_server_file(backups, manifest, partial + "/server.db"));
    for (const CampaignBackup& campaign : manifest.campaigns) {
      TRY(put_together(backups, campaign, partial + "/" + campaign_path(campaign.id)));
      report.records += campaign.end().last;
    }
    return move_into_place(partial, folder);
  }));
  return report;
}

Result<CampaignRestoreReport> restore_campaign(const std::string& backups,
                                               std::optional<std::uint64_t> number,
                                               const std::string& to, const std::string& id,
                                               campaign::Time now) {
  const std::string path = absolute_folder(to);
  std::error_code missing;
  if (!fs::exists(path + "/server.db", missing)) {
    return fail(ErrorCode::not_found, "{} has no server.db; expected the data folder of a server",
                in_quotes(to));
  }
  const DataFolder folder = TRY(DataFolder::open(path));
  const BackupManifest manifest = TRY(chosen_manifest(backups, number));
  TRY(check_campaign(manifest, backups, path, id));
  const CampaignBackup& campaign = *manifest.find(id);
  std::string moment = time_text(now);
  std::erase(moment, ':');
  CampaignRestoreReport report{.number = manifest.number,
                               .made = manifest.made,
                               .records = campaign.end().last,
                               .replaced = fmt::format("{}/replaced/{}-{}", path, id, moment)};
  const std::string partial = path + "/restoring", restored = partial + "/" + campaign_path(id);
  TRY(work_in(partial, [&]() -> Result<void> {
    TRY(copy_server_file(backups, manifest, partial + "/server.db"));
    TRY(put_together(backups, campaign, restored));
    TRY(sync_path(restored));
    // First, so that a webhook rather repeats messages than that it leaves some out.
    report.was_listed =
        TRY(take_campaign(folder.server_file(), partial + "/server.db", id, campaign.end().last));
    TRY(set_aside(folder.campaign_file(id), report.replaced));
    TRY(move_campaign(restored, folder.campaign_file(id)));
    return sync_path(path + "/campaigns");
  }));
  remove_folder(partial);
  if (!fs::exists(report.replaced)) report.replaced.clear();
  return report;
}

}  // namespace allot::serve
