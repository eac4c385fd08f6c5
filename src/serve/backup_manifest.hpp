// The manifest of a backup: what it has, and in which files.
//
// Backups are folders 000001, 000002 and so on in one folder. A campaign is stored as a whole copy
// followed by parts (store/ledger_backup.hpp), which can be in earlier backups; the manifest of
// each backup names all of them. The file `manifest` has one line of JSON and one with its digest,
// and it is written last.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "allot/campaign/event.hpp"
#include "store/ledger_backup.hpp"

namespace allot::serve {

/// A file of a backup, with its digest.
struct BackupFile {
  /// The backup that has the file.
  std::uint64_t backup = 0;
  std::string digest = {};
  std::uint64_t bytes = 0;
};

struct CampaignBackup {
  std::string id = {};
  /// The whole copy, then the parts, each with the position after it.
  struct Piece {
    BackupFile file;
    store::LedgerPosition end;
  };
  std::vector<Piece> pieces = {};

  const store::LedgerPosition& end() const { return pieces.back().end; }
};

struct BackupManifest {
  std::uint64_t number = 0;
  campaign::Time made = {};
  /// Of the program that made the backup.
  std::string version = {};
  /// server.db.
  BackupFile server = {};
  std::vector<CampaignBackup> campaigns = {};

  const CampaignBackup* find(const std::string& id) const;
};

/// The name of a backup's folder: six digits or more.
std::string backup_name(std::uint64_t number);
/// Path of a campaign's file inside a backup.
std::string campaign_path(const std::string& id);

Result<void> write_manifest(const BackupManifest& manifest, const std::string& path);
/// Refuses a manifest that is damaged or of a newer allot.
Result<BackupManifest> read_manifest(const std::string& path);
/// The manifest as the file has it, and back; errors name the path.
std::string manifest_text(const BackupManifest& manifest);
Result<BackupManifest> parse_manifest(std::string_view text, const std::string& path);

/// Digest and size of a file.
Result<BackupFile> file_digest(const std::string& path);
/// Copies a file, and refuses one that is not as the manifest says.
Result<void> copy_checked(const std::string& from, const BackupFile& file, const std::string& to);
/// Waits until the file or folder is on disk.
Result<void> sync_path(const std::string& path);

}  // namespace allot::serve
