#include "fuzz/backup_bytes.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allot/store/memory_store.hpp"
#include "allot/store/sqlite_store.hpp"
#include "fuzz/demand.hpp"
#include "fuzz/pieces.hpp"
#include "io/gzip.hpp"
#include "serve/backup_manifest.hpp"
#include "serve/secret.hpp"
#include "store/ledger_backup.hpp"
#include "store/log_check.hpp"
#include "support/folder.hpp"
#include "support/gzip.hpp"

namespace allot::test {
namespace {

/// A folder in memory if the system has one: each execution writes files.
class MemoryFolder {
 public:
  MemoryFolder() {
    const bool has_memory = access("/dev/shm", W_OK) == 0;
    std::string name = has_memory ? "/dev/shm/allot-fuzz-XXXXXX" : "/tmp/allot-fuzz-XXXXXX";
    demand(mkdtemp(name.data()) != nullptr, "there is a folder");
    path_ = name;
  }
  ~MemoryFolder() { std::filesystem::remove_all(path_); }
  MemoryFolder(const MemoryFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// A file that is written again and again.
class RewrittenFile {
 public:
  explicit RewrittenFile(const std::string& path)
      : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    demand(file_ >= 0, "there is a file");
  }
  ~RewrittenFile() { ::close(file_); }
  RewrittenFile(const RewrittenFile&) = delete;
  void write(const std::string& bytes) const {
    const auto size = static_cast<ssize_t>(bytes.size());
    demand(pwrite(file_, bytes.data(), bytes.size(), 0) == size && ftruncate(file_, size) == 0,
           "there is room for a file");
  }

 private:
  const int file_;
};

/// Overwrites bytes, as far as there are some.
void overwrite(std::string& bytes, std::size_t at, std::string_view with) {
  for (std::size_t n = 0; n < with.size() && at + n < bytes.size(); ++n) bytes[at + n] = with[n];
}

/// The text of a deflated body, and what of the body is left; nothing if it is damaged or long.
std::optional<std::string> inflated(std::string_view& body, std::size_t most) {
  z_stream stream{};
  demand(inflateInit2(&stream, -15) == Z_OK, "zlib begins");
  std::string text(most + 1, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  const int verdict = inflate(&stream, Z_FINISH);
  text.resize(text.size() - stream.avail_out);
  body.remove_suffix(stream.avail_in);
  inflateEnd(&stream);
  if (verdict != Z_STREAM_END || text.size() > most) return {};
  return text;
}

std::string little_endian(std::uint64_t number) {
  std::string bytes;
  for (int n = 0; n < 4; ++n) bytes += static_cast<char>(number >> (8 * n) & 0xFF);
  return bytes;
}

constexpr std::size_t kMostText = 4096;

/// Read alone, behind another member, and with limits at its size.
void check_gzip_file(std::string_view bytes) {
  const auto text = io::gunzip(bytes, kMostText);
  check_refusal(text);
  if (!text) return;
  demand(io::is_gzip(bytes), "what is read begins like gzip");
  demand(text->size() <= kMostText, "a text keeps to its limit");
  demand(io::gunzip(bytes, text->size()) == *text, "a limit is the most that is read");
  if (!text->empty()) demand(!io::gunzip(bytes, text->size() - 1), "a limit holds");
  const std::string first = gzip("ab");
  demand(io::gunzip(first + std::string(bytes), kMostText + 2) == "ab" + *text,
         "members are joined");
}

void check_gzip_text(const std::string& text) {
  const std::string bytes = gzip(text);
  demand(io::gunzip(bytes, text.size()) == text, "a text is read as it was compressed");
  demand(io::gunzip(bytes + std::string(3, '\0'), text.size()) == text, "zeros may follow");
  for (const std::size_t cut : {1UL, 5UL, 9UL})
    demand(!io::gunzip(std::string_view(bytes).substr(0, bytes.size() - cut), text.size()),
           "a cut file is refused");
}

void check_gzip_body(std::string_view body) {
  const auto text = inflated(body, kMostText);
  const auto size = text ? text->size() : 0;
  const auto sum = text ? crc32_z(0, reinterpret_cast<const Bytef*>(text->data()), size) : 0;
  const std::string bytes = std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10) + std::string(body) +
                            little_endian(sum) + little_endian(size);
  const auto read = io::gunzip(bytes, kMostText);
  check_refusal(read);
  demand(read.has_value() == text.has_value(), "a body is read if zlib reads it");
  demand(!text || *read == *text, "a body is read as zlib reads it");
}

void check_accepted(const serve::BackupManifest& manifest) {
  const std::string text = serve::manifest_text(manifest);
  const auto again = serve::parse_manifest(text, "manifest");
  demand(again && serve::manifest_text(*again) == text, "a manifest is read as it is written");
  for (const serve::CampaignBackup& campaign : manifest.campaigns) {
    demand(manifest.find(campaign.id) != nullptr, "a campaign is found");
    demand(!campaign.pieces.empty(), "a campaign has a whole copy");
    const std::string path = serve::campaign_path(campaign.id);
    demand(path.find('/') == path.rfind('/') && path.find('\0') == std::string::npos,
           "a campaign has a file of the backup");
  }
}

/// Records, and contents of as many items.
void append_some(store::Store& store, std::uint64_t last, std::uint64_t count) {
  std::vector<store::Draft> drafts;
  std::vector<store::Content> contents;
  for (std::uint64_t n = last + 1; n <= last + count; ++n) {
    const std::string key = n % 2 == 0 ? "key " + std::to_string(n) : "";
    drafts.push_back(
        {.time = static_cast<std::int64_t>(n), .kind = 3, .key = key, .payload = "some"});
    contents.push_back({static_cast<std::uint32_t>(n - 1), "{}"});
  }
  demand(store.append("a", last, drafts, contents).has_value(), "records are appended");
}

/// A part with records 3 to 5, and what it follows.
class PartFile {
 public:
  PartFile() : file_((make(), path_)) {}

