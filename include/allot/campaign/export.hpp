// Exports for other programs: labels, answers, workers, skips, every item with its fields and
// answer, and every event, as text.
//
//   Export rows(ExportKind::labels, ExportFormat::csv);
//   while (auto piece = rows.next(campaign.view()).value()) write(*piece);
//
// A piece has a few thousand rows, so neither side needs the whole text, and other requests can go
// on between pieces. An export holds what was there when it began: later events are left out.
// Answers and workers are those of the moment of the first piece.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/campaign/view.hpp"

namespace allot::campaign {

/// The table to export.
enum class ExportKind {
  labels,         ///< one row per label
  answers,        ///< one row per item, with its answer; without a label there is none
  probabilities,  ///< one row per item, with the probability of each class
  workers,        ///< one row per worker
  events,         ///< one row per event, or per item where items are added
  sessions,       ///< one row per session of a participant
  bonuses,        ///< one line per participant: id and amount owed, without a header line
  skips,          ///< one row per item that a worker skipped, with the reason
  results,        ///< one row per item, gold included: its fields as they came in, and its answer
  kinds           ///< one row per kind of worker: a group, or all workers outside groups
};
/// Whether the table has a form in the columns of crowd-kit.
constexpr bool has_crowd_kit_form(ExportKind what) { return what <= ExportKind::workers; }
/// The form of the text.
enum class ExportFormat {
  csv,       ///< comma-separated values with a header line
  jsonl,     ///< one JSON object per line
  crowd_kit  ///< CSV with the columns of that library, for the tables that it has
};

/// The kind with that name, such as "labels"; nothing for another word.
std::optional<ExportKind> export_kind_named(std::string_view name);

/// An event in columns; most columns are empty for most events.
struct EventRow {
  std::string item = {},  ///< id of the item
      worker = {},        ///< name of the worker
      label = {},         ///< name of the class: a label, or the known answer of a gold item
      price = {},         ///< an amount: price of a label, or the new budget
      expires = {},       ///< end of the lease
      detail = {};        ///< reason or origin by its name, options, or features
};
/// One row, or one per item where items are added. `state` gives the names; it may be later than
/// the event.
std::vector<EventRow> event_rows(const Event& event, const State& state);

struct ExportRows;

/// An export under way, read piece by piece.
class Export {
 public:
  /// Starts with the first row; reads nothing yet.
  Export(ExportKind what, ExportFormat format);
  ~Export();

  /// The next piece; nothing at the end. An empty piece is not the end.
  Result<std::optional<std::string>> next(const CampaignView& campaign);

 private:
  std::unique_ptr<ExportRows> rows_;
};

}  // namespace allot::campaign
