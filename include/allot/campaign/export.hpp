// What a campaign holds, for other programs: labels, answers, workers and every event, as text.
//
//   Export rows(Exported::labels, ExportFormat::csv);
//   until it says nothing:  rows.next(campaign) -> a piece of the text.
// Pieces are of a few thousand rows, so neither side needs the whole text, and other requests go on
// between them. An export holds what was there when it began: events that happen meanwhile are
// left out. Answers and workers are those of the moment of the first piece.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allot/campaign/campaign.hpp"

namespace allot::campaign {

enum class Exported { labels, answers, probabilities, workers, events };
/// `crowd_kit`: CSV with the columns of that library. There is none for events.
enum class ExportFormat { csv, jsonl, crowd_kit };

/// "labels", "answers", ...; nothing for another word.
std::optional<Exported> exported_named(std::string_view name);

/// An event in columns; most are empty for most.
struct EventRow {
  std::string item = {}, worker = {}, label = {}, price = {}, expires = {}, detail = {};
};
/// One row, or one an item where items are added. `state` is that of the campaign, then or later.
std::vector<EventRow> event_rows(const Event& event, const State& state);

class ExportRows;

class Export {
 public:
  Export(Exported what, ExportFormat format);
  ~Export();

  /// The next piece; nothing at the end. An empty one says that there is more to come.
  Result<std::optional<std::string>> next(Campaign& campaign);

 private:
  std::unique_ptr<ExportRows> rows_;
};

}  // namespace allot::campaign