  const std::string& path() const { return path_; }
  const std::string& good() const { return good_; }
  const store::LedgerPosition& after() const { return after_; }
  const store::LedgerPosition& good_end() const { return end_; }
  void write(const std::string& bytes) const {
    file_.write(bytes);
    // A part that says that it has a log gets one.
    for (const char* end : {"-wal", "-shm", "-journal"}) ::unlink((path_ + end).c_str());
  }

 private:
  void make() {
    const std::string ledger = folder_ / "a.db";
    const auto store = store::open_sqlite(ledger, {.mode = store::OpenMode::create}).value();
    append_some(*store, 0, 2);
    after_ = store::LedgerSource::open(ledger).value()->end();
    append_some(*store, 2, 3);
    const auto source = store::LedgerSource::open(ledger).value();
    end_ = source->end();
    demand(source->write_part(after_, path_).has_value(), "a part is written");
    good_ = read_file(path_);
  }

  const MemoryFolder folder_;
  const std::string path_ = folder_ / "part.db";
  std::string good_;
  store::LedgerPosition after_, end_;
  const RewrittenFile file_;
};

/// A database of 512-byte pages with three commits in its log, and an index, as SQLite leaves them.
class LoggedDatabase {
 public:
  LoggedDatabase() : log_(folder_ / "d.db-wal"), index_(folder_ / "d.db-shm") {
    const MemoryFolder other;
    const std::string path = other / "d.db";
    sqlite3* database = nullptr;
    demand(sqlite3_open(path.c_str(), &database) == SQLITE_OK, "there is a database");
    const char* sql =
        "PRAGMA page_size = 512; PRAGMA journal_mode = WAL; CREATE TABLE t (x);"
        "INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)";
    demand(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK, "it has a log");
    RewrittenFile(path_).write(read_file(path));
    good_log_ = read_file(path + "-wal");
    good_index_ = read_file(path + "-shm").substr(0, 136);
    sqlite3_close(database);
  }

  Result<void> check(const std::string& log, const std::string& index) const {
    log_.write(log);
    index_.write(index);
    return store::check_log_frames(path_);
  }
  const std::string& path() const { return path_; }
  const std::string& good_log() const { return good_log_; }
  const std::string& good_index() const { return good_index_; }

