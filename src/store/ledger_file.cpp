#include "store/ledger_file.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <future>

#include "store/ledger_schema.hpp"
#include "store/log_check.hpp"
#include "store/log_origin.hpp"

namespace allot::store {
namespace {

/// KB of cache for a process that stays, so that items that are asked again need not be read again;
/// SQLite's default is 2 MB.
constexpr int kLargeCache = 16'000;

/// Pages in the log that start a checkpoint by the writer.
constexpr int kPages = 1000;
/// Pages that start one in the background. More, since no commit waits for it and pages that many
/// commits wrote are then moved once.
constexpr int kBackgroundPages = 4000;
/// From this many pages on the background is too slow, and the writer helps.
constexpr int kTooManyPages = 50'000;

}  // namespace

/// Checkpoints of a write-ahead log: pages move from the log to their place in the file.
///
/// SQLite would do this inside a commit, which then takes many milliseconds. With a background
/// connection, a thread moves almost all pages while commits go on; the next commit moves the few
/// that came meanwhile, after which SQLite reuses the log from its start. Without one, the writer
/// checkpoints after a commit.
class Checkpointer {
 public:
  /// `background` may be null. The writer must outlive the checkpointer.
  Checkpointer(Connection& writer, std::unique_ptr<Connection> background)
      : writer_(writer), background_(std::move(background)) {
    writer_.on_commit([this](int pages) { after_commit(pages); });
  }
  ~Checkpointer() {
    writer_.on_commit([](int) {});
  }

 private:
  void after_commit(int pages) {
    if (!background_) {
      if (pages >= kPages) writer_.checkpoint();
    } else if (nearly_done_.exchange(false) || pages >= kTooManyPages) {
      writer_.checkpoint();
    } else if (pages >= kBackgroundPages && !running_.exchange(true)) {
      begin_in_background();
    }
  }
  void begin_in_background() {
    try {
      task_ = std::async(std::launch::async, [this] {
        background_->checkpoint();
        background_->checkpoint();  // pages that came during the first one
        nearly_done_ = true;
        running_ = false;
      });
    } catch (const std::system_error&) {  // no thread can be made
      running_ = false;
      writer_.checkpoint();
    }
  }

  Connection& writer_;
  std::unique_ptr<Connection> background_;
  /// A background checkpoint is under way.
  std::atomic<bool> running_ = false;
  /// A background checkpoint has just ended: one more by the writer lets the log start over.
  std::atomic<bool> nearly_done_ = false;
  std::future<void> task_;  // last: its destructor waits for the thread
};

Result<FileUse> begin_use(const std::string& path, int timeout_ms) {
  return FileUse::begin(path, [&]() -> Result<void> {
    TRY(check_file_header(path));
    TRY(check_log_frames(path));
    return check_log_origin(path, timeout_ms);
  });
}

LedgerFile::LedgerFile(std::string path, const SqliteOptions& options, FileUse use)
    : path_(std::move(path)),
      options_(options),
      keys_(options.background_checkpoint),
      use_(std::move(use)) {}

LedgerFile::~LedgerFile() {
  if (!checkpointer_) return;
  checkpointer_.reset();  // waits for its thread
  reader_.reset();
  static_cast<void>(writer_->execute("PRAGMA busy_timeout = 1000"));
  if (!clear_mark()) writer_->keep_log();
}

// A copy of the file without its log would open as a shorter ledger. So the first commit after a
// rest sets `in_log` in the row of the campaign, and a checkpoint brings that row into the file
// before anybody learns of the commit. The mark goes when the file rests or is closed; `check_log`
// refuses a file that has it but no log.
void LedgerFile::mark_log(bool was_marked) {
  if (!was_marked) is_marked_ = false;
  if (!is_marked_) is_marked_ = writer_->checkpoint();
}

Result<void> LedgerFile::clear_mark() {
  return writer_->execute("UPDATE campaign SET in_log = 0 WHERE in_log <> 0");
}

void LedgerFile::rest() {
  if (!writer_) return;
  const auto turn = wait_for_turn();
  if (clear_mark()) writer_->checkpoint();
}

Result<std::unique_ptr<LedgerFile>> LedgerFile::open(const std::string& path,
                                                     const SqliteOptions& options) {
  FileUse use = TRY(begin_use(path, static_cast<int>(options.timeout.count())));
  std::unique_ptr<LedgerFile> file(new LedgerFile(path, options, std::move(use)));
  TRY(options.mode == OpenMode::read ? file->connect_for_reading() : file->connect());
  return file;
}

Result<void> LedgerFile::connect_for_reading() {
  reader_ = TRY(Connection::open_for_reading(path_, timeout_ms()));
  // An older file is brought up to date by opening it once for writing, where that is allowed.
  if (is_older_ledger(*reader_)) static_cast<void>(open(path_, {.timeout = options_.timeout}));
  TRY(check_ledger(*reader_, {}));
  return check_log(*reader_);
}

Result<void> LedgerFile::connect() {
  const bool creates = options_.mode == OpenMode::create;
  const int flags = SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0);
  writer_ = TRY(Connection::open(path_, flags, timeout_ms()));
  writer_->define("allot_hash", stored_hash);
  TRY(check_ledger(*writer_, {.empty_file = creates, .older = true}));
  TRY(writer_->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"));
  if (options_.background_checkpoint) {
    TRY(writer_->execute(fmt::format("PRAGMA cache_size = -{}", kLargeCache)));
  }
  TRY(limit_size());
  TRY(migrate(*writer_, ledger_schema()));
  use_.created(path_);
  TRY(check_log(*writer_));
  std::unique_ptr<Connection> background;
  if (options_.background_checkpoint) {
    background = TRY(Connection::open(path_, SQLITE_OPEN_READWRITE, timeout_ms()));
    TRY(background->execute("PRAGMA synchronous = FULL"));
  }
  checkpointer_ = std::make_unique<Checkpointer>(*writer_, std::move(background));
  reader_ = TRY(Connection::open(path_, SQLITE_OPEN_READONLY, timeout_ms()));
  return {};
}

Result<void> LedgerFile::limit_size() {
  if (options_.largest_file == 0) return {};
  const auto page_size = static_cast<std::uint64_t>(TRY(writer_->number("PRAGMA page_size")));
  const std::uint64_t pages = std::max<std::uint64_t>(options_.largest_file / page_size, 1);
  return writer_->execute(fmt::format("PRAGMA max_page_count = {}", pages));
}

}  // namespace allot::store
