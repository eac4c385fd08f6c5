#include "serve/backup_folder.hpp"

#include <algorithm>
#include <filesystem>

#include "allot/base/text.hpp"
#include "base/errors.hpp"

namespace allot::serve {

namespace fs = std::filesystem;

namespace {

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

}  // namespace

tl::unexpected<Error> unwritten(const std::string& path, const std::error_code& wrong) {
  return fail(ErrorCode::write_failure, "{} cannot be written ({}); expected a folder that can",
              in_quotes(path), wrong.message());
}

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

void remove_folder(const std::string& path) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(path, ignored))
    if (entry.path().filename() != "lock") fs::remove_all(entry.path(), ignored);
  fs::remove_all(path, ignored);
}

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

std::string absolute_folder(const std::string& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path.string() : path.parent_path().string();
}

bool is_within(const std::string& inner, const std::string& outer) {
  const auto whole = [](const std::string& folder) {
    return absolute_folder(fs::weakly_canonical(fs::absolute(folder)).string()) + "/";
  };
  return whole(inner).starts_with(whole(outer));
}

}  // namespace allot::serve