 private:
  const MemoryFolder folder_;
  const std::string path_ = folder_ / "d.db";
  const RewrittenFile log_, index_;
  std::string good_log_, good_index_;
};

/// Makes the checksums of a log right from the header on, as SQLite would write them.
void sum_frames(std::string& log) {
  constexpr std::size_t header = 32, frame_header = 24, page = 512;
  if (log.size() < header) return;
  const bool is_big = (log[3] & 1) != 0;
  std::uint32_t first = 0, second = 0;
  const auto word = [&](std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t n = 0; n < 4; ++n)
      number |= std::uint32_t{static_cast<unsigned char>(log[at + n])}
                << (8 * (is_big ? 3 - n : n));
    return number;
  };
  const auto add = [&](std::size_t at, std::size_t size) {
    for (std::size_t end = at + size; at < end; at += 8) {
      first += word(at) + second;
      second += word(at + 4) + first;
    }
  };
  const auto put = [&](std::size_t at) {
    for (std::size_t n = 0; n < 4; ++n) {
      log[at + n] = static_cast<char>(first >> (8 * (3 - n)));
      log[at + 4 + n] = static_cast<char>(second >> (8 * (3 - n)));
    }
  };
  add(0, 24);
  put(24);
  for (std::size_t at = header; at + frame_header + page <= log.size(); at += frame_header + page) {
    add(at, 8);
    add(at + frame_header, page);
    put(at + 16);
  }
}

}  // namespace

void check_gzip_bytes(std::string_view bytes) {
  switch (choose(bytes, 3)) {
    case 0:
      return check_gzip_file(bytes);
    case 1:
      return check_gzip_text(std::string(bytes));
    default:
      return check_gzip_body(bytes);
  }
}

void check_manifest_bytes(std::string_view bytes) {
  const bool is_line = choose(bytes, 2) == 1;
  std::string text(bytes);
  if (is_line) text += "\n" + serve::hex(serve::digest_of(bytes)) + "\n";
  const auto manifest = serve::parse_manifest(text, "manifest");
  check_refusal(manifest);
  if (manifest) check_accepted(*manifest);
}

void check_part_bytes(std::string_view bytes) {
  static const PartFile part;
  std::string changed = part.good();
  while (!bytes.empty()) {
    const std::size_t at = take_number(bytes, 2), length = take_number(bytes, 1);
    overwrite(changed, at, take_bytes(bytes, length));
  }
  part.write(changed);
  const auto source = store::LedgerSource::open_part(part.path());
  check_refusal(source);
  if (changed == part.good())
    demand(source && (*source)->end() == part.good_end(), "a part is read");
  if (!source) return;
  check_refusal((*source)->check(part.after().last));
  check_refusal((*source)->contents(0, 100));
  check_refusal(
      (*source)->each_of_kind(3, [](const store::Record&) -> Result<void> { return {}; }));
  const auto store = store::memory_store();
  append_some(*store, 0, part.after().last);
  const auto appended = (*source)->append_to(*store, part.after());
  check_refusal(appended);
  demand(appended || changed != part.good(), "a part is appended");
  const std::uint64_t last = store->last("a").value();
  if (!appended) demand(last == part.after().last, "a refused part leaves nothing behind");
  if (appended && (*source)->end().campaign == "a")
    demand(last == std::max((*source)->end().last, part.after().last),
           "a part is appended to its end");
}

void check_log_bytes(std::string_view bytes) {
  static const LoggedDatabase database;
  std::string log = database.good_log(), index = database.good_index();
  while (!bytes.empty()) {
    const std::size_t kind = choose(bytes, 6), at = take_number(bytes, 2);
    const std::string_view with = take_bytes(bytes, take_number(bytes, 1));
    if (kind == 0) overwrite(log, at, with);
    if (kind == 1) overwrite(index, at, with);
    if (kind == 2) log.resize(std::min(at, log.size()));
    if (kind == 3) index.resize(std::min(at, index.size()));
    if (kind == 4) sum_frames(log);
    if (kind == 5 && log.size() < 8192) log += log.substr(std::min(at, log.size()), 1072);
  }
  const auto checked = database.check(log, index);
  check_refusal(checked);
  const bool is_good = log == database.good_log() && index == database.good_index();
  demand(checked || !is_good, "a log that SQLite wrote is good");
  if (!checked)
    demand(checked.error().message.find(database.path()) != std::string::npos,
           "a refusal names the file");
  demand(store::check_log_frames(database.path()).has_value() == checked.has_value(),
         "a log is judged the same twice");
}

}  // namespace allot::test
