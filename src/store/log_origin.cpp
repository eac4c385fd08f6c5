#include "store/log_origin.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "store/ledger_schema.hpp"
#include "store/log_check.hpp"
#include "store/messages.hpp"

namespace allot::store {
namespace {

struct CampaignEnd {
  std::int64_t salt = 0, last = 0;
  bool is_marked = false;
};
using CampaignEnds = std::map<std::int64_t, CampaignEnd>;  // by the number of the campaign

/// Nothing from a file of another format, or one that cannot be read. A crash during a checkpoint
/// leaves a file that cannot be read alone.
std::optional<CampaignEnds> ends_in(Connection& file) {
  const auto format = file.number("PRAGMA user_version");
  if (!format || *format != ledger_schema().format()) return {};
  CampaignEnds ends;
  const auto read =
      Query(file, "SELECT id, salt, last, in_log FROM campaign").each([&](const Statement& row) {
        ends[row.number(0)] = {row.number(1), row.number(2), row.number(3) != 0};
      });
  if (!read) return {};
  return ends;
}

bool has_marks(const CampaignEnds& ends) {
  return std::ranges::any_of(ends, [](const auto& end) { return end.second.is_marked; });
}

/// The end of the same campaign, if it is there.
const CampaignEnd* same_campaign(const CampaignEnds& ends, std::int64_t id, std::int64_t salt) {
  const auto found = ends.find(id);
  return found != ends.end() && found->second.salt == salt ? &found->second : nullptr;
}

/// Whether the log does to an unmarked campaign what only a first commit after a rest can do.
bool is_unusual(const CampaignEnds& alone, const CampaignEnds& with_log) {
  for (const auto& [id, end] : with_log) {
    const CampaignEnd* before = same_campaign(alone, id, end.salt);
    if (!before || (!before->is_marked && before->last != end.last)) return true;
  }
  return alone.size() != with_log.size();
}

/// Whether the log has campaigns, but none of the file's.
bool is_of_other_campaigns(const CampaignEnds& alone, const CampaignEnds& with_log) {
  return !alone.empty() && !with_log.empty() && std::ranges::none_of(alone, [&](const auto& end) {
    return same_campaign(with_log, end.first, end.second.salt) != nullptr;
  });
}

/// Whether all pages fit together and no record is missing.
bool is_whole(Connection& file) {
  bool is_ok = false;
  const auto pages = Query(file, "PRAGMA quick_check(1)").each([&](const Statement& row) {
    is_ok = row.bytes(0) == "ok";
  });
  const auto gaps = file.number(
      "SELECT count(*) FROM campaign c WHERE last <>"
      " (SELECT count(*) FROM record r WHERE r.campaign = c.id AND sequence BETWEEN 1 AND c.last)");
  return pages && is_ok && gaps && *gaps == 0;
}

Result<void> check_once(const std::string& path, int timeout_ms) {
  // The file first: commits that come meanwhile make the ledger of the second reading longer.
  const auto file = Connection::open_without_log(path);
  const auto alone = file ? ends_in(**file) : std::nullopt;
  if (!alone) return {};
  const std::string log = path + "-wal";
  if (has_marks(*alone) && has_log_pages(path) && !has_log_header(path)) {
    return in_file(path,
                   "the newest records are missing, because {} is damaged (it has no header); "
                   "restore a backup",
                   in_quotes(log));
  }
  const auto both = Connection::open_for_reading(path, timeout_ms);
  if (!both) return {};
  (*both)->keep_log();
  const auto does_not_fit = [&] {
    return in_file(path,
                   "{} does not fit this file; expected the file without it if the file was "
                   "restored, or a backup",
                   in_quotes(log));
  };
  const auto with_log = ends_in(**both);
  if (!with_log && (*both)->is_damaged()) return does_not_fit();
  if (!with_log) return {};
  if (is_of_other_campaigns(*alone, *with_log)) return does_not_fit();
  for (const auto& [id, end] : *alone) {
    const CampaignEnd* after = same_campaign(*with_log, id, end.salt);
    if (!after || after->last >= end.last) continue;
    return in_file(path,
                   "{} is not the log of this file: it ends at record {}, and the file at record "
                   "{}; expected the file without it if the file was restored, or a backup",
                   in_quotes(log), after->last, end.last);
  }
  if (!is_unusual(*alone, *with_log) || is_whole(**both)) return {};
  return does_not_fit();
}

}  // namespace

Result<void> check_log_origin(const std::string& path, int timeout_ms) {
  // Another process may be writing the pages that are read without a lock.
  constexpr int kMostChecks = 10;
  Result<void> checked;
  for (int n = 0; n < kMostChecks; ++n) {
    if (!has_log_pages(path)) return {};
    checked = check_once(path, timeout_ms);
    if (checked) return {};
  }
  return checked;
}

}  // namespace allot::store
