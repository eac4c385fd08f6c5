#include "serve/folder_check.hpp"

#include <algorithm>
#include <filesystem>

#include "allot/base/text.hpp"
#include "base/errors.hpp"
#include "campaign/field_check.hpp"
#include "serve/backup_manifest.hpp"
#include "serve/data_folder.hpp"
#include "serve/server_file.hpp"
#include "store/ledger_schema.hpp"

namespace allot::serve {
namespace {

namespace fs = std::filesystem;

std::uint64_t size_of(const std::string& path) {
  std::error_code missing;
  const auto size = fs::file_size(path, missing);
  return missing ? 0 : size;
}

/// Calls look(check), whose refusal becomes the problem of the file.
template <typename Look>
FileCheck checked(const std::string& folder, const std::string& file, Look look) {
  const std::string path = folder + "/" + file;
  FileCheck check{.file = file, .bytes = size_of(path) + size_of(path + "-wal")};
  if (const Result<void> looked = look(check, path); !looked)
    check.problem = looked.error().message;
  return check;
}

Result<void> look_at_server(FileCheck& check, const std::string& path, CampaignIds& campaigns) {
  const auto file = TRY(store::Connection::open_for_reading(path, 10'000));
  const auto formats = TRY(check_server_file(*file));
  check.format = formats.format;
  check.newest = formats.newest;
  campaigns = TRY(campaign_ids(*file));
  const auto damaged = TRY(damaged_tokens(*file));
  if (damaged.empty()) return {};
  return fail(ErrorCode::store_failure,
              "{}: {} changed on disk, and the server lets nobody in with it: {}; expected rows as "
              "the server writes them",
              in_quotes(path), count_text(damaged.size(), "token"), fmt::join(damaged, ", "));
}

Result<void> look_at_campaign(FileCheck& check, const std::string& path) {
  check.newest = store::ledger_schema().format();
  const auto source = TRY(store::LedgerSource::open(path));
  check.format = source->end().format;
  check.campaign = source->end().campaign;
  check.records = source->end().last;
  TRY(source->check(0));
  return campaign::check_fields(*source);
}

}  // namespace

std::size_t FolderCheck::problems() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(files, [](const FileCheck& file) { return !file.problem.empty(); }));
}

std::size_t FolderCheck::older() const {
  return static_cast<std::size_t>(std::ranges::count_if(files, &FileCheck::is_older));
}

Result<FolderCheck> check_folder(const std::string& folder) {
  std::error_code missing;
  if (!fs::exists(folder + "/server.db", missing)) {
    return fail(ErrorCode::not_found, "{} has no server.db; expected the data folder of a server",
                in_quotes(folder));
  }
  FolderCheck result{.in_use = DataFolder::is_in_use(folder)};
  CampaignIds ids;
  result.files.push_back(checked(folder, "server.db", [&](FileCheck& check, const auto& path) {
    return look_at_server(check, path, ids);
  }));
  for (const std::string& id : ids.listed) {
    result.files.push_back(checked(folder, campaign_path(id), look_at_campaign));
  }
  for (const std::string& id : ids.unlisted(campaign_files(folder))) {
    result.files.push_back(
        checked(folder, campaign_path(id), [&](FileCheck& check, const auto& path) -> Result<void> {
          TRY(look_at_campaign(check, path));
          return fail(ErrorCode::store_failure,
                      "{} is not in the list of server.db, so the server does not serve it; "
                      "expected a campaign of this server (move other files out of the folder)",
                      in_quotes(path));
        }));
  }
  return result;
}

}  // namespace allot::serve
