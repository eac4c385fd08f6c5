// Backups of a campaign file that others may be writing.
//
// A LedgerSource holds the file as it is when it is opened; writers continue meanwhile. It can be
// copied as a whole by SQLite's online backup, whatever its format. A part has only the records and
// contents after a position; a copy that ends there, with the part appended, is the campaign again.
//
// Cost: a whole copy reads and writes the file once; a part takes about 3 us per record.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "allot/store/store.hpp"
#include "store/file_use.hpp"
#include "store/ledger_reader.hpp"

namespace allot::store {

/// A place in the ledger of a campaign.
struct LedgerPosition {
  std::string campaign = {};
  std::int64_t format = 0;  // of the file
  /// The last record and its checksum; two ledgers that part ways before it differ in the latter.
  std::uint64_t last = 0, checksum = 0;
  /// Items from this number on have no contents.
  std::uint64_t contents = 0;

  bool operator==(const LedgerPosition&) const = default;
};

class LedgerSource {
 public:
  /// Opens a file with one campaign, and refuses one whose log is missing.
  static Result<std::unique_ptr<LedgerSource>> open(const std::string& path);
  /// Opens a part.
  static Result<std::unique_ptr<LedgerSource>> open_part(const std::string& path);

  const LedgerPosition& end() const { return end_; }
  /// Whether a part from that position can be appended to a copy that ends there.
  Result<bool> continues(const LedgerPosition& position) const;

  /// Writes a file that is not there yet. The file is whole without a log, but not yet synced.
  Result<void> copy_to(const std::string& path) const;
  Result<void> write_part(const LedgerPosition& after, const std::string& path) const;

  /// Reads the records after that one, checksums included.
  Result<void> check(std::uint64_t after) const;
  /// Calls visit(record) with the records of that kind.
  Result<void> each_of_kind(std::uint8_t kind,
                            const std::function<Result<void>(const Record&)>& visit) const;
  /// As Store::contents.
  Result<std::vector<Content>> contents(std::uint32_t from, std::size_t most) const;
  const std::string& path() const { return file_->path(); }
  /// Appends records and contents of this part to a ledger that ends at the position.
  Result<void> append_to(Store& store, const LedgerPosition& after) const;

 private:
  LedgerSource(FileUse use, std::unique_ptr<Connection> file)
      : use_(std::move(use)), file_(std::move(file)) {}
  static Result<std::unique_ptr<LedgerSource>> hold(FileUse use, std::unique_ptr<Connection> file);
  Result<void> find_end();
  /// Calls visit(records) with the records after that one, some at a time.
  template <typename Visit>
  Result<void> each_records(std::uint64_t after, Visit visit) const;
  template <typename Visit>
  Result<void> each_contents(std::uint64_t from, Visit visit) const;

  FileUse use_;
  std::unique_ptr<Connection> file_;
  CampaignRow row_;
  LedgerPosition end_;
};

}  // namespace allot::store
