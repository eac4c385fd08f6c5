// An audit of a campaign's answers: what is drawn to be checked, and what the checks prove.
//
// An audit judges the answers as they stood when it began: the event that starts it keeps every
// answer and its stated probability. The draws follow from these and the seed (allot/audit), so the
// ledger holds them, and `verify` makes them again. Verdicts of reviewers on drawn items are the
// checks. An answer that is judged was made before its check, so no check confirms itself.
//
// Items that were known when the audit began, and items without a label, are no part of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allot/audit/report.hpp"
#include "allot/base/bytes.hpp"
#include "allot/campaign/event.hpp"

namespace allot::campaign {

/// Stated probabilities are kept in parts of this many.
inline constexpr double kStatedParts = 65535;

/// The latest audit of a campaign.
struct Audit {
  std::uint32_t number = 0;  ///< audits of the campaign so far, this one included
  Time started = {};         ///< time of the event that started it
  AuditStarted start = {};   ///< its plan, and the answers as they stood

  /// Items whose answers are judged, by number.
  std::vector<ItemId> items() const;
  /// Stated probabilities of these answers.
  std::vector<double> stated() const;
  /// The answer that is judged.
  ClassId answer(ItemId item) const { return ClassId{start.answers[position(item)] - 1U}; }

  /// Writes the audit.
  void save(ByteWriter& to) const;
  /// Reads the bytes of `save`. Numbers that do not fit a campaign of that size make the reader
  /// fail.
  void load(ByteReader& from, std::size_t items, std::size_t classes);
};

/// What the checks of an audit prove so far. `next` is the number of the item in the campaign.
struct AuditReport : audit::Report {
  std::uint32_t number = 0;   ///< audits of the campaign so far
  Time started = {};          ///< time of its start
  AuditPlan plan = {};        ///< how answers are drawn
  std::uint64_t answers = 0;  ///< answers that are judged
};

}  // namespace allot::campaign
