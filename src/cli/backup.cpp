// Backs up and restores the data folder of a server.
#include "serve/backup.hpp"

#include <sys/stat.h>

#include "allot/base/text.hpp"
#include "allot/base/time_text.hpp"
#include "allot/store/location.hpp"
#include "base/errors.hpp"
#include "cli/commands.hpp"
#include "cli/file_owner.hpp"
#include "cli/options.hpp"
#include "cli/version.hpp"
#include "serve/restore.hpp"

namespace allot::cli {
namespace {

struct BackupFlags {
  std::string data, backups;
  bool full = false;
};

struct RestoreFlags {
  std::string backups, data;
  std::optional<std::string> number, campaign;
};

Result<void> check_folder(const char* name, const std::string& path) {
  if (store::is_database(path)) {
    return fail(ErrorCode::invalid_argument,
                "{} {} is a database; expected a data folder (pg_dump and pg_basebackup back "
                "databases up)",
                name, in_quotes(store::shown_location(path)));
  }
  if (path.empty()) {
    return fail(ErrorCode::invalid_argument, "{} '' is empty; expected the path of a folder", name);
  }
  return {};
}

/// Labels, known answers and workers' names are not for other users of this machine.
void keep_private() { ::umask(077); }

Result<Output> run_backup(const BackupFlags& flags) {
  TRY(check_folder("DATA", flags.data));
  TRY(check_folder("BACKUPS", flags.backups));
  keep_private();
  const auto made =
      TRY(serve::back_up(flags.data, flags.backups,
                         {.full = flags.full, .now = campaign::now(), .version = version()}));
  const std::size_t continued = made.campaigns - made.whole - made.unchanged;
  const std::string renewed =
      made.renewed == 0
          ? ""
          : fmt::format(
                "Files of earlier backups are missing or damaged: {} copied whole again. "
                "Earlier backups may not be restorable.\n",
                count_text(made.renewed, "campaign"));
  Output output{
      fmt::format("backup {} in {}: {}, of which {} whole, {} continued, {} unchanged; "
                  "{}, all read back\n{}",
                  made.number, flags.backups, count_text(made.campaigns, "campaign"), made.whole,
                  continued, made.unchanged, count_text(made.records, "record"), renewed)};
  for (const std::string& id : made.unlisted) {
    output.notes.push_back(fmt::format(
        "campaigns/{}.db is not in the list of server.db, so this backup does not have it", id));
  }
  for (const std::string& id : made.damaged_tokens) {
    output.notes.push_back(fmt::format(
        "token {} was changed on disk, and lets nobody in; the backup has it as it is", id));
  }
  return output;
}

Result<Output> restore_one(const RestoreFlags& flags, std::optional<std::uint64_t> number) {
  TRY(become_owner(flags.data + "/server.db", "allot restore ... --campaign ID"));
  const auto done = TRY(
      serve::restore_campaign(flags.backups, number, flags.data, *flags.campaign, campaign::now()));
  return Output{fmt::format(
      "campaign {} of backup {} of {} restored to {}: {}, all checked\n{}{}", *flags.campaign,
      done.number, time_text(done.made), flags.data, count_text(done.records, "record"),
      done.was_listed ? "" : "It was deleted; it is back in the list, with its links.\n",
      done.replaced.empty() ? "" : fmt::format("Its files from before: {}\n", done.replaced))};
}

Result<Output> run_restore(const RestoreFlags& flags) {
  TRY(check_folder("BACKUPS", flags.backups));
  TRY(check_folder("DATA", flags.data));
  std::optional<std::uint64_t> number;
  if (flags.number) number = TRY(read_whole("--number", *flags.number, 1, 999'999'999));
  keep_private();
  if (flags.campaign) return restore_one(flags, number);
  const auto done = TRY(serve::restore_backup(flags.backups, number, flags.data));
  return Output{fmt::format("backup {} of {} restored to {}: {} with {}, all checked\n",
                            done.number, time_text(done.made), flags.data,
                            count_text(done.campaigns, "campaign"),
                            count_text(done.records, "record"))};
}

}  // namespace

Command backup_command() {
  return make_command<BackupFlags>(
      "backup", "Back up the data folder of a server, also while it runs", run_backup,
      [](Command& command, BackupFlags& flags) {
        command.require("DATA", &flags.data, "Data folder of the server");
        command.require("BACKUPS", &flags.backups, "Folder of backups; created if missing");
        command.add("--full", &flags.full,
                    "Copy every campaign whole; backups before this one can then be deleted");
      },
      {"Each backup is a numbered folder in BACKUPS. The first has whole copies; later ones have "
       "the records that are new, and need the folders before them. A backup that is cut short "
       "leaves nothing that counts."},
      {"allot backup allot-data /mnt/backups"});
}

Command restore_command() {
  return make_command<RestoreFlags>(
      "restore", "Restore the data folder of a server from a backup", run_restore,
      [](Command& command, RestoreFlags& flags) {
        command.require("BACKUPS", &flags.backups, "Folder of backups");
        command.require("DATA", &flags.data,
                        "Data folder to make; must be missing or empty. With --campaign, the "
                        "folder of the server, which must not run");
        command.add("--number", &flags.number, "N", "Backup to restore; default: the newest");
        command.add("--campaign", &flags.campaign, "ID",
                    "Put back this campaign alone, also one that was deleted; its files from "
                    "before are kept in DATA/replaced");
      },
      {"The folder appears in its place once everything in it is checked."},
      {"allot restore /mnt/backups allot-data",
       "allot restore /mnt/backups allot-data --campaign dcf3806b10a06cbe248a0304ba1438a3 --number "
       "12"});
}

}  // namespace allot::cli
