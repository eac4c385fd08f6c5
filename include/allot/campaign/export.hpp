// Exports for other programs: labels, answers, workers and every event, as text.
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

enum class ExportKind { labels, answers, probabilities, workers, events };
/// `crowd_kit` is CSV with the columns of that library; it has no form for events.
enum class ExportFormat { csv, jsonl, crowd_kit };

/// "labels", "answers", ...; nothing for another word.
std::optional<ExportKind> export_kind_named(std::string_view name);

/// An event in columns; most columns are empty for most events.
struct EventRow {
  std::string item = {}, worker = {}, label = {}, price = {}, expires = {}, detail = {};
};
/// One row, or one per item where items are added. `state` is that of the campaign, then or later.
std::vector<EventRow> event_rows(const Event& event, const State& state);

class ExportRows;

class Export {
 public:
  Export(ExportKind what, ExportFormat format);
  ~Export();

  /// The next piece; nothing at the end. More follows an empty piece.
  Result<std::optional<std::string>> next(const CampaignView& campaign);

 private:
  std::unique_ptr<ExportRows> rows_;
};

}  // namespace allot::campaign
