// Where backups are, and folders that appear in their place only when they are done.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include "allot/base/result.hpp"
#include "serve/backup_manifest.hpp"
#include "serve/data_folder.hpp"

namespace allot::serve {

/// How long a command waits for other programs that write to a file, in milliseconds.
inline constexpr int kLockTimeoutMs = 10'000;

/// Numbers of the backups in the folder, in order.
std::vector<std::uint64_t> backup_numbers(const std::string& backups);
std::string manifest_path(const std::string& backups, std::uint64_t number);
/// A file of the campaign.
std::string piece_path(const std::string& backups, const std::string& campaign,
                       const BackupFile& file);

/// The absolute path of a folder, without a slash at its end.
std::string absolute_folder(const std::string& folder);
/// Whether a folder, which need not be there yet, is the other one or inside it.
bool is_within(const std::string& inner, const std::string& outer);

/// Makes the folder with its lock, and removes the remains of an earlier run.
Result<DataFolder> empty_folder(const std::string& path);
/// Removes such a folder as far as that works, its lock last: without it the rest of the folder
/// would not be known for one of a run.
void remove_folder(const std::string& path);
/// Syncs the folder and everything in it, and moves it to its place.
Result<void> move_into_place(const std::string& from, const std::string& to);

/// The refusal of a path that cannot be written.
tl::unexpected<Error> unwritten(const std::string& path, const std::error_code& wrong);

}  // namespace allot::serve
