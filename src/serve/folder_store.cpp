#include <fmt/format.h>

#include <filesystem>

#include "allot/base/text.hpp"
#include "allot/store/sqlite_store.hpp"
#include "base/errors.hpp"
#include "serve/data_folder.hpp"
#include "serve/server_file.hpp"
#include "serve/server_store.hpp"

namespace allot::serve {
namespace {

class FolderStore final : public ServerStore {
 public:
  explicit FolderStore(DataFolder folder) : folder_(std::move(folder)) {}

  std::string shown() const override { return folder_.path(); }

  /// Makes server.db in a new folder. Where there are campaigns it was lost, and another one
  /// without them would take its place in backups.
  Result<std::unique_ptr<ServerTables>> open_tables(bool lossy) override {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(folder_.server_file(), missing);
    if ((missing || bytes == 0) && !serve::campaign_files(folder_.path()).empty()) {
      return fail(ErrorCode::store_failure,
                  "{} is missing or empty, but there are campaigns; expected the whole folder: "
                  "restore it with 'allot restore'",
                  in_quotes(folder_.server_file()));
    }
    return open_server_file(folder_.server_file(), {.create = !lossy, .lossy = lossy});
  }

  Result<Ledger> new_ledger(const std::string& id, const std::string& name) override {
    return Ledger{
        TRY(store::open_sqlite(folder_.campaign_file(id), {.mode = store::OpenMode::create})),
        name};
  }

  Result<Ledger> open_ledger(const std::string& id) override {
    const std::string file = folder_.campaign_file(id);
    auto store = TRY(store::open_sqlite(file, {.background_checkpoint = true}));
    const auto names = TRY(store->campaigns());
    if (names.size() != 1) {
      return fail(ErrorCode::store_failure, fmt::format("{} holds {} campaigns; expected one",
                                                        in_quotes(file), names.size()));
    }
    return Ledger{std::move(store), names.front()};
  }

  Result<void> remove(const std::string& id, TableSession&) override {
    return folder_.remove_campaign(id);
  }

  Result<void> remove_ledger(const std::string& id) override { return folder_.remove_campaign(id); }

  std::vector<std::string> campaign_files() const override {
    return serve::campaign_files(folder_.path());
  }

  std::uint64_t bytes(const std::string& id) const override { return folder_.campaign_bytes(id); }

  // The lock of the folder keeps other servers out.
  StoredTime stale_before(StoredTime) const override { return StoredTime::max(); }

  std::string write_trouble() override { return folder_.write_trouble(); }

 private:
  const DataFolder folder_;
};

}  // namespace

Result<std::unique_ptr<ServerStore>> open_folder(const std::string& path) {
  return std::make_unique<FolderStore>(TRY(DataFolder::open(path)));
}

}  // namespace allot::serve
